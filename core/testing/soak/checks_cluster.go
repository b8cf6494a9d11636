package soak

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/scheduler/drive"
	"orrery/core/world"
)

// firstReplica is the position of the first replica among the controllers.
const firstReplica = 2

// cutOff reports whether a call on its way was cut off by a process that does not lead any more. One that the network holds arrives all
// the same: there is no fencing.
func (r *run) cutOff(id world.EffectID) bool {
	position, own := drive.PositionOf(id)
	i := position - firstReplica
	return i >= 0 && i < len(r.replicas) && own <= r.replicas[i].cut && !r.replicas[i].stray[own]
}

// onlyScheduling has the steps after which no scheduler is wrong about the cluster, but for calls that arrive late.
var onlyScheduling = []string{
	"pods", "deployment", "job", "scale", "delete-workload", "delete-pods", "add-node", "crash", "terminate", "pause", "suspend", "stray",
}

// onlySchedules reports whether nothing but the plan's own schedulers binds pods, and nothing keeps the truth from them for longer than
// a new leader waits.
func (p *Plan) onlySchedules() bool {
	return len(p.Rates) == 0 && !slices.ContainsFunc(p.Steps, func(s Step) bool { return !slices.Contains(onlyScheduling, s.Do) })
}

// checkCluster checks what the schedulers have done to the cluster itself, one after the other.
func (r *run) checkCluster(in world.Input) {
	changed, _ := in.Event.(world.Changed)
	pod, ok := changed.Object.(*v1.Pod)
	if !ok || pod.Spec.NodeName == "" {
		return
	}
	r.checked("bound twice")
	before, seen := r.nodes[pod.UID]
	if seen && before != pod.Spec.NodeName {
		r.fail("bound twice", "%s was on %s, and is on %s", pod.Name, before, pod.Spec.NodeName)
	}
	if r.nodes[pod.UID] = pod.Spec.NodeName; !seen && r.plan.onlySchedules() {
		r.checkOvercommit(pod)
	}
}

// checkOvercommit: with a pod that was bound, a node has no more than there is, whoever has bound its pods, and however leaders change. A
// stray call may arrive when the next leader has given the room away: it is the kubelet that refuses the pod then.
func (r *run) checkOvercommit(bound *v1.Pod) {
	node := r.cluster.Node(bound.Spec.NodeName)
	if node == nil {
		return
	}
	requested, pods := v1.ResourceList{}, int64(0)
	for _, o := range r.cluster.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName != node.Name || ended(pod) {
			continue
		}
		if slices.ContainsFunc(r.replicas, func(one *replica) bool { return one.strayPods[pod.UID] }) {
			return
		}
		pods++
		for name, q := range resource.PodRequests(pod, asScheduled) {
			sum := requested[name]
			sum.Add(q)
			requested[name] = sum
		}
	}
	r.checked("overcommit")
	if most := node.Status.Allocatable.Pods(); pods > most.Value() {
		r.fail("overcommit", "with %s, %s has %d pods of %d", bound.Name, node.Name, pods, most.Value())
	}
	for name, q := range resource.PodRequests(bound, asScheduled) {
		sum, most := requested[name], node.Status.Allocatable[name]
		if !q.IsZero() && sum.Cmp(most) > 0 {
			r.fail("overcommit", "with %s, the pods of %s request %s of %s of %s", bound.Name, node.Name, sum.String(), most.String(), name)
		}
	}
}
