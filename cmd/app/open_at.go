package app

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/config"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace/play"
)

// openedAt is a trace with a player at a requested position.
type openedAt struct {
	*play.Player
	trace string
	at    time.Time // the requested time: the latest record may be earlier
	// position is what --at takes for the same: the time since the start, or the number of records if that was given,
	// which is exact where several have the same time. Empty for a cluster.
	position string
	// again is how a what-if of the same source at the same position begins, up to its changes.
	again string
	// source is the cluster that was read; nil for a trace.
	source *sourceDocument
	// rate is that of a scheduler that runs; nil for others.
	rate *diagnose.Rate
	// cluster is the one that was read, and configuration its scheduler's; nil for others.
	cluster       *cluster
	configuration *config.Configuration
	// leader is whether a scheduler leads; nil if that is not known.
	leader *leaderDocument
	// damage is where the trace cannot be read any more; nil if it can, or lacks its end mark only.
	damage *damageDocument
	// fallback says that neither a trace nor a cluster was named.
	fallback bool
}

// release returns the release of Kubernetes that is decided as.
func (s *openedAt) release() modelled.Release { return s.Engine().Features().Release() }

// fallbackText says which recording is asked where nothing was named.
func (s *openedAt) fallbackText() string {
	return "there is no kubeconfig: the answer is of the built-in recording " + s.trace
}

// openTraceAt opens a trace and plays it up to a position, as --at gives it; empty means the end. A damaged trace is
// played up to the damage, with a warning.
func openTraceAt(c *cobra.Command, o play.Options, arg, at string) (*openedAt, error) {
	rec, err := openTraceWith(c, arg, at)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	p := newProgress(c, "reading "+rec.name)
	defer p.done()
	defer collectLess()()
	if rec.segment != nil {
		o.Until, at = rec.segment.at, rec.segment.exactly(at)
	}
	player, err := play.NewPlayer(p.reading(rec, rec.size), o)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", rec.name, err)
	}
	p.done()
	s := &openedAt{Player: player, trace: rec.name, at: player.End().Time}
	if d := damageOf(player.Damage()); !d.harmless() {
		s.damage = d
		warn(c, d.Message+"; everything before it is used")
	}
	n := player.End().Record
	number, numbered := strings.CutPrefix(at, "@")
	if numbered {
		n, err = s.parseRecord(number)
	} else if at != "" {
		s.at, err = parseTimeWithin(at, player.Start().Time, player.End().Time, rec.segment)
		n = player.RecordAt(s.at)
	}
	if err != nil {
		return nil, fmt.Errorf("--at %q: %w", at, err)
	}
	p = newProgress(c, "playing "+rec.name)
	defer p.done()
	for player.At().Record < n {
		if _, err := player.Step(); err != nil {
			return nil, fmt.Errorf("playing %s: %w", rec.name, err)
		}
		p.update(func() string { return fmt.Sprintf("%d%%", 100*player.At().Record/n) })
	}
	if s.position = offsetText(s.at.Sub(player.Start().Time)); numbered {
		s.at, s.position = player.At().Time, at
	} else if rec.segment != nil {
		s.position = s.at.UTC().Format(time.RFC3339Nano)
	}
	s.again = whatIfWords(c, "--trace "+change.ShellWord(arg)+" --at "+s.position+" "+repeatFlags(c, []string{kubernetesFlag}))
	return s, nil
}

// parseRecord parses a number of records within the trace.
func (s *openedAt) parseRecord(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if most := s.End().Record; err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("after an @ it takes a number of records, and the trace has %d", most)
	}
	return n, nil
}

// openTraceWith opens a trace that is asked about a position: of a directory, the segment that has it.
func openTraceWith(c *cobra.Command, arg, at string) (*recording, error) {
	if isDirectory(arg) {
		return openSegment(arg, at)
	}
	return openTrace(c, arg)
}

// parseTimeWithin parses a time of a trace with that start and end; in is its place in a recording on disk, if it is of one.
// People round times, so one just after the end means the end.
func parseTimeWithin(text string, first, last time.Time, in *segmentPlace) (time.Time, error) {
	t, err := parseMoment(text, first)
	switch {
	case err != nil:
		return t, err
	case t.Before(first), isClock(text) && first.Sub(t.Add(-24*time.Hour)) < t.Sub(last): // it was meant of the first day
		return t, fmt.Errorf("the trace begins only at %s", timeText(first))
	case t.Sub(last) >= time.Second:
		return t, afterEnd(first, last, in)
	case t.After(last):
		return last, nil
	}
	return t, nil
}

// afterEnd returns the error of a time after the end of a trace.
func afterEnd(first, last time.Time, in *segmentPlace) error {
	if in != nil && !in.next.IsZero() {
		return fmt.Errorf("nothing was recorded from %s to %s", timeText(last), timeText(in.next))
	}
	return fmt.Errorf("the trace ends at %s, %s after its beginning", timeText(last), offsetText(last.Sub(first)))
}
