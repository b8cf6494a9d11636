package diagnose

import (
	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// placedBy counts the pods that the engine's next decisions place in a fork with a change, which is made to each pod, or
// once to something else.
func placedBy(e *engine.Engine, pods []*v1.Pod, c change.Change) (int, error) {
	f, err := e.Fork()
	if err != nil {
		return 0, err
	}
	for i, own := range changesTo(pods, c) {
		for _, event := range eventsOf(f, pods[i], own) {
			_ = f.Apply(world.Input{At: f.Now(), Event: event}) // a refused change places nothing
		}
	}
	return decided(f, pods), nil
}

// changesTo returns a change as it is made to each pod, in their order; one to something that is not a pod's own is made once.
func changesTo(pods []*v1.Pod, c change.Change) []change.Change {
	var changes []change.Change
	for _, pod := range pods {
		own := c
		switch {
		case ofPod(c):
			own.Name = world.PodRefOf(pod).String()
		case ofClaim(c):
			own = ofOwnClaim(c, pods[0], pod)
		}
		if pod != pods[0] && own.String() == c.String() {
			break
		}
		changes = append(changes, own)
	}
	return changes
}

// decided tries each of the pods once, whatever its back-off, and counts those that are placed. Other pods have their
// turns before and between them. Where one is not placed, those that differ from it in nothing but their names are not
// tried: a pod after it finds no more room.
func decided(f *engine.Engine, pods []*v1.Pod) int {
	untried := map[types.UID]*v1.Pod{}
	var activate world.ActivateRequest
	for _, pod := range pods {
		untried[pod.UID] = pod
		activate.Activate = append(activate.Activate, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	}
	if err := f.Apply(world.Input{At: f.Now(), Event: activate}); err != nil {
		return 0
	}
	placed := 0
	for steps := 4*len(pods) + 1000; len(untried) > 0 && steps > 0; steps-- { // a placed pod may requeue others again and again
		d, more := f.Step()
		if !more {
			break
		}
		pod := untried[d.Pod.UID]
		delete(untried, d.Pod.UID)
		switch {
		case pod == nil:
		case d.Verdict == engine.Placed:
			placed++
		default:
			dropTwins(f, pod, pods, untried)
		}
	}
	return placed
}

// dropTwins deletes the untried pods that are like one that was not placed.
func dropTwins(f *engine.Engine, failed *v1.Pod, pods []*v1.Pod, untried map[types.UID]*v1.Pod) {
	for _, pod := range pods {
		if untried[pod.UID] != nil && alike(pod, failed) {
			delete(untried, pod.UID)
			_ = f.Apply(world.Input{At: f.Now(), Event: world.Changed{Op: world.Deleted, Object: pod}}) // it exists, so it can go
		}
	}
}

// alike reports whether two pods are the same to all plugins but for their names.
func alike(a, b *v1.Pod) bool {
	return a.Namespace == b.Namespace && apiequality.Semantic.DeepEqual(&a.Spec, &b.Spec) && apiequality.Semantic.DeepEqual(a.Labels, b.Labels)
}
