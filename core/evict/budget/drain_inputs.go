package budget

import (
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

// Apply takes in pods, budgets and ticks.
func (d *Drain) Apply(in world.Input) {
	switch event := in.Event.(type) {
	case world.Changed:
		d.advance(in.At)
		d.applyObject(in.At, event.Object, event.Op == world.Deleted)
	case world.Listed:
		d.advance(in.At)
		d.applyList(in.At, event)
	case world.Tick:
		d.advance(in.At.Add(1))
	}
}

func (d *Drain) applyList(at time.Time, list world.Listed) {
	there := map[types.UID]bool{}
	for _, o := range list.Objects {
		there[o.GetUID()] = true
		d.applyObject(at, o, false)
	}
	if list.Kind != world.Pod {
		return
	}
	for _, uid := range d.order {
		if e := d.pods[uid]; !there[uid] {
			d.podDeleted(at, e)
		}
	}
}

func (d *Drain) applyObject(at time.Time, o world.Object, deleted bool) {
	switch o := o.(type) {
	case *policyv1.PodDisruptionBudget:
		d.applyBudget(at, o, deleted)
	case *v1.Pod:
		e := d.pods[o.UID]
		if e == nil || d.ended {
			return
		}
		if deleted {
			d.podDeleted(at, e)
			return
		}
		e.pod, e.deadline = o, deadlineOf(o)
		if e.state == terminating {
			d.recordPhase(at, e, evict.Terminating, e.deadline)
		}
	}
}

// applyBudget stores a budget and records what it allows now.
func (d *Drain) applyBudget(at time.Time, pdb *policyv1.PodDisruptionBudget, deleted bool) {
	key := types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name}
	d.budgets[key] = pdb
	if deleted {
		delete(d.budgets, key)
	}
	for _, uid := range d.order {
		if e := d.pods[uid]; e.state == blocked && Selects(pdb, e.pod) {
			d.recordPhase(at, e, evict.Blocked, e.retry)
		}
	}
}

// budgetOf returns the budget that selects a pod, the first by name if there are several; nil if none does.
func (d *Drain) budgetOf(pod *v1.Pod) *policyv1.PodDisruptionBudget {
	var first *policyv1.PodDisruptionBudget
	for _, pdb := range d.budgets {
		if Selects(pdb, pod) && (first == nil || pdb.Name < first.Name) {
			first = pdb
		}
	}
	return first
}

func (d *Drain) podDeleted(at time.Time, e *podDrain) {
	if e.state == deleted || e.state == failed {
		return
	}
	e.state, e.since = deleted, at
	d.recordPhase(at, e, evict.Evicted, time.Time{})
	d.finish()
}
