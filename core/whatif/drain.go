package whatif

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/world"
)

// drain is one node being drained, and what was known when it last asked.
type drain struct {
	node    string
	machine *budget.Drain
	asked   int // the number of changes there had been at its last call
}

// startDrain begins to drain a node, as kubectl does with everything allowed that it can be told to allow.
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
	d := &drain{node: node, machine: budget.NewDrain(node, "what if", options, view, r.now, evict.NewBoard()), asked: -1}
	if _, err := d.machine.Done(); err != nil {
		return err
	}
	for _, warning := range d.machine.Plan().Warnings {
		r.notes = append(r.notes, fmt.Sprintf("draining %s: %s", node, warning))
	}
	r.drains = append(r.drains, d)
	return nil
}

// call makes the calls that the drain wants made.
func (d *drain) call(r *run) {
	for calls := d.machine.Calls(); len(calls) > 0; calls = d.machine.Calls() {
		d.asked = r.inputs
		for _, c := range calls {
			if c.Verb == budget.Cordon {
				_ = r.setUnschedulable(c.Node, true) // a node that has gone since needs no cordon
				continue
			}
			d.machine.Answered(r.now, c.Pod.UID, r.cluster.Evict(c.Eviction()))
		}
	}
}

// worthwhile tells whether asking again could be answered differently: something has changed since.
func (d *drain) worthwhile(changes int) bool { return changes != d.asked }

// held lists the evictions that are not allowed.
func (d *drain) held(r *run) []Hold {
	blocked := d.machine.Blocked()
	if len(blocked) == 0 {
		return nil
	}
	budgets := listed[*policyv1.PodDisruptionBudget](r, world.PodDisruptionBudget)
	beside := map[string][]*v1.Pod{} // by namespace
	for _, pod := range listed[*v1.Pod](r, world.Pod) {
		beside[pod.Namespace] = append(beside[pod.Namespace], pod)
	}
	var list []Hold
	for _, b := range blocked {
		if !b.Held {
			continue
		}
		h := Hold{Pod: b.Pod, Node: d.node, Budget: b.Budget, Why: b.Why}
		if pod := r.cluster.Pod(b.Pod.Namespace, b.Pod.Name); pod != nil {
			h.Troubles = budget.Diagnose(pod, budgets, beside[b.Pod.Namespace], r.now)
		}
		list = append(list, h)
	}
	return list
}

// listed are the simulated cluster's objects of a kind.
func listed[T world.Object](r *run, kind world.Kind) []T {
	var list []T
	for _, o := range r.cluster.List(kind) {
		list = append(list, o.(T))
	}
	return list
}
