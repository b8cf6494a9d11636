package consolidate

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"orrery/core/objects/requests"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// hasRoom reports whether the pods that room is made for fit one beside the other, with the emptied nodes open again.
func hasRoom(e *engine.Engine, gone map[string]bool, pods []*v1.Pod) (bool, error) {
	var events []world.Event
	for name := range e.Cache().NodeOrder() {
		if gone[name] {
			node := e.Store().Node(name).DeepCopy()
			node.Spec.Unschedulable, node.ResourceVersion = false, ""
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t v1.Taint) bool { return t.Key == v1.TaintNodeUnschedulable })
			events = append(events, world.Changed{Op: world.Modified, Object: node})
		}
	}
	trial, err := e.Trial(events...)
	if err != nil {
		return false, fmt.Errorf("trying whether there is room: %w", err)
	}
	for _, pod := range pods {
		free := *pod
		if trial.Place(&free, "") == "" {
			return false, nil
		}
	}
	return true, nil
}

// wouldTake reports whether the node takes one of the pods by its labels, taints and size, once it is empty.
func wouldTake(node *v1.Node, pods []*v1.Pod) bool {
	for _, pod := range pods {
		_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, func(t *v1.Taint) bool {
			return t.Effect != v1.TaintEffectPreferNoSchedule
		}, true)
		match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
		fits := !untolerated && err == nil && match
		for name, q := range requests.Of(pod, resource.PodResourcesOptions{}) {
			fits = fits && requests.Amount(name, q) <= requests.AmountOf(node.Status.Allocatable, name)
		}
		if fits {
			return true
		}
	}
	return false
}

// onlyForRoom leaves the candidates that the pods that room is made for would go to.
func (s *search) onlyForRoom() {
	if len(s.options.Room) == 0 {
		return
	}
	var left []candidate
	for _, c := range s.left {
		if node := s.walk.Engine().Store().Node(c.node); wouldTake(node, s.options.Room) {
			left = append(left, c)
			continue
		}
		s.plan.Blocked = append(s.plan.Blocked, Blocked{Node: c.node, Kind: NotReached, Detail: "it would not take the pods that room is made for"})
	}
	s.left = left
}

// roomVerdict says in one line what is done for the pods that room is made for.
func (p *Plan) roomVerdict() string {
	n, freed := plural.Count(p.RoomFor, "pod"), len(p.Freed())
	switch {
	case p.HasRoom && freed == 0:
		return "there is room for " + n + " as it is"
	case p.HasRoom:
		return fmt.Sprintf("room for %s is made by emptying %s, in %s that %s", n, plural.Count(freed, "node"), plural.Count(len(p.Waves), "wave"), moves(len(p.Moves)))
	}
	return "no room for " + n + " was found"
}
