package whatif

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/world"
)

// drain is the drain of one node.
type drain struct {
	node        string
	machine     *budget.Drain
	attemptedAt int // the run's number of changes at the last attempt
}

// startDrain starts to drain a node, with all of kubectl's flags that permit deletions.
func (r *run) startDrain(node string) error {
	view := budget.View{Lookup: func(kind world.Kind, namespace, name string) world.Object {
		o, err := r.cluster.Get(kind, namespace, name)
		if err != nil {
			return nil
		}
		return o
	}}
	for pod := range objects[*v1.Pod](r.engine.Store(), world.Pod) {
		if p := r.cluster.Pod(pod.Namespace, pod.Name); p != nil && p.Spec.NodeName == node {
			view.Pods = append(view.Pods, p)
		}
	}
	view.Budgets = listed[*policyv1.PodDisruptionBudget](r, world.PodDisruptionBudget)
	options := budget.DrainOptions{Force: true, IgnoreDaemonSets: true, DeleteEmptyDirData: true}
	d := &drain{node: node, machine: budget.NewDrain(node, "what if", options, view, r.now, evict.NewRecord()), attemptedAt: -1}
	if _, err := d.machine.Done(); err != nil {
		return err
	}
	for _, warning := range d.machine.Plan().Warnings {
		r.notes = append(r.notes, fmt.Sprintf("draining %s: %s", node, warning))
	}
	r.drains = append(r.drains, d)
	return nil
}

// evict makes the calls of the drain.
func (d *drain) evict(r *run) {
	for calls := d.machine.Calls(); len(calls) > 0; calls = d.machine.Calls() {
		d.attemptedAt = r.changes
		for _, c := range calls {
			if c.Verb == budget.Cordon {
				_ = r.setUnschedulable(c.Node, true) // the node may be gone
				continue
			}
			d.machine.CallDone(r.now, c.Pod.UID, r.cluster.Evict(c.Eviction()))
		}
	}
}

// hasNews reports whether a retry may have another result: something has changed since.
func (d *drain) hasNews(changes int) bool { return changes != d.attemptedAt }

// blocked lists the evictions that a budget blocks.
func (d *drain) blocked(r *run) []BlockedEviction {
	blocked := d.machine.Waiting()
	if len(blocked) == 0 {
		return nil
	}
	budgets := listed[*policyv1.PodDisruptionBudget](r, world.PodDisruptionBudget)
	beside := map[string][]*v1.Pod{} // by namespace
	for _, pod := range listed[*v1.Pod](r, world.Pod) {
		beside[pod.Namespace] = append(beside[pod.Namespace], pod)
	}
	var list []BlockedEviction
	for _, b := range blocked {
		if !b.Blocked {
			continue
		}
		h := BlockedEviction{Pod: b.Pod, Node: d.node, Budget: b.Budget, Message: b.Reason}
		if pod := r.cluster.Pod(b.Pod.Namespace, b.Pod.Name); pod != nil {
			h.Causes = budget.Diagnose(pod, budgets, beside[b.Pod.Namespace], r.now)
		}
		for _, pdb := range budgets {
			if pdb.Namespace == b.Pod.Namespace && pdb.Name == b.Budget {
				h.DisruptionsAllowed = pdb.Status.DisruptionsAllowed
			}
		}
		list = append(list, h)
	}
	return list
}

// listed returns the simulated cluster's objects of a kind.
func listed[T world.Object](r *run, kind world.Kind) []T {
	var list []T
	for _, o := range r.cluster.List(kind) {
		list = append(list, o.(T))
	}
	return list
}
