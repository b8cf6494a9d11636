package observe

import (
	"fmt"
	"time"

	"orrery/core/process/contact"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
)

const (
	// lostAfter is how long the API server is away until what is kept counts as the past: less is a reconnect.
	lostAfter = 10 * time.Second
	// behindAfter is how long events wait without a break until the observer counts as one that does not keep up.
	//
	//orrery:limit scheduler; how long changes wait for an observer without a break; it says that it falls behind, and its readiness fails
	behindAfter = 10 * time.Second
	// stuckAfter is how long the engine may take for what it does at once.
	stuckAfter = 30 * time.Second
)

// standing is how an observer stands with the cluster.
type standing struct {
	contact contact.State
	events  int
	lasting time.Duration // for which there was always an event that waits
	sampled time.Time     // when the engine last answered; zero if it never did
}

func (b *Observer) standing() standing {
	s := standing{contact: b.monitor.State(), sampled: b.process.SampledAt()}
	s.events, s.lasting = b.cluster.Backlog()
	return s
}

// trouble says why what is kept is not the cluster's present; empty if it is.
func (s *standing) trouble(now time.Time) string {
	c := &s.contact
	switch {
	case c.Lost != nil && now.Sub(c.LostSince) >= lostAfter:
		return fmt.Sprintf("the API server is lost since %s: %s", clock(c.LostSince), printable.Line(c.Lost.Error(), 160))
	case c.Silent && now.Sub(c.Heard) >= lostAfter:
		return fmt.Sprintf("nothing is heard from the API server since %s", clock(c.Heard))
	case !s.sampled.IsZero() && now.Sub(s.sampled) >= stuckAfter:
		return fmt.Sprintf("the engine does not answer since %s", clock(s.sampled))
	case s.lasting >= behindAfter:
		return fmt.Sprintf("falls behind the cluster since %s: %s to apply", clock(now.Add(-s.lasting)), plural.Count(s.events, "change"))
	}
	return ""
}

func clock(t time.Time) string { return t.UTC().Format(time.TimeOnly) }

// noteTrouble looks at how it stands, and logs when trouble begins and ends.
func (b *Observer) noteTrouble(now time.Time) {
	s := b.standing()
	why, was := s.trouble(now), *b.trouble.Load()
	b.trouble.Store(&why)
	switch {
	case why != "" && was == "":
		b.options.Logger.Error(nil, "What is observed is not the cluster's present: "+why)
	case why == "" && was != "":
		b.options.Logger.Info("What is observed is the cluster's present again", "was", was)
	}
}

// Health returns why what is kept is not the cluster's present; nil if it is. It is the check of /healthz and /readyz.
func (b *Observer) Health() error {
	s := b.standing()
	if why := s.trouble(time.Now()); why != "" {
		return fmt.Errorf("%s", why)
	}
	return nil
}
