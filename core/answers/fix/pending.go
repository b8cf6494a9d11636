package fix

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Confirm tries the fix of each group as its commands are run, and leaves out what brings no pod a node that it would not have without. Of
// more pods than are asked about together there is a command for the first alone, which is tried, too.
func Confirm(e *engine.Engine, groups []*diagnose.Group, together int) {
	type fixed struct {
		*diagnose.Group
		whole, printed int // which of those that are tried are its changes, and its command
	}
	var of []fixed
	var each [][]change.Change
	for _, g := range groups {
		changes := g.Changes()
		if len(changes) == 0 {
			continue
		}
		of, each = append(of, fixed{g, len(each), len(each)}), append(each, changes)
		if len(changes) > together {
			of[len(of)-1].printed, each = len(each), append(each, changes[:1])
		}
	}
	all := Try(e, each)
	for _, g := range of {
		whole, printed := &all[g.whole], &all[g.printed]
		if whole.Err != nil || printed.Err != nil || whole.strands() || printed.Of(world.PodRefOf(g.Pods[0])).Node == "" {
			g.Fix, g.Places = nil, 0
			continue
		}
		pods := refsOf(g.Pods)
		if g.Places = whole.Placed(pods); g.Places <= whole.PlacedWithout(pods) {
			g.Fix, g.Places = nil, 0
		}
	}
}

// Capacity returns the fewest nodes like an existing one that place all pods of some groups which more nodes can place, and how many of
// them have a node then; zero nodes if more nodes place none. Package diagnose knows where to begin: it adds nodes without what comes with
// them. A daemon may find a new node full, as the pods that wait are older.
func Capacity(e *engine.Engine, groups []*diagnose.Group) (like string, nodes, places int, err error) {
	like, least, _, err := diagnose.Capacity(e, groups)
	if err != nil || least == 0 {
		return "", 0, 0, err
	}
	pods := refsOf(diagnose.OfProfiles(e, groups))
	most := &Try(e, adding(like, []int{maxNodes}))[0]
	if most.Err != nil || most.Placed(pods) <= most.PlacedWithout(pods) {
		return "", 0, 0, nil
	}
	places = most.Placed(pods)
	nodes, with := FewestNodes(e, like, least, func(t *Tried) bool { return t.Placed(pods) >= places })
	if with == nil {
		return "", 0, 0, nil
	}
	return like, nodes, places, nil
}

func refsOf(pods []*v1.Pod) []world.PodRef {
	refs := make([]world.PodRef, len(pods))
	for i, pod := range pods {
		refs[i] = world.PodRefOf(pod)
	}
	return refs
}
