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

// Budgets are the rules of disruption budgets: how the API server answers evictions, and how the disruption controller
// keeps the budgets' statuses. They are core/evict/budget's, handed in with the options, and must depend on what they
// are given alone.
type Budgets interface {
	// Selects tells whether a budget counts a pod.
	Selects(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod) bool
	// Evict answers an eviction of a pod, nil if there is none, with the budgets of its namespace: the budget to be
	// written first and the condition the pod gets, nil for none, and how the pod is then deleted.
	Evict(e *policyv1.Eviction, pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget, now time.Time) (
		write *policyv1.PodDisruptionBudget, mark *v1.PodCondition, how metav1.DeleteOptions, err error)
	// Keep is a budget's new status, nil if the one it has will do, when to look again, zero for not before something
	// happens, and what to announce.
	Keep(pdb *policyv1.PodDisruptionBudget, pods []*v1.Pod, lookup func(world.Kind, string, string) world.Object, now time.Time) (
		write *policyv1.PodDisruptionBudget, recheck time.Time, events []world.Announce)
	// Stale tells when the mark of an eviction that came to nothing is taken back from a pod.
	Stale(pod *v1.Pod) (at time.Time, ok bool)
}

// Evict asks for a pod to leave, as the eviction subresource does: the budgets that count it must allow it, and it has
// its grace period. Without rules for budgets in the options it is a deletion.
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
	how.Preconditions = nil // they were met, and the mark has changed the version
	return c.Delete(world.Pod, e.Namespace, e.Name, how)
}

// setCondition writes a condition of a pod, if it makes a difference.
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

// inNamespace is every object of a kind in a namespace, by name.
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

// tellBudgets has the disruption controller look at the budgets that count a pod, where the change matters to them, and
// at the pod itself once its mark is stale.
func (c *Cluster) tellBudgets(old, changed *v1.Pod) {
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
				c.oweBudget(pdb, 0)
			}
		}
	}
	if changed != nil {
		c.oweUnmark(changed)
	}
}

func sameForBudgets(a, b *v1.Pod) bool {
	return isReady(a) == isReady(b) && (a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) &&
		maps.Equal(a.Labels, b.Labels)
}

func (c *Cluster) oweBudget(pdb *policyv1.PodDisruptionBudget, extra time.Duration) {
	c.owe(errand{kind: world.PodDisruptionBudget, key: keyOf(pdb), uid: pdb.UID}, extra)
}

// oweUnmark has the controller look at a marked pod when its mark is stale.
func (c *Cluster) oweUnmark(pod *v1.Pod) {
	if at, marked := c.options.Budgets.Stale(pod); marked {
		c.owe(errand{kind: world.Pod, key: keyOf(pod), uid: pod.UID}, max(0, at.Sub(c.now)))
	}
}

// budgetChanged has the disruption controller look at a budget that is new or was changed, by an eviction too.
func (c *Cluster) budgetChanged(changed *policyv1.PodDisruptionBudget) {
	if c.options.Budgets != nil && changed != nil {
		c.oweBudget(changed, 0)
	}
}

// syncBudget is one look of the disruption controller at a budget.
func (c *Cluster) syncBudget(pdb *policyv1.PodDisruptionBudget) error {
	lookup := func(kind world.Kind, namespace, name string) world.Object {
		o, err := c.Get(kind, namespace, name)
		if err != nil {
			return nil
		}
		return o
	}
	pods := inNamespace[*v1.Pod](c, world.Pod, pdb.Namespace)
	write, recheck, events := c.options.Budgets.Keep(pdb, pods, lookup, c.now)
	for _, event := range events {
		c.history.announce(c.now, event)
	}
	if write != nil {
		if _, err := c.UpdateStatus(write); err != nil {
			return err
		}
	}
	if !recheck.IsZero() {
		c.oweBudget(pdb, recheck.Sub(c.now))
	}
	return nil
}

// syncMark takes a stale mark back from a pod.
func (c *Cluster) syncMark(pod *v1.Pod) error {
	at, marked := c.options.Budgets.Stale(pod)
	switch {
	case !marked:
	case at.After(c.now):
		c.oweUnmark(pod)
	default:
		c.setCondition(pod, v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionFalse})
	}
	return nil
}
