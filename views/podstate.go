package views

import "orrery/themes"

// PodState is where a pod is in its life, as the screen tells it.
type PodState uint8

// The states.
const (
	Unseen PodState = iota
	Active
	Backoff
	Unschedulable
	Gated
	InFlight
	Bound
	Nominated
	Leaving
	Evicted
	Gone

	podStates
)

type look struct {
	glyph       rune
	word, short string
	token       themes.Token
}

var looks = [podStates]look{
	Unseen:        {'·', "new", "new", themes.Dim},
	Active:        {'●', "active", "active", themes.Active},
	Backoff:       {'◔', "backing off", "backoff", themes.Backoff},
	Unschedulable: {'✗', "unschedulable", "unsched", themes.Bad},
	Gated:         {'◌', "gated", "gated", themes.Gated},
	InFlight:      {'➤', "in flight", "flying", themes.InFlight},
	Bound:         {'✓', "bound", "bound", themes.Good},
	Nominated:     {'⚑', "nominated", "nomin.", themes.Nominated},
	Leaving:       {'▼', "leaving", "leaving", themes.Leaving},
	Evicted:       {'☠', "evicted", "evicted", themes.Leaving},
	Gone:          {'○', "gone", "gone", themes.Dim},
}

// Glyph is the state's sign.
func (s PodState) Glyph() rune { return looks[s].glyph }

// Word is the state in words, Short the same in at most seven columns.
func (s PodState) Word() string { return looks[s].word }

// Short is the state in at most seven columns.
func (s PodState) Short() string { return looks[s].short }

// Token is the state's colour.
func (s PodState) Token() themes.Token { return looks[s].token }
