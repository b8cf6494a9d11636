package budget

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
)

// ProblemKind is a reason for repeated refusals of an eviction.
type ProblemKind string

// The kinds of problems.
const (
	MultipleBudgets      ProblemKind = "several budgets"
	NotObserved          ProblemKind = "budget not observed"
	SyncFailed           ProblemKind = "budget not counted"
	RequiresAllPods      ProblemKind = "budget requires every pod"
	PodsNotReady         ProblemKind = "pods not ready"
	PodsTerminating      ProblemKind = "pods slow to stop"
	EvictionsUnconfirmed ProblemKind = "evictions not confirmed"
)

// Problem is one reason for refusals, with remedies.
type Problem struct {
	Kind ProblemKind
	// Detail describes the problem with names and numbers.
	Detail string
	// Remedies are what a person may do, the mildest first.
	Remedies []string
	// Until is when the problem ends by itself; zero if that is not known.
	Until time.Time
}

const (
	waitAndDelete = "wait, and then delete the pod directly, which bypasses PDBs"
	pauseAndLook  = "stop or pause the automation, and find out why the application does not become ready"
)

// Diagnose returns the problems of a pod's budgets and of the pods in its namespace that make its evictions fail. It
// returns none if the eviction would be allowed.
func Diagnose(pod *v1.Pod, budgets []*policyv1.PodDisruptionBudget, namespace []*v1.Pod, now time.Time) []Problem {
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
		return []Problem{{
			Kind: MultipleBudgets, Detail: "the budgets " + strings.Join(names, ", ") + " all count the pod",
			Remedies: []string{"narrow the selectors of the budgets, or delete all but one", "delete the pod directly"},
		}}
	}
	verdict := Evaluate(Request{
		Name: pod.Name, Pod: pod, Budgets: counting, Now: now,
		Eviction: &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}},
	})
	if verdict.Refusal == nil {
		return nil
	}
	return budgetProblems(counting[0], pod, selected(counting[0], namespace), now)
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

func budgetProblems(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod, pods []*v1.Pod, now time.Time) []Problem {
	s := pdb.Status
	if s.ObservedGeneration < pdb.Generation {
		return []Problem{{
			Kind: NotObserved, Detail: fmt.Sprintf("the last change of the budget %s has not been counted yet", pdb.Name),
			Remedies: []string{"try again; if it lasts, look after the disruption controller in kube-controller-manager"},
		}}
	}
	if c := meta.FindStatusCondition(s.Conditions, policyv1.DisruptionAllowedCondition); c != nil && c.Reason == policyv1.SyncFailedReason {
		return []Problem{{
			Kind: SyncFailed, Detail: fmt.Sprintf("the budget %s cannot be counted: %s", pdb.Name, c.Message),
			Remedies: []string{"give the pods an owner that has a scale, or set minAvailable of the budget to a whole number"},
		}}
	}
	var all []Problem
	if s.ExpectedPods > 0 && s.DesiredHealthy >= s.ExpectedPods {
		all = append(all, Problem{
			Kind: RequiresAllPods, Detail: fmt.Sprintf("the budget %s wants %d of %d pods healthy at all times", pdb.Name, s.DesiredHealthy, s.ExpectedPods),
			Remedies: []string{"run more replicas", "raise maxUnavailable of the budget, or lower minAvailable", waitAndDelete},
		})
	}
	return append(all, podProblems(pdb, pod, pods, now)...)
}

// podProblems returns the problems of the pods that the budget selects.
func podProblems(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod, pods []*v1.Pod, now time.Time) []Problem {
	unready := Problem{Kind: PodsNotReady, Remedies: []string{pauseAndLook, waitAndDelete}}
	slow := Problem{Kind: PodsTerminating, Remedies: []string{waitAndDelete}}
	pending := Problem{Kind: EvictionsUnconfirmed, Remedies: []string{"wait: the budget counts them again after two minutes"}}
	var notReady, stopping, allowed []string
	for _, p := range pods {
		since, evicted := pdb.Status.DisruptedPods[p.Name]
		switch {
		case p.DeletionTimestamp != nil:
			stopping = append(stopping, p.Name)
			slow.Until = evict.Later(slow.Until, p.DeletionTimestamp.Time)
		case evicted && since.Add(deletionTimeout).After(now):
			allowed = append(allowed, p.Name)
			pending.Until = evict.Later(pending.Until, since.Add(deletionTimeout))
		case !isReady(p) && !isTerminal(p):
			notReady = append(notReady, p.Name)
		}
	}
	if !isReady(pod) {
		unready.Remedies = append(unready.Remedies, "set unhealthyPodEvictionPolicy of the budget to AlwaysAllow, so that pods that are not ready may go")
	}
	var all []Problem
	for _, found := range []struct {
		stuck Problem
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
