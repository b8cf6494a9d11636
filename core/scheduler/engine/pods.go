package engine

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// podChanged applies a pod's change to the cache if the pod has a node, or to the queue if it is pending for one of the
// profiles, and requeues the pods that the change may help.
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
	if !e.responsibleFor(pod) {
		return nil
	}
	var err error
	if b := e.bindingOf(pod); b != nil {
		err = e.assumeAgain(b, pod)
	} else {
		e.queue.Add(pod, e.now)
	}
	if e.features.gangs {
		e.queue.Move(fwk.ClusterEvent{Resource: e.gates.UnscheduledPod(), ActionType: fwk.Add}, nil, pod, e.now, nil)
	}
	return err
}

// assumeAgain assumes a pod that was deleted, or being deleted, in an old list or a late event while it was being bound, as its binding
// may still succeed. The pod is queued when that fails, and not before.
func (e *Engine) assumeAgain(b *binding, pod *v1.Pod) error {
	if assumed, err := e.cache.IsAssumedPod(pod); err != nil || assumed {
		return err
	}
	e.queue.Delete(pod, e.now) // where it may be as one that is being deleted
	_, err := e.cache.AssumePod(pod, b.node)
	return err
}

// bindingOf returns the binding in flight of a pod; nil without one, or if the pod is being deleted, so that it will fail.
func (e *Engine) bindingOf(pod *v1.Pod) *binding {
	b := e.bindings[pod.UID]
	if b == nil || pod.DeletionTimestamp != nil || b.assumed.Namespace != pod.Namespace || b.assumed.Name != pod.Name ||
		b.assumed.Spec.SchedulerName != pod.Spec.SchedulerName {
		return nil
	}
	return b
}

// podAssigned adds a pod that has a node: one bound by another scheduler, or an assumed one, now confirmed.
func (e *Engine) podAssigned(pod *v1.Pod) error {
	if b := e.bindings[pod.UID]; b != nil && e.options.Shadow && b.node != pod.Spec.NodeName {
		e.bindingOverruled(b, pod.Spec.NodeName)
	}
	e.checkAssumedNode(pod)
	err := e.cache.AddPod(pod)
	e.queue.Move(queue.EventAssignedPodAdd, nil, pod, e.now, nil)
	return err
}

// checkAssumedNode reports a pod that is bound to another node than the one it was assumed on.
func (e *Engine) checkAssumedNode(pod *v1.Pod) {
	if assumed, err := e.cache.IsAssumedPod(pod); err != nil || !assumed {
		return
	}
	if cached, err := e.cache.GetPod(pod); err == nil && cached.Spec.NodeName != pod.Spec.NodeName {
		e.reportProblem(fmt.Errorf("pod %q was assumed on node %q and is bound to node %q",
			pod.Namespace+"/"+pod.Name, cached.Spec.NodeName, pod.Spec.NodeName))
	}
}

func (e *Engine) podUpdated(was, is *v1.Pod) error {
	switch {
	case assigned(was):
		if was.Spec.NodeName != is.Spec.NodeName {
			return e.podMoved(was, is)
		}
		err := e.cache.UpdatePod(was, is)
		for _, event := range queue.PodUpdateEvents(was, is, e.gates) {
			e.queue.Move(event, was, is, e.now, nil)
		}
		return err
	case assigned(is):
		err := e.podAssigned(is)
		if e.responsibleFor(was) {
			e.queue.RemoveAssigned(was, is.Spec.NodeName, e.now)
		}
		return err
	case e.responsibleFor(is):
		return e.pendingPodUpdated(was, is)
	case e.responsibleFor(was):
		return e.podRemoved(was) // its schedulerName is no longer one of the profiles
	}
	return nil
}

// podMoved moves a bound pod to the node that the cluster now names, and reports a problem: API servers do not move
// pods. kube-scheduler stops.
func (e *Engine) podMoved(was, is *v1.Pod) error {
	e.reportProblem(fmt.Errorf("pod %q was bound to node %q and is on node %q now: an API server does not move pods",
		is.Namespace+"/"+is.Name, was.Spec.NodeName, is.Spec.NodeName))
	return errors.Join(e.podRemoved(was), e.podAdded(is))
}

func (e *Engine) pendingPodUpdated(was, is *v1.Pod) error {
	// The same object once more: taken as an update, it could have a pod tried twice (kubernetes PR 96071).
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
	if b := e.bindingOf(is); b != nil {
		return e.assumeAgain(b, is)
	}
	if is.DeletionTimestamp != nil {
		e.cancelCalls(is)
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
	if !e.responsibleFor(pod) {
		return nil
	}
	e.cancelCalls(pod)
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

// assumedPodDeleted handles a pod that is deleted between its placement and its binding. A pod waiting for a permit is
// rejected; any other is forgotten at once, and its binding will fail.
func (e *Engine) assumedPodDeleted(pod *v1.Pod) error {
	cached, err := e.cache.GetPod(pod)
	if err != nil {
		return err
	}
	if b := e.bindings[pod.UID]; b != nil && b.callsExtender() {
		e.emit(world.CancelExtenderCalls{Pod: world.PodRefOf(pod)})
	}
	if !e.profiles[pod.Spec.SchedulerName].RejectWaitingPod(pod.UID) {
		err = e.cache.ForgetPod(cached)
	}
	e.queue.Move(queue.EventAssignedPodDelete, cached, nil, e.now, nil)
	return err
}

// roomFreedByNomination requeues the pods that a nominated pod's resources may help: those of no higher priority.
func (e *Engine) roomFreedByNomination(nominated *v1.Pod) {
	most := corev1.PodPriority(nominated)
	e.queue.Move(queue.EventAssignedPodDelete, nominated, nil, e.now, func(pod *v1.Pod) bool {
		return corev1.PodPriority(pod) <= most
	})
}

func assigned(pod *v1.Pod) bool { return pod.Spec.NodeName != "" }

// responsibleFor reports whether the pod's schedulerName is one of the profiles.
func (e *Engine) responsibleFor(pod *v1.Pod) bool {
	_, ok := e.profiles[pod.Spec.SchedulerName]
	return ok
}

func podOf(o world.Object) *v1.Pod {
	pod, _ := o.(*v1.Pod)
	return pod
}
