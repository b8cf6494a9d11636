package telemetry

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world/live"
)

// An engine that is stuck reads no figures: their age grows, and tells so.
func TestProcess_SampleAge(t *testing.T) {
	o := engine.Options{}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	flight, err := play.NewFlightRecorder(e, o, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	p := NewProcess(ProcessOptions{
		Connection: func() (c live.Counters) { return c }, Leading: func() bool { return false }, Flight: flight, OptionalShare: func() float64 { return 1 },
	})
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(p)
	age := func() float64 {
		all, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			if f.GetName() == "orrery_sample_age_seconds" {
				return f.Metric[0].GetGauge().GetValue()
			}
		}
		t.Fatal("there is no age")
		return 0
	}
	if got := age(); got != 0 || !p.SampledAt().IsZero() {
		t.Errorf("before the engine runs the age is %v, want 0", got)
	}
	p.Refresh(e)
	stuck := *p.latest.Load()
	stuck.at = stuck.at.Add(-time.Hour)
	p.latest.Store(&stuck)
	if got := age(); got < time.Hour.Seconds() {
		t.Errorf("an hour later the age is %v", got)
	}
	p.Refresh(e)
	if got := age(); got >= time.Hour.Seconds() {
		t.Errorf("after a refresh the age is %v", got)
	}
}
