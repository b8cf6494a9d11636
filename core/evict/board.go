package evict

import (
	"cmp"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/printable"
)

// Board is the record of departures. What has ended is kept for a while; what has not is kept until it has.
//
// Several may write on one board. A pod leaves once: after it was written that one has left for a cause, nothing more is
// taken in about that, so that it does not matter who of those who saw it go was first.
type Board struct {
	open     map[key]*Departure // none is changed once it is here, so that forks share them
	ended    []Departure        // oldest first
	left     map[key]struct{}   // those of ended that have left
	outcomes Outcomes
	guards
}

// key tells two departures of one pod apart by their causes.
type key struct {
	uid   types.UID
	cause Cause
}

// endedMost is how many departures are remembered after their end, longestText how much of what is written for people.
const (
	endedMost   = 4096
	longestText = 1024
)

// NewBoard is an empty board.
func NewBoard() *Board {
	return &Board{open: map[key]*Departure{}, left: map[key]struct{}{}, guards: guards{}}
}

// Write puts a departure on the board, in place of what was said of that pod and cause before. When it was first
// noticed is kept. One that has left or was cancelled is closed. What is for people is made printable, as taints and
// messages are written by somebody else.
func (b *Board) Write(d Departure) {
	k := key{d.Pod.UID, d.Cause}
	if _, gone := b.left[k]; gone {
		return
	}
	d.By, d.Why = printable.Line(d.By, longestText), printable.Line(d.Why, longestText)
	if was := b.open[k]; was != nil {
		if !was.Noticed.IsZero() {
			d.Noticed = was.Noticed
		}
		d.Foretold = d.Foretold.after(was.Foretold, d.Phase == Leaving || was.Phase == Leaving)
	}
	b.check(&d)
	if d.Phase != Left && d.Phase != Cancelled {
		b.open[k] = &d
		return
	}
	delete(b.open, k)
	if d.Phase == Left {
		b.left[k] = struct{}{}
	}
	b.ended = append(b.ended, d)
	if len(b.ended) >= 2*endedMost {
		b.forget(len(b.ended) - endedMost)
	}
}

// check settles what was foretold of a departure, if that can be told by now.
func (b *Board) check(d *Departure) {
	f := &d.Foretold
	if f.Outcome == Pending {
		f.Instead = printable.Line(f.Instead, longestText)
		f.Outcome = d.settle()
		if f.Outcome != Pending {
			b.outcomes[f.Outcome]++
		}
	}
}

// Outcomes counts what came of everything that was foretold, what the board has forgotten included.
func (b *Board) Outcomes() Outcomes { return b.outcomes }

// forget drops the oldest of the departures that are over.
func (b *Board) forget(n int) {
	for i := range b.ended[:n] {
		if d := &b.ended[i]; d.Phase == Left {
			delete(b.left, key{d.Pod.UID, d.Cause})
		}
	}
	b.ended = slices.Clone(b.ended[n:])
}

// Find is what the board says of a pod and a cause, if it is not over.
func (b *Board) Find(pod types.UID, cause Cause) (Departure, bool) {
	if d := b.open[key{pod, cause}]; d != nil {
		return b.upToDate(d), true
	}
	return Departure{}, false
}

// Open lists the departures that are not over, the earliest deadline first; those without one come last.
func (b *Board) Open() []Departure {
	list := make([]Departure, 0, len(b.open))
	for _, d := range b.open {
		list = append(list, b.upToDate(d))
	}
	slices.SortFunc(list, func(x, y Departure) int {
		if x.Deadline.IsZero() != y.Deadline.IsZero() {
			if x.Deadline.IsZero() {
				return 1
			}
			return -1
		}
		return cmp.Or(x.Deadline.Compare(y.Deadline), cmp.Compare(x.Pod.String(), y.Pod.String()),
			cmp.Compare(x.Pod.UID, y.Pod.UID), cmp.Compare(x.Cause, y.Cause))
	})
	return list
}

// upToDate is a departure with what its budget allows by now.
func (b *Board) upToDate(d *Departure) Departure {
	twin := *d
	if g := b.named(d.Pod.Namespace, d.Budget); g != nil {
		twin.Allowed = g.pdb.Status.DisruptionsAllowed
	}
	return twin
}

// Ended lists the departures that are over, the oldest first.
func (b *Board) Ended() []Departure {
	return b.ended[max(0, len(b.ended)-endedMost):]
}

// Guard takes note of a disruption budget, or of what has become of it, and says whether it may count other pods than
// before.
func (b *Board) Guard(pdb *policyv1.PodDisruptionBudget) bool { return b.put(pdb) }

// Unguard forgets a budget.
func (b *Board) Unguard(namespace, name string) { b.drop(namespace, name) }

// Guarding is the budget that counts a pod, and how many more pods it lets go: of several the one that lets fewest go,
// and of those the first by name. It is empty if none does.
func (b *Board) Guarding(pod *v1.Pod) (budget string, allowed int32) {
	if g := b.of(pod); g != nil {
		return g.pdb.Name, g.pdb.Status.DisruptionsAllowed
	}
	return "", 0
}

// Guards lists the budgets of a namespace, in the order of their names. The list is not to be changed.
func (b *Board) Guards(namespace string) []*policyv1.PodDisruptionBudget {
	var list []*policyv1.PodDisruptionBudget
	for i := range b.guards[namespace] {
		list = append(list, b.guards[namespace][i].pdb)
	}
	return list
}

// Fork is a copy that goes its own way.
func (b *Board) Fork() *Board {
	return &Board{
		open: maps.Clone(b.open), ended: slices.Clip(b.ended), left: maps.Clone(b.left), outcomes: b.outcomes, guards: maps.Clone(b.guards),
	}
}
