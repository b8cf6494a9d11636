package scenario

import (
	"fmt"

	"orrery/core/world/memory"
)

func (l *latency) UnmarshalText(text []byte) error {
	switch l.word = string(text); l.word {
	case "typical", "none":
		return nil
	}
	return fmt.Errorf("write typical, none, or how long each thing takes, as in {watch: 5ms..20ms}")
}

// delay is one of the durations, another each time.
func (s span) delay() memory.Delay { return memory.Delay{Base: s.from, Jitter: s.to - s.from} }

// of returns the latencies; those not given are typical.
func (l *latency) of() memory.Latency {
	if l.word == "none" {
		return memory.Latency{}
	}
	all := memory.TypicalLatency()
	for _, one := range []struct {
		from *span
		to   *memory.Delay
	}{
		{l.Request, &all.Request},
		{l.Response, &all.Response},
		{l.Watch, &all.Watch},
		{l.Kubelet, &all.Kubelet},
		{l.Controller, &all.Controller},
		{l.Plugin, &all.Plugin},
		{l.Provision, &all.Provision},
		{l.Attach, &all.Attach},
		{l.Publish, &all.Publish},
		{l.Initialize, &all.Initialize},
	} {
		if one.from != nil {
			*one.to = one.from.delay()
		}
	}
	return all
}
