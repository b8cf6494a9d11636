package play

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
)

// Excerpt is what a growing player held at some moment. It may be written on another goroutine.
type Excerpt struct {
	header  trace.Header
	base    *engine.Engine // before the records; nil if they are the whole trace
	records []trace.Record
}

// Excerpt returns all records that are held now.
func (p *Player) Excerpt() (*Excerpt, error) {
	x := &Excerpt{header: p.header, records: slices.Clone(p.records)}
	if p.dropped == 0 {
		return x, nil
	}
	base, err := p.forks.list[0].engine.Fork()
	if err != nil {
		return nil, fmt.Errorf("copying the engine at record %d: %w", p.dropped, err)
	}
	x.base = base
	return x, nil
}

// Write writes the excerpt as a trace.
func (x *Excerpt) Write(to io.Writer, about About) error {
	w, err := x.open(to, about)
	if err != nil {
		return err
	}
	for _, r := range x.records {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	return w.Close()
}

func (x *Excerpt) open(to io.Writer, about About) (*trace.Writer, error) {
	if x.base == nil {
		return trace.NewWriter(to, x.header)
	}
	options, err := OptionsOf(x.header)
	if err != nil {
		return nil, err
	}
	about.Kubelet = x.header.Kubelet
	w, err := openTrace(to, x.base, options, about)
	if errors.Is(err, engine.ErrUnsettled) {
		w, err = openTraceOf(to, x.base, options, about, trace.FromSnapshot)
	}
	return w, err
}
