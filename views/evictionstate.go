package views

import "orrery/themes"

// EvictionState is an eviction's state as its row shows it.
type EvictionState uint8

// The states, in the order in which the pane's heading counts them.
const (
	StateTerminating EvictionState = iota
	StateCounting
	StatePredicted
	StateBlocked
	StateOverdue
	StateDeleted
	StateCancelled
	StateKilled

	evictionStates
)

var evictionLooks = [evictionStates]glyphStyle{
	StateTerminating: {'▼', "terminating", "", themes.Terminating},
	StateCounting:    {'◔', "counting", "", themes.Warn},
	StatePredicted:   {'◌', "predicted", "", themes.Nominated},
	StateBlocked:     {'⊘', "blocked", "", themes.Gated},
	StateOverdue:     {'▼', "overdue", "", themes.Bad},
	StateDeleted:     {'☠', "deleted", "", themes.Dim},
	StateCancelled:   {'✓', "cancelled", "", themes.Good},
	StateKilled:      {'✗', "killed", "", themes.Bad},
}

func (s EvictionState) String() string { return evictionLooks[s].word }

// phaseStates are the states of the phases.
var phaseStates = [...]EvictionState{
	EvictionPredicted: StatePredicted, EvictionCountingDown: StateCounting, EvictionBlocked: StateBlocked,
	EvictionTerminating: StateTerminating, EvictionDone: StateDeleted, EvictionCancelled: StateCancelled,
	EvictionKilled: StateKilled,
}

// State returns the eviction's state. What another controller does, and was not observed, is called predicted.
func (d *Eviction) State() EvictionState {
	switch {
	case d.Overdue:
		return StateOverdue
	case d.ByOther && (d.Phase == EvictionCountingDown || d.Phase == EvictionTerminating):
		return StatePredicted
	}
	return phaseStates[d.Phase]
}

// EvictionCounts is how many evictions of a list are in each state.
type EvictionCounts [evictionStates]int

// Add counts an eviction.
func (c *EvictionCounts) Add(d *Eviction) { c[d.State()]++ }

// evictionCounts draws the counts that are not zero.
func (r *rowWriter) evictionCounts(c *EvictionCounts) *rowWriter {
	for state, n := range c {
		if n > 0 {
			r.number(themes.Style(evictionLooks[state].token), "", n, evictionLooks[state].word)
		}
	}
	return r
}
