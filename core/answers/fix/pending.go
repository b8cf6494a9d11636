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
	var of []*diagnose.Group
	var each [][]change.Change
	for _, g := range groups {
		if changes := g.Changes(); len(changes) > 0 {
			of, each = append(of, g, g), append(each, changes, changes[:min(len(changes), 1)])
			if len(changes) <= together {
				each[len(each)-1] = changes
			}
		}
	}
	all := Try(e, each)
	for i := 0; i < len(of); i += 2 {
		g, whole, printed := of[i], &all[i], &all[i+1]
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
	var pods []world.PodRef
	for _, g := range groups {
		if e.Profile(g.Pods[0].Spec.SchedulerName) != nil {
			pods = append(pods, refsOf(g.Pods)...)
		}
	}
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
