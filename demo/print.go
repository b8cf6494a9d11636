package demo

import (
	"fmt"
	"io"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/world"
)

// Print plays a day to its end, as fast as it goes, with a scheduler of these options, and writes a line for everything
// that the scheduler wants done.
func Print(w io.Writer, day *Day, o engine.Options) error {
	began := day.Cluster.Now()
	o.Start = began
	e, err := engine.New(o)
	if err != nil {
		return err
	}
	p := printer{out: w, began: began}
	engine.Drive(e, tap{day.Cluster, &p}, began.Add(day.Length), func(_ world.Input, err error) { p.problem(e.Now(), err) })
	t, counts := e.Tally(), e.Queue().Counts()
	p.line(e.Now(), "end", "%d decisions: %d placed, %d unschedulable; %d bound, %d still waiting; digest %s",
		t.Decisions[engine.Placed]+t.Decisions[engine.Unschedulable], t.Decisions[engine.Placed],
		t.Decisions[engine.Unschedulable], t.Bound, counts.Active+counts.Backoff+counts.Unschedulable, e.Digest())
	return p.err
}

// tap is a world that writes down the effects on their way.
type tap struct {
	world.World
	printer *printer
}

func (t tap) Do(e world.Effect) {
	t.printer.effect(e)
	t.World.Do(e)
}

type printer struct {
	out   io.Writer
	began time.Time
	err   error // the first error of out
}

func (p *printer) effect(e world.Effect) {
	switch a := e.Act.(type) {
	case world.Bind:
		p.line(e.At, "bind", "%s to %s", a.Pod, a.Node)
	case world.Delete:
		p.line(e.At, "evict", "%s", a.Pod)
	case world.Announce:
		p.line(e.At, a.Reason, "%s: %s", a.Regarding, a.Note)
	case world.PatchStatus:
		if a.NominatedNode != nil && *a.NominatedNode != "" {
			p.line(e.At, "nominate", "%s for %s", *a.NominatedNode, a.Pod)
		}
	}
}

func (p *printer) problem(at time.Time, err error) {
	if err != nil {
		p.line(at, "problem", "%v", err)
	}
}

const lineMost = 200

func (p *printer) line(at time.Time, what, format string, args ...any) {
	text := printable.Line(fmt.Sprintf(format, args...), lineMost)
	if _, err := fmt.Fprintf(p.out, "%8.3fs  %-16s %s\n", at.Sub(p.began).Seconds(), printable.Line(what, 16), text); err != nil && p.err == nil {
		p.err = fmt.Errorf("writing what happened: %w", err)
	}
}
