package views

import "orrery/themes"

// PodState is a pod's state as the screen shows it.
type PodState uint8

// The states.
const (
	Created PodState = iota
	Active
	Backoff
	Unschedulable
	Gated
	InFlight
	Bound
	Nominated
	Terminating
	Evicted
	Deleted
	// Decided: this scheduler has a node for the pod, and leaves it to another to bind it.
	Decided

	podStates
)

type glyphStyle struct {
	glyph       rune
	word, short string
	token       themes.Token
}

var podStateStyles = [podStates]glyphStyle{
	Created:       {'·', "new", "new", themes.Dim},
	Active:        {'●', "active", "active", themes.Active},
	Backoff:       {'◔', "backing off", "backoff", themes.Backoff},
	Unschedulable: {'✗', "unschedulable", "unsched", themes.Bad},
	Gated:         {'◌', "gated", "gated", themes.Gated},
	InFlight:      {'➤', "in flight", "flight", themes.InFlight},
	Bound:         {'✓', "bound", "bound", themes.Good},
	Nominated:     {'⚑', "nominated", "nominee", themes.Nominated},
	Terminating:   {'▼', "terminating", "term.", themes.Terminating},
	Evicted:       {'☠', "evicted", "evicted", themes.Terminating},
	Deleted:       {'○', "deleted", "deleted", themes.Dim},
	Decided:       {'▹', "decided", "decided", themes.InFlight},
}

// searched is what a filter finds a state by: all that the screen shows of it, the word, the short word and the sign.
func (l *glyphStyle) searched() string { return l.word + " " + l.short + " " + string(l.glyph) }

// podStateSearched is that of every state of a pod: lists of pods are long.
var podStateSearched = func() (all [podStates]string) {
	for i := range podStateStyles {
		all[i] = podStateStyles[i].searched()
	}
	return all
}()

// Glyph returns the state's sign.
func (s PodState) Glyph() rune { return podStateStyles[s].glyph }

// Word returns the state's name.
func (s PodState) Word() string { return podStateStyles[s].word }

// Short returns the state's name in at most seven columns.
func (s PodState) Short() string { return podStateStyles[s].short }

// Token returns the state's colour.
func (s PodState) Token() themes.Token { return podStateStyles[s].token }
