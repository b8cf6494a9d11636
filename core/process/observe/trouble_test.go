package observe

import (
	"errors"
	"testing"
	"time"

	"orrery/core/process/contact"
)

// What is kept is the past after ten seconds without the API server, and when changes wait for as long; a reconnect is none of that.
func TestStanding_Trouble(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	lost := errors.New("connection refused")
	for name, c := range map[string]struct {
		standing
		want string
	}{
		"fresh":      {standing{}, ""},
		"well":       {standing{contact: contact.State{Heard: ago(time.Second)}, events: 5, lasting: time.Second, sampled: ago(time.Second)}, ""},
		"reconnects": {standing{contact: contact.State{Lost: lost, LostSince: ago(9 * time.Second)}}, ""},
		"lost": {
			standing{contact: contact.State{Lost: lost, LostSince: ago(10 * time.Second)}, lasting: time.Minute},
			"the API server is lost since 08:59:50: connection refused",
		},
		"silent": {
			standing{contact: contact.State{Silent: true, Heard: ago(12 * time.Second)}},
			"nothing is heard from the API server since 08:59:48",
		},
		"stuck":  {standing{sampled: ago(time.Minute)}, "the engine does not answer since 08:59:00"},
		"behind": {standing{events: 1, lasting: 11 * time.Second, sampled: now}, "falls behind the cluster since 08:59:49: 1 change to apply"},
	} {
		if got := c.trouble(now); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
