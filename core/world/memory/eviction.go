package memory

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// DisruptionBudgets implements the API server's handling of evictions and the disruption controller's status updates.
// The implementation is in core/evict/budget and is passed in the options; it must depend on its arguments alone.
type DisruptionBudgets interface {
	// Selects reports whether a budget counts a pod.
	Selects(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod) bool
	// Evict decides on an eviction of a pod, which may be nil, with the budgets of its namespace. It returns the budget
	// to write first and the pod's new condition, either of which may be nil, and the options of the deletion.
	Evict(e *policyv1.Eviction, pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget, now time.Time) (
		write *policyv1.PodDisruptionBudget, mark *v1.PodCondition, how metav1.DeleteOptions, err error)
	// Sync returns a budget's new status, nil if unchanged; the time of the next sync, zero for none without a change;
	// and the events to emit.
	Sync(pdb *policyv1.PodDisruptionBudget, pods []*v1.Pod, lookup func(world.Kind, string, string) world.Object, now time.Time) (
		write *policyv1.PodDisruptionBudget, recheck time.Time, events []world.EmitEvent)
	// StaleConditionAt returns when the condition of an unfinished eviction is removed from a pod.
	StaleConditionAt(pod *v1.Pod) (at time.Time, ok bool)
}

// Evict is the eviction subresource: the budgets that select the pod must allow it, and the pod gets its grace period.
// Without Budgets in the options it is a deletion.
func (c *Cluster) Evict(e *policyv1.Eviction) error {
	if err := c.reachable(); err != nil {
		return err
	}
	var how metav1.DeleteOptions
	if c.options.Budgets == nil {
		if e.DeleteOptions != nil {
			how = *e.DeleteOptions
		}
		return c.Delete(world.Pod, e.Namespace, e.Name, how)
	}
	pod := c.Pod(e.Namespace, e.Name)
	write, mark, how, refusal := c.options.Budgets.Evict(e, pod, c.budgetsIn(e.Namespace), c.now)
	if write != nil {
		if _, err := c.UpdateStatus(write); err != nil {
			return err
		}
	}
	if refusal != nil || len(how.DryRun) > 0 {
		return refusal
	}
	if mark != nil {
		c.setCondition(pod, *mark)
	}
	how.Preconditions = nil // already checked, and writing the condition has changed the version
	return c.Delete(world.Pod, e.Namespace, e.Name, how)
}

// setCondition writes a condition of a pod if it differs.
func (c *Cluster) setCondition(pod *v1.Pod, condition v1.PodCondition) {
	list, changed := c.withCondition(pod.Status.Conditions, condition)
	if changed {
		next := *pod
		next.Status.Conditions = list
		c.write(world.Pod, pod, &next)
	}
}

func (c *Cluster) budgetsIn(namespace string) []*policyv1.PodDisruptionBudget {
	return inNamespace[*policyv1.PodDisruptionBudget](c, world.PodDisruptionBudget, namespace)
}

// inNamespace returns every object of a kind in a namespace, by name.
func inNamespace[T world.Object](c *Cluster, kind world.Kind, namespace string) []T {
	var all []T
	for key, o := range c.objects[kind] {
		if key.Namespace == namespace {
			all = append(all, o.(T))
		}
	}
	slices.SortFunc(all, byKey[T])
	return all
}

// notifyBudgets enqueues the budgets that select a changed pod, and the pod itself for when its condition is stale.
func (c *Cluster) notifyBudgets(old, changed *v1.Pod) {
	if c.options.Budgets == nil {
		return
	}
	pod := changed
	if pod == nil {
		pod = old
	}
	if old == nil || changed == nil || !sameForBudgets(old, changed) {
		for _, pdb := range c.budgetsIn(pod.Namespace) {
			if c.options.Budgets.Selects(pdb, pod) || old != nil && c.options.Budgets.Selects(pdb, old) {
				c.enqueueBudget(pdb, 0)
			}
		}
	}
	if changed != nil {
		c.enqueueStaleCondition(changed)
	}
}

func sameForBudgets(a, b *v1.Pod) bool {
	return isReady(a) == isReady(b) && (a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) &&
		maps.Equal(a.Labels, b.Labels)
}

func (c *Cluster) enqueueBudget(pdb *policyv1.PodDisruptionBudget, extra time.Duration) {
	c.enqueue(workItem{kind: world.PodDisruptionBudget, key: keyOf(pdb), uid: pdb.UID}, extra)
}

// enqueueStaleCondition enqueues a pod for the time at which its condition is stale.
func (c *Cluster) enqueueStaleCondition(pod *v1.Pod) {
	if at, marked := c.options.Budgets.StaleConditionAt(pod); marked {
		c.enqueue(workItem{kind: world.Pod, key: keyOf(pod), uid: pod.UID}, max(0, at.Sub(c.now)))
	}
}

// budgetChanged enqueues a budget that is new or was changed, including by an eviction.
func (c *Cluster) budgetChanged(changed *policyv1.PodDisruptionBudget) {
	if c.options.Budgets != nil && changed != nil {
		c.enqueueBudget(changed, 0)
	}
}

// syncBudget runs the disruption controller for a budget.
func (c *Cluster) syncBudget(pdb *policyv1.PodDisruptionBudget) error {
	lookup := func(kind world.Kind, namespace, name string) world.Object {
		o, err := c.Get(kind, namespace, name)
		if err != nil {
			return nil
		}
		return o
	}
	pods := inNamespace[*v1.Pod](c, world.Pod, pdb.Namespace)
	write, recheck, events := c.options.Budgets.Sync(pdb, pods, lookup, c.now)
	for _, event := range events {
		c.history.recordEvent(c.now, event)
	}
	if write != nil {
		if _, err := c.UpdateStatus(write); err != nil {
			return err
		}
	}
	if !recheck.IsZero() {
		c.enqueueBudget(pdb, recheck.Sub(c.now))
	}
	return nil
}

// syncStaleCondition removes a stale condition from a pod.
func (c *Cluster) syncStaleCondition(pod *v1.Pod) error {
	if c.options.Budgets == nil {
		return nil
	}
	at, marked := c.options.Budgets.StaleConditionAt(pod)
	switch {
	case !marked:
	case at.After(c.now):
		c.enqueueStaleCondition(pod)
	default:
		c.setCondition(pod, v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionFalse})
	}
	return nil
}
