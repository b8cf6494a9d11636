package budget

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Trouble is a reason for which an eviction is refused again and again.
type Trouble string

// The troubles.
const (
	SeveralBudgets Trouble = "several budgets"
	NotObserved    Trouble = "budget not observed"
	SyncFailed     Trouble = "budget not counted"
	AsksForAll     Trouble = "budget asks for every pod"
	NotReady       Trouble = "pods not ready"
	SlowToStop     Trouble = "pods slow to stop"
	Unconfirmed    Trouble = "evictions not confirmed"
)

// Stuck is one trouble, and what can be done about it.
type Stuck struct {
	Trouble Trouble
	// Detail says what is the matter, with names and numbers.
	Detail string
	// Remedies are what a person may do, the mildest first.
	Remedies []string
	// Until is when it ends by itself; zero if that is not known.
	Until time.Time
}

const (
	waitAndDelete = "wait, and then delete the pod directly, which asks no budget"
	pauseAndLook  = "stop or pause the automation, and find out why the application does not become ready"
)

// Diagnose says why a pod's evictions are refused: it names every trouble that is to be seen in its budgets and in the
// pods of its namespace. It finds none where the eviction would be allowed.
func Diagnose(pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget, namespace []*v1.Pod, now time.Time) []Stuck {
	var counting []*policyv1.PodDisruptionBudget
	for _, pdb := range budgets {
		if Selects(pdb, pod) {
			counting = append(counting, pdb)
		}
	}
	if len(counting) > 1 {
		names := make([]string, len(counting))
		for i, pdb := range counting {
			names[i] = pdb.Name
		}
		return []Stuck{{
			Trouble: SeveralBudgets, Detail: "the budgets " + strings.Join(names, ", ") + " all count the pod",
			Remedies: []string{"narrow the selectors of the budgets, or delete all but one", "delete the pod directly"},
		}}
	}
	verdict := Judge(Request{
		Name: pod.Name, Pod: pod, Budgets: counting, Now: now,
		Eviction: &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}},
	})
	if verdict.Refusal == nil {
		return nil
	}
	return troubles(counting[0], pod, selected(counting[0], namespace), now)
}

func selected(pdb *policyv1.PodDisruptionBudget, namespace []*v1.Pod) []*v1.Pod {
	var pods []*v1.Pod
	for _, pod := range namespace {
		if Selects(pdb, pod) {
			pods = append(pods, pod)
		}
	}
	return sortedByName(pods)
}

func troubles(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod, pods []*v1.Pod, now time.Time) []Stuck {
	s := pdb.Status
	if s.ObservedGeneration < pdb.Generation {
		return []Stuck{{
			Trouble: NotObserved, Detail: fmt.Sprintf("the last change of the budget %s has not been counted yet", pdb.Name),
			Remedies: []string{"try again; if it lasts, look after the disruption controller in kube-controller-manager"},
		}}
	}
	if c := meta.FindStatusCondition(s.Conditions, policyv1.DisruptionAllowedCondition); c != nil && c.Reason == policyv1.SyncFailedReason {
		return []Stuck{{
			Trouble: SyncFailed, Detail: fmt.Sprintf("the budget %s cannot be counted: %s", pdb.Name, c.Message),
			Remedies: []string{"give the pods an owner that has a scale, or set minAvailable of the budget to a whole number"},
		}}
	}
	var all []Stuck
	if s.ExpectedPods > 0 && s.DesiredHealthy >= s.ExpectedPods {
		all = append(all, Stuck{
			Trouble: AsksForAll, Detail: fmt.Sprintf("the budget %s wants %d of %d pods healthy at all times", pdb.Name, s.DesiredHealthy, s.ExpectedPods),
			Remedies: []string{"run more replicas", "raise maxUnavailable of the budget, or lower minAvailable", waitAndDelete},
		})
	}
	return append(all, ofPods(pdb, pod, pods, now)...)
}

// ofPods are the troubles to be seen in the pods that the budget counts.
func ofPods(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod, pods []*v1.Pod, now time.Time) []Stuck {
	unready := Stuck{Trouble: NotReady, Remedies: []string{pauseAndLook, waitAndDelete}}
	slow := Stuck{Trouble: SlowToStop, Remedies: []string{waitAndDelete}}
	pending := Stuck{Trouble: Unconfirmed, Remedies: []string{"wait: the budget counts them again after two minutes"}}
	var notReady, stopping, allowed []string
	for _, p := range pods {
		since, evicted := pdb.Status.DisruptedPods[p.Name]
		switch {
		case p.DeletionTimestamp != nil:
			stopping = append(stopping, p.Name)
			slow.Until = later(slow.Until, p.DeletionTimestamp.Time)
		case evicted && since.Add(deletionTimeout).After(now):
			allowed = append(allowed, p.Name)
			pending.Until = later(pending.Until, since.Add(deletionTimeout))
		case !isReady(p) && !hasEnded(p):
			notReady = append(notReady, p.Name)
		}
	}
	if !isReady(pod) {
		unready.Remedies = append(unready.Remedies, "set unhealthyPodEvictionPolicy of the budget to AlwaysAllow, so that pods that are not ready may go")
	}
	var all []Stuck
	for _, found := range []struct {
		stuck Stuck
		pods  []string
		are   string
	}{{unready, notReady, "not ready"}, {slow, stopping, "being deleted"}, {pending, allowed, "evicted and not being deleted yet"}} {
		if len(found.pods) > 0 {
			found.stuck.Detail = fmt.Sprintf("%s: %s", found.are, strings.Join(found.pods, ", "))
			all = append(all, found.stuck)
		}
	}
	return all
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
