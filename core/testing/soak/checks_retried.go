package soak

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// unnoticed reports whether the hints of kube-scheduler's plugins, and so Orrery's, do not see that a pod can be placed on a node. It is
// tried again when it has waited for five minutes. NodeVolumeLimits takes the detaching of a volume to help pods that name a claim, and
// waits for a new node's CSINode, which may be seen before the node is.
func (r *replica) unnoticed(p *queue.Pod, node string) bool {
	if !slices.Contains(p.Rejectors(), "NodeVolumeLimits") {
		return false
	}
	n := r.engine.Store().Node(node)
	isNew := n != nil && r.run.cluster.Now().Sub(n.CreationTimestamp.Time) < longestWait
	return isNew || hasEphemeralVolume(p.Pod())
}

func hasEphemeralVolume(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Ephemeral != nil })
}

// checkRetried: no pod is in unschedulablePods that a new engine would place. Whatever helped it, an event has moved it, or at last the
// timer that moves all pods.
func (r *replica) checkRetried(last bool) {
	if r.run.plan.Extender {
		return // whose answers a new engine does not have
	}
	invariant := "woken"
	if last {
		invariant = "retried"
	}
	var fresh *engine.Engine
	for _, p := range r.engine.Queue().Pods(nil, queue.Unschedulable) {
		pod := p.Pod()
		if workloads.IsMember(pod) || pod.DeletionTimestamp != nil || refusedInBinding(pod) {
			continue // Permit is not asked
		}
		if fresh == nil {
			if fresh = r.ledger.fresh("", true); fresh == nil {
				return
			}
		}
		r.run.checked(invariant)
		node, err := fresh.Try(pod.Namespace, pod.Name)
		if err == nil && node != "" && !r.waitsFor(pod) && !r.held(node) && (last || !r.unnoticed(p, node)) {
			r.ledger.fail(invariant, "%s is in unschedulablePods for %v, and a new engine would place it on %s; it has been through %v", pod.Name, p.Rejectors(), node, moves(r.engine, pod))
			return
		}
		if last && r.run.cluster.Now().Sub(r.run.lastNews) > longestWait {
			r.checkPreempts(fresh, pod)
		}
	}
}

// longestWait is longer than any pod is in unschedulablePods, by the slowest clock, so that all have been tried since.
const longestWait = 8 * time.Minute

// checkPreempts: no pod is left waiting for pods of lower priority that it may preempt.
func (r *replica) checkPreempts(fresh *engine.Engine, pod *v1.Pod) {
	r.run.checked("priority")
	x, err := fresh.Explain(pod.Namespace, pod.Name)
	if err == nil && x.Decision.Preemption != nil && !r.waitsFor(pod) && !r.held(x.Decision.Nominated) {
		r.ledger.fail("priority", "%s of priority %d waits, and a new engine would have it preempt %d pods on %s; it has been through %v",
			pod.Name, corev1helpers.PodPriority(pod), len(x.Decision.Preemption.Victims), x.Decision.Nominated, moves(r.engine, pod))
	}
}

// waitsFor reports whether a pod is to wait although it fits: for victims that are still there.
func (r *replica) waitsFor(pod *v1.Pod) bool {
	node, nominated := r.engine.Queue().NominatedNode(pod)
	if !nominated {
		return false
	}
	for o := range r.engine.Store().Objects(world.Pod) {
		if other := o.(*v1.Pod); other.Spec.NodeName == node && other.DeletionTimestamp != nil {
			return true
		}
	}
	return false
}

// held reports whether a pod holds room on a node of which a new engine does not know. A gated pod that is nominated for it does, as in
// kube-scheduler, but a new engine takes no nomination from the status of a pod that it first sees gated. So does a pod whose binding is in
// flight: it waits for its group, say, and the nomination in its status was cleared by a call from before.
func (r *replica) held(node string) bool {
	if slices.ContainsFunc(r.engine.Bindings(), func(b engine.BindingInFlight) bool { return b.Node == node }) {
		return true
	}
	return slices.ContainsFunc(r.engine.Queue().NominatedPodsForNode(node), func(p fwk.PodInfo) bool {
		pod := p.GetPod()
		return r.engine.PodState(pod.Namespace, pod.Name) == engine.StateGated
	})
}

// moves describes what happened to a pod last.
func moves(e *engine.Engine, pod *v1.Pod) (text []string) {
	for _, t := range e.LastPodTransitions(pod.UID, 6) {
		text = append(text, fmt.Sprintf("%s %v→%v %s", t.At.Format("15:04:05"), t.From, t.To, t.Event))
	}
	return text
}
