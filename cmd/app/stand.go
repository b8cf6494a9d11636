package app

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/trace/play"
)

// standpoint is a trace that is played up to a moment, where it can be asked.
type standpoint struct {
	*play.Player
	trace string
	at    time.Time // the moment that was asked for: the latest record may be earlier
	// numbered says that it was asked for by the number of records, because more of them may be of the same time.
	numbered bool
	// source is the cluster that was read; nil for a trace.
	source *sourceDocument
}

// stand opens a trace and plays it up to a moment, as people write one; nothing is its end. A damaged trace is played up
// to the damage, and stderr says so.
func stand(c *cobra.Command, plugins framework.Registry, arg, at string) (*standpoint, error) {
	rec, err := openTrace(c, arg)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	p := newProgress(c, "reading "+rec.name)
	defer p.done()
	player, err := play.NewPlayer(p.reading(rec, rec.size), play.Options{Adjust: func(o *engine.Options) { o.Plugins = plugins }})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", rec.name, err)
	}
	p.done()
	if d := damageOf(player.Damage()); d != nil && !d.Unfinished {
		warn(c, d.Message+"; everything before it is used")
	}
	s := &standpoint{Player: player, trace: rec.name, at: player.End().Time}
	n := player.End().Record
	if number, numbered := strings.CutPrefix(at, "@"); numbered {
		n, err = s.record(number)
		s.numbered = true
	} else if at != "" {
		s.at, err = s.moment(at)
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
		p.say(func() string { return fmt.Sprintf("%d%%", 100*player.At().Record/n) })
	}
	if s.numbered {
		s.at = player.At().Time
	}
	return s, nil
}

// record reads a number of records that the trace has.
func (s *standpoint) record(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if most := s.End().Record; err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("after an @ it takes a number of records, and the trace has %d", most)
	}
	return n, nil
}

// moment reads a time that the trace has something to say about. Times are shown rounded, so one just after its end is
// the end.
func (s *standpoint) moment(text string) (time.Time, error) {
	first, last := s.Start().Time, s.End().Time
	t, err := parseMoment(text, first)
	switch {
	case err != nil:
		return t, err
	case t.Before(first):
		return t, fmt.Errorf("the trace begins only at %s", clock(first))
	case t.Sub(last) >= time.Second:
		return t, fmt.Errorf("the trace ends at %s, %s after its beginning", clock(last), offset(last.Sub(first)))
	case t.After(last):
		return last, nil
	}
	return t, nil
}
