package app

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	"orrery/core/trace"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
)

// attachFlag is the flag of explain and whatif, and theLeader its value if it has none.
const (
	attachFlag = "attach"
	theLeader  = "leader"
)

// rateWindow is how long the rate of decisions is measured.
const rateWindow = time.Minute

// openAttached reads the state of a running scheduler, and what it did in the last minute.
func (a *target) openAttached(c *cobra.Command, plugins framework.Registry) (*openedAt, error) {
	for _, name := range []string{"trace", "at", "config"} {
		if c.Flags().Changed(name) {
			return nil, fmt.Errorf("--attach and --%s: a running scheduler is asked as it is now, by its own configuration", name)
		}
	}
	target, text := a.attach, "--attach="+change.ShellWord(a.attach)+" "
	if target == theLeader {
		target, text = "", "--attach "
	}
	from, err := a.running.connector(c, &a.connection, target, "")
	if err != nil {
		return nil, err
	}
	p := newProgress(c, "attaching")
	defer p.done()
	defer collectLess()()
	stream, err := from.connect(c.Context(), rateWindow)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	p.update(func() string { return "reading the state of " + stream.Where })
	player, err := attach.Snapshot(stream, play.Options{Adjust: a.adjust(plugins)})
	if err != nil {
		return nil, err
	}
	if first := player.Report().First; first != nil {
		return nil, fmt.Errorf("reading the state of %s: this program, %s, decides differently from the scheduler's, %s: ask with that version: %v",
			stream.Where, version(), printable.Line(stream.Version, 40), first)
	}
	s := &openedAt{Player: player, trace: stream.Where, at: player.End().Time, rate: newDecisionRate(player)}
	s.source = &sourceDocument{
		Cluster: from.cluster.name, Server: from.cluster.server, ReadAt: momentOf(s.at), Configuration: "scheduler",
		Unread:    []unreadableDocument{},
		Scheduler: &schedulerDocument{Identity: stream.Identity, Where: stream.Where, Leading: stream.Leading, Observing: stream.Observing, Version: stream.Version},
	}
	s.again = whatIfWords(c, text+a.clusterFlags(c)+repeatFlags(c, schedulerTargetFlagNames))
	return s, nil
}

// text writes the scheduler as the source of an answer.
func (d *schedulerDocument) text(w io.Writer, at moment) {
	who := d.Where
	if d.Identity != "" {
		who += ", " + d.Identity
	}
	what := "the running scheduler: "
	switch {
	case d.Observing:
		what = "an observer, which decides beside the cluster's scheduler: "
	case !d.Leading:
		who += ", which does not lead"
	}
	section(w, "Source", [][]string{
		{"scheduler", what + printable.Line(who, 300) + ", at " + string(at)},
		{"configuration", "its own, and its own state"},
	})
}

// newDecisionRate counts the decisions of the last minute, or of the time that is held of it.
func newDecisionRate(p *play.Player) *diagnose.Rate {
	end := p.End().Time
	s := &diagnose.Rate{Window: min(end.Sub(p.Start().Time), rateWindow)}
	for _, r := range p.Records() {
		if _, ok := r.Body.(trace.Decision); ok && end.Sub(r.At) < rateWindow {
			s.Decisions++
		}
	}
	return s
}
