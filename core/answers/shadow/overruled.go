package shadow

import (
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
)

// maxOverruled bounds the kept results.
//
//orrery:limit shadow; overruled decisions that are kept; the oldest goes
const maxOverruled = 512

// Overruled is a pod that the other scheduler bound to another node than the shadowed engine.
type Overruled struct {
	Real, Ours string
	// Compared says that the comparison is done, with the result Class. RealFeasible and OursFeasible say which of the
	// two nodes are feasible in it; Lead is the score of Ours minus that of Real if both are.
	Compared                   bool
	Class                      Class
	RealFeasible, OursFeasible bool
	Lead                       int64
}

// Scored reports whether both nodes have a score.
func (o Overruled) Scored() bool { return o.RealFeasible && o.OursFeasible }

// overruledPods keeps the latest overruled pods.
type overruledPods struct {
	byUID map[types.UID]*Overruled
	order []types.UID // oldest first
}

func newOverruledPods() overruledPods { return overruledPods{byUID: map[types.UID]*Overruled{}} }

func (l *overruledPods) add(uid types.UID, actual, ours string) {
	if l.byUID[uid] == nil {
		if l.order = append(l.order, uid); len(l.order) > maxOverruled {
			delete(l.byUID, l.order[0])
			l.order = l.order[1:]
		}
	}
	l.byUID[uid] = &Overruled{Real: actual, Ours: ours}
}

// compared sets the result for a pod from the ranking of all nodes at the real decision. It ignores pods that were not
// overruled.
func (l *overruledPods) compared(uid types.UID, class Class, r *engine.Ranking) {
	o := l.byUID[uid]
	if o == nil {
		return
	}
	actual, ours := r.ScoreOf(o.Real), r.ScoreOf(o.Ours)
	o.Compared, o.Class, o.RealFeasible, o.OursFeasible = true, class, actual != nil, ours != nil
	if o.Scored() {
		o.Lead = ours.TotalScore - actual.TotalScore
	}
}

// Overruled returns how a pod's node and the one of the shadowed engine compare; false unless the two differ, or if that was
// too many pods ago.
func (j *Comparator) Overruled(uid types.UID) (Overruled, bool) {
	if o := j.overruled.byUID[uid]; o != nil {
		return *o, true
	}
	return Overruled{}, false
}
