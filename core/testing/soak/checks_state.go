package soak

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/evict/budget"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// checkState: the cache, the queue and the states of volumes, devices and gangs agree with themselves and the store, every pod is in
// exactly one place, and what is counted is what there is.
func (l *ledger) checkState() {
	l.run.checked("state")
	if err := l.engine.Check(); err != nil {
		l.fail("state", "%v", err)
	}
	l.checkCounters()
}

func (l *ledger) checkCounters() {
	l.run.checked("counters")
	c := l.engine.Counters()
	if c.Inputs != l.inputs || c.Refused != l.refused || c.Decisions != l.verdict {
		l.fail("counters", "%+v are counted; there were %d inputs, %d refused, and decisions %v", c, l.inputs, l.refused, l.verdict)
	}
	q := l.engine.Queue()
	for state, n := range countsOf(q.Counts()) {
		if there := len(q.Pods(nil, state)); there != n {
			l.fail("counters", "%d pods are counted as %v, and there are %d", n, state, there)
		}
	}
	assumed := 0
	for o := range l.engine.Store().Objects(world.Pod) {
		if o.(*v1.Pod).Spec.NodeName != "" {
			assumed++
		}
	}
	if n := l.engine.Cache().PodCount(); n != assumed+l.engine.Cache().AssumedCount() {
		l.fail("counters", "the cache counts %d pods; %d are on nodes, and %d are assumed", n, assumed, l.engine.Cache().AssumedCount())
	}
}

func countsOf(c queue.Counts) map[queue.State]int {
	return map[queue.State]int{queue.Active: c.Active, queue.Unschedulable: c.Unschedulable, queue.Gated: c.Gated}
}

// holder is the identity in the Lease.
func (r *run) holder() string {
	o, err := r.leases.Leases.Get(world.Lease, "kube-system", "kube-scheduler")
	if err != nil {
		return ""
	}
	if lease := o.(*coordinationv1.Lease); lease.Spec.HolderIdentity != nil {
		return *lease.Spec.HolderIdentity
	}
	return ""
}

func allocationOf(o world.Object) *resourcev1.AllocationResult {
	return o.(*resourcev1.ResourceClaim).Status.Allocation
}

func devicesOf(a *resourcev1.AllocationResult) (names []string) {
	if a != nil {
		for _, result := range a.Devices.Results {
			names = append(names, fmt.Sprintf("device %s/%s/%s", result.Driver, result.Pool, result.Device))
		}
	}
	return names
}

// budgetsInStep are the budgets whose status is as the pods are, so that the API server decides by what is there.
func (r *run) budgetsInStep() (in []*policyv1.PodDisruptionBudget) {
	for _, o := range r.cluster.List(world.PodDisruptionBudget) {
		if pdb := o.(*policyv1.PodDisruptionBudget); len(pdb.Status.DisruptedPods) == 0 && int(pdb.Status.CurrentHealthy) == r.healthy(pdb) {
			in = append(in, pdb)
		}
	}
	return in
}

// healthy counts the ready pods that a budget selects.
func (r *run) healthy(pdb *policyv1.PodDisruptionBudget) (n int) {
	for _, o := range r.cluster.List(world.Pod) {
		if pod := o.(*v1.Pod); budget.Selects(pdb, pod) && isReady(pod) {
			n++
		}
	}
	return n
}

func isReady(pod *v1.Pod) bool {
	if pod.DeletionTimestamp != nil {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.PodReady {
			return c.Status == v1.ConditionTrue
		}
	}
	return false
}

// checkEviction: an eviction that was allowed has left as many ready pods as each budget wants, unless the pod was not ready.
func (r *run) checkEviction(pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget) {
	for _, pdb := range budgets {
		if !budget.Selects(pdb, pod) || !isReady(pod) {
			continue
		}
		r.checked("budgets")
		if n, least := r.healthy(pdb), pdb.Spec.MinAvailable.IntValue(); n < least {
			r.fail("budgets", "%s was evicted, and budget %s has %d ready pods of %d", pod.Name, pdb.Name, n, least)
		}
	}
}

// ended reports whether a pod runs no more.
func ended(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
