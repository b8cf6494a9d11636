package engine

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/queue"
	"orrery/core/store"
	"orrery/core/world"
)

// podChanged takes a pod's change to the cache if the pod has a node, to the queue if it waits for one of our
// profiles, and wakes whoever the change may help.
func (e *Engine) podChanged(d store.Delta) error {
	was, is := podOf(d.Old), podOf(d.New)
	switch d.Op {
	case world.Added:
		return e.podAdded(is)
	case world.Modified:
		return e.podUpdated(was, is)
	default:
		return e.podRemoved(was)
	}
}

func (e *Engine) podAdded(pod *v1.Pod) error {
	if assigned(pod) {
		return e.podAssigned(pod)
	}
	if e.ours(pod) {
		e.queue.Add(pod, e.now)
	}
	return nil
}

// podAssigned takes in a pod that has a node: one that somebody bound, or our own whose binding is hereby confirmed.
func (e *Engine) podAssigned(pod *v1.Pod) error {
	err := e.cache.AddPod(pod)
	e.queue.Move(queue.EventAssignedPodAdd, nil, pod, e.now, nil)
	return err
}

func (e *Engine) podUpdated(was, is *v1.Pod) error {
	switch {
	case assigned(was):
		err := e.cache.UpdatePod(was, is)
		if was.Spec.NodeName != is.Spec.NodeName { // no API server does that; what it says now holds
			return errors.Join(err, e.podRemoved(was), e.podAdded(is))
		}
		for _, event := range queue.PodUpdates(was, is, e.gates) {
			e.queue.Move(event, was, is, e.now, nil)
		}
		return err
	case assigned(is):
		err := e.podAssigned(is)
		if e.ours(was) {
			e.queue.Assigned(was, is.Spec.NodeName, e.now)
		}
		return err
	case e.ours(is):
		return e.pendingPodUpdated(was, is)
	case e.ours(was):
		return e.podRemoved(was) // it asks for another scheduler now
	}
	return nil
}

func (e *Engine) pendingPodUpdated(was, is *v1.Pod) error {
	if was.ResourceVersion != "" && was.ResourceVersion == is.ResourceVersion {
		return nil
	}
	assumed, err := e.cache.IsAssumedPod(is)
	if err != nil {
		return err
	}
	if assumed {
		if was.DeletionTimestamp == nil && is.DeletionTimestamp != nil {
			return e.assumedPodDeleted(is)
		}
		return nil
	}
	e.queue.Update(was, is, e.now)
	if node := was.Status.NominatedNodeName; node != "" && node != is.Status.NominatedNodeName {
		e.roomFreedByNomination(was)
	}
	return nil
}

func (e *Engine) podRemoved(pod *v1.Pod) error {
	if assigned(pod) {
		err := e.cache.RemovePod(pod)
		e.queue.Move(queue.EventAssignedPodDelete, pod, nil, e.now, nil)
		return err
	}
	if !e.ours(pod) {
		return nil
	}
	e.queue.Delete(pod, e.now)
	assumed, err := e.cache.IsAssumedPod(pod)
	switch {
	case err != nil:
		return err
	case assumed:
		return e.assumedPodDeleted(pod)
	case pod.Status.NominatedNodeName != "":
		e.roomFreedByNomination(pod)
	}
	return nil
}

// assumedPodDeleted handles a pod that is deleted between its placement and its binding: if it still waits for a
// permit it is rejected; otherwise its room is given back at once, and the binding under way will fail.
func (e *Engine) assumedPodDeleted(pod *v1.Pod) error {
	cached, err := e.cache.GetPod(pod)
	if err != nil {
		return err
	}
	if !e.profiles[pod.Spec.SchedulerName].RejectWaitingPod(pod.UID) {
		err = e.cache.ForgetPod(cached)
	}
	e.queue.Move(queue.EventAssignedPodDelete, cached, nil, e.now, nil)
	return err
}

// roomFreedByNomination wakes the pods that the room held for a nominated pod may help: those of no higher priority.
func (e *Engine) roomFreedByNomination(nominated *v1.Pod) {
	most := corev1.PodPriority(nominated)
	e.queue.Move(queue.EventAssignedPodDelete, nominated, nil, e.now, func(pod *v1.Pod) bool {
		return corev1.PodPriority(pod) <= most
	})
}

func assigned(pod *v1.Pod) bool { return pod.Spec.NodeName != "" }

// ours tells whether one of the profiles is asked to place the pod.
func (e *Engine) ours(pod *v1.Pod) bool {
	_, ok := e.profiles[pod.Spec.SchedulerName]
	return ok
}

func podOf(o world.Object) *v1.Pod {
	pod, _ := o.(*v1.Pod)
	return pod
}
