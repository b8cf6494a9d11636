package whatif

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// BudgetUse is what preemption takes of a disruption budget.
type BudgetUse struct {
	Namespace, Name string
	// Allowed is how many disruptions the budget allowed at the start, Preempted how many of its pods are preempted.
	Allowed, Preempted int
}

// Violated reports whether more pods are preempted than the budget allows.
func (b BudgetUse) Violated() bool { return b.Preempted > b.Allowed }

// QuotaUse is a quota of a namespace, for one resource.
type QuotaUse struct {
	Namespace, Name string
	Resource        v1.ResourceName
	// Before and After are what is used without and with the objects, of Hard. Before is empty if the quota is one of them.
	Before, After, Hard string
	// Full says that nothing is left.
	Full bool
}

// Preempted are the pods of others that are preempted once the objects are created, by namespace and name. A pod that the changes before
// that give a node and take it away again is not one of them.
func (o *Outcome) Preempted() []PodChange { return o.victims }

// setVictims finds the pods that were preempted since the objects were created, of those that there were then, and that are not without the
// question. The slots and preemptions until then were so many.
func (o *Outcome) setVictims(plain *run, slots map[*slot]bool, preemptions int) {
	seen := map[*slot]bool{}
	for _, p := range o.run.slots.preempted[preemptions:] {
		isNew := p.of.origin == (world.PodRef{}) && !slots[p.of]
		if seen[p.of] || isNew {
			continue
		}
		seen[p.of] = true
		v := PodChange{Pod: cmp.Or(p.of.origin, p.pod), With: o.run.slotOutcome(p.of)}
		v.With.RemovedBy = string(evict.Preemption)
		if p.of.origin != (world.PodRef{}) {
			v.Without = plain.outcomeOf(p.of.origin)
		}
		if v.Without.RemovedBy != "" {
			continue // it would have to leave anyway
		}
		v.Kind, _ = changeKindOf(v.Without, v.With)
		o.victims = append(o.victims, v)
	}
	slices.SortFunc(o.victims, byPod)
}

// budgets counts the preempted pods of each budget that protects one.
func (o *Outcome) budgets(start *run) []BudgetUse {
	victims := o.Preempted()
	if len(victims) == 0 {
		return nil
	}
	var uses []BudgetUse
	for _, pdb := range listed[*policyv1.PodDisruptionBudget](start, world.PodDisruptionBudget) {
		use := BudgetUse{Namespace: pdb.Namespace, Name: pdb.Name, Allowed: int(pdb.Status.DisruptionsAllowed)}
		for _, v := range victims {
			pod := start.base.Store().Pod(v.Pod.Namespace, v.Pod.Name)
			if pod != nil && pod.UID == v.Pod.UID && pod.Namespace == pdb.Namespace && budget.Selects(pdb, pod) {
				use.Preempted++
			}
		}
		if use.Preempted > 0 {
			uses = append(uses, use)
		}
	}
	return uses
}

// quotas compares the quotas of the namespaces in which objects were created.
func (o *Outcome) quotas(start *run) []QuotaUse {
	namespaces := map[string]bool{}
	for i := range o.Created {
		namespaces[o.Created[i].Object.GetNamespace()] = true
	}
	var uses []QuotaUse
	for _, quota := range listed[*v1.ResourceQuota](o.run, memory.ResourceQuota) {
		if !namespaces[quota.Namespace] {
			continue
		}
		var before v1.ResourceList
		if at, err := start.cluster.Get(memory.ResourceQuota, quota.Namespace, quota.Name); err == nil {
			before = at.(*v1.ResourceQuota).Status.Used
		}
		for name, hard := range quota.Status.Hard {
			use := QuotaUse{Namespace: quota.Namespace, Name: quota.Name, Resource: name, Hard: hard.String()}
			used := quota.Status.Used[name]
			if was, known := before[name]; known {
				if use.Before = was.String(); used.Cmp(was) == 0 && used.Cmp(hard) < 0 {
					continue
				}
			}
			use.After, use.Full = used.String(), used.Cmp(hard) >= 0
			uses = append(uses, use)
		}
	}
	slices.SortFunc(uses, func(a, b QuotaUse) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Resource, b.Resource))
	})
	return uses
}
