package diagnose

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// maxAdded bounds the nodes that Capacity adds.
//
//orrery:limit answers; nodes that the question for capacity adds; it answers that more are needed
const maxAdded = 64

// Capacity returns the fewest nodes like an existing one that place all the pods which more nodes can place, and how many
// pods those are; zero nodes if more nodes place none. The node is the largest that takes pods.
func Capacity(e *engine.Engine, groups []*Group) (like string, nodes, places int, err error) {
	pods := OfProfiles(e, groups)
	template := largestOpenNode(e)
	if template == "" || len(pods) == 0 {
		return "", 0, 0, nil
	}
	count := func(n int) int {
		if err != nil {
			return 0
		}
		var placed int
		placed, err = placedWith(e, pods, template, n)
		return placed
	}
	most := count(maxAdded)
	if most == 0 {
		return "", 0, 0, err
	}
	// The smallest n in (low, high] that places as many as the greatest does.
	low, high := 0, maxAdded
	for high-low > 1 {
		if middle := (low + high) / 2; count(middle) >= most {
			high = middle
		} else {
			low = middle
		}
	}
	if high == 1 && count(0) >= most {
		return "", 0, 0, err
	}
	return template, high, most, err
}

// OfProfiles returns the pods of groups that a profile of the engine is for.
func OfProfiles(e *engine.Engine, groups []*Group) []*v1.Pod {
	var pods []*v1.Pod
	for _, g := range groups {
		if e.Profile(g.Pods[0].Spec.SchedulerName) != nil {
			pods = append(pods, g.Pods...)
		}
	}
	return pods
}

func largestOpenNode(e *engine.Engine) string {
	name := ""
	var best *v1.Node
	for o := range e.Store().Objects(world.Node) {
		n := o.(*v1.Node)
		if n.Spec.Unschedulable || slices.ContainsFunc(n.Spec.Taints, func(t v1.Taint) bool { return repels(&t) }) {
			continue
		}
		if best == nil || cmp.Or(n.Status.Allocatable.Cpu().Cmp(*best.Status.Allocatable.Cpu()),
			n.Status.Allocatable.Memory().Cmp(*best.Status.Allocatable.Memory()), cmp.Compare(name, n.Name)) > 0 {
			best, name = n, n.Name
		}
	}
	return name
}

// placedWith counts the pods that are placed with so many more nodes.
func placedWith(e *engine.Engine, pods []*v1.Pod, like string, nodes int) (int, error) {
	f, err := e.Fork()
	if err != nil {
		return 0, err
	}
	for range nodes {
		for _, event := range eventsOf(f, nil, change.Change{Verb: change.AddNodes, Name: like}) {
			if err := f.Apply(world.Input{At: f.Now(), Event: event}); err != nil {
				return 0, err
			}
		}
	}
	return decided(f, pods), nil
}
