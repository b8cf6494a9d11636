package budget

import (
	"fmt"
	"math"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/component-helpers/apps/poddisruptionbudget"

	"orrery/core/world"
)

// An allowed eviction must lead to a deletion within deletionTimeout; the condition of one that does not is removed after
// staleConditionTimeout.
const (
	deletionTimeout       = 2 * time.Minute
	staleConditionTimeout = 2 * time.Minute
)

// Counts are a budget's numbers.
type Counts struct {
	// Expected is how many pods there should be, Desired how many must be healthy, Healthy how many are.
	Expected, Desired, Healthy int32
	// Allowed is the number of allowed disruptions.
	Allowed int32
	// Disrupted are the pods whose evictions were allowed and that are not terminating yet.
	Disrupted map[string]metav1.Time
	// Unmanaged are the pods without a controller, which no scale counts.
	Unmanaged []string
}

// SyncResult is the disruption controller's result for a budget.
type SyncResult struct {
	Counts
	// UpdatedBudget is the budget with its new status; nil if it is unchanged.
	UpdatedBudget *policyv1.PodDisruptionBudget
	// Failure is why the budget cannot be counted; it allows nothing then.
	Failure error
	// Recheck is when an allowed eviction times out; zero if none is pending.
	Recheck time.Time
	// Events are for the budget and its pods.
	Events []world.EmitEvent
}

// Sync counts a budget. The pods are those of its namespace.
func Sync(pdb *policyv1.PodDisruptionBudget, namespace []*v1.Pod, scales Scales, now time.Time) SyncResult {
	var s SyncResult
	if _, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector); err != nil {
		s.addEvent(pdb, v1.EventTypeWarning, "NoPods", fmt.Sprintf("Failed to get pods: %v", err))
		return s.failSafe(pdb, err, now)
	}
	var pods []*v1.Pod
	for _, pod := range namespace {
		if Selects(pdb, pod) {
			pods = append(pods, pod)
		}
	}
	if len(pods) == 0 {
		s.addEvent(pdb, v1.EventTypeNormal, "NoPods", "No matching pods found")
	}
	if err := s.countExpected(pdb, pods, scales); err != nil {
		s.addEvent(pdb, v1.EventTypeWarning, "CalculateExpectedPodCountFailed",
			fmt.Sprintf("Failed to calculate the number of expected pods: %v", err))
		return s.failSafe(pdb, err, now)
	}
	if len(s.Unmanaged) > 0 {
		s.addEvent(pdb, v1.EventTypeWarning, "UnmanagedPods", fmt.Sprintf("Pods selected by this PodDisruptionBudget (selector: %v) were found "+
			"to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. "+
			"To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value.", pdb.Spec.Selector))
	}
	s.trackDisrupted(pdb, pods, now)
	s.Healthy = countHealthy(pods, s.Disrupted)
	if s.Expected > 0 {
		s.Allowed = max(0, s.Healthy-s.Desired)
	}
	s.writeStatus(pdb, now)
	return s
}

func (s *SyncResult) addEvent(pdb *policyv1.PodDisruptionBudget, kind, reason, note string) {
	s.Events = append(s.Events, world.EmitEvent{
		Regarding: world.PodRef{Namespace: pdb.Namespace, Name: pdb.Name, UID: pdb.UID},
		Type:      kind, Reason: reason, Note: note, Controller: "controllermanager",
	})
}

// countExpected finds how many pods there should be and how many must be healthy. An absolute minAvailable counts the
// existing pods; everything else uses their owners' scales.
func (s *SyncResult) countExpected(pdb *policyv1.PodDisruptionBudget, pods []*v1.Pod, scales Scales) (err error) {
	most, least := pdb.Spec.MaxUnavailable, pdb.Spec.MinAvailable
	switch {
	case most == nil && least == nil:
		return nil
	case most == nil && least.Type == intstr.Int:
		s.Expected, s.Desired = int32(len(pods)), least.IntVal
		return nil
	}
	if s.Expected, s.Unmanaged, err = sumScales(pods, scales); err != nil {
		return err
	}
	if most != nil {
		unavailable, err := intstr.GetScaledValueFromIntOrPercent(most, int(s.Expected), true)
		s.Desired = max(0, toInt32(int(s.Expected)-unavailable))
		return err
	}
	available, err := intstr.GetScaledValueFromIntOrPercent(least, int(s.Expected), true)
	s.Desired = toInt32(available)
	return err
}

func toInt32(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// sumScales sums the scales of the pods' controllers, each of them once.
func sumScales(pods []*v1.Pod, scales Scales) (_ int32, unmanaged []string, err error) {
	sum := 0
	known := map[types.UID]int32{}
	for _, pod := range pods {
		ref := metav1.GetControllerOfNoCopy(pod)
		if ref == nil {
			unmanaged = append(unmanaged, pod.Name)
			continue
		}
		if _, ok := known[ref.UID]; ok {
			continue
		}
		found, sc, err := scales.find(ref, pod.Namespace)
		switch {
		case err != nil:
			return 0, unmanaged, err
		case !found:
			return 0, unmanaged, fmt.Errorf("found no controllers for pod %q", pod.Name)
		}
		if _, ok := known[sc.owner]; !ok {
			sum += int(sc.replicas)
		}
		known[sc.owner] = sc.replicas
	}
	return toInt32(sum), unmanaged, nil
}

// trackDisrupted keeps the allowed evictions whose pods exist and are not terminating, until deletionTimeout; after that it
// emits an event.
func (s *SyncResult) trackDisrupted(pdb *policyv1.PodDisruptionBudget, pods []*v1.Pod, now time.Time) {
	s.Disrupted = map[string]metav1.Time{}
	for _, pod := range pods {
		allowed, ok := pdb.Status.DisruptedPods[pod.Name]
		if !ok || pod.DeletionTimestamp != nil {
			continue
		}
		due := allowed.Add(deletionTimeout)
		if !due.After(now) {
			s.Events = append(s.Events, world.EmitEvent{
				Regarding: world.PodRefOf(pod), Type: v1.EventTypeWarning, Reason: "NotDeleted", Controller: "controllermanager",
				Note: fmt.Sprintf("Pod was expected by PDB %s/%s to be deleted but it wasn't", pdb.Namespace, pdb.Namespace),
			})
			continue
		}
		s.Disrupted[pod.Name] = allowed
		if s.Recheck.IsZero() || due.Before(s.Recheck) {
			s.Recheck = due
		}
	}
}

// countHealthy counts the ready pods that are neither terminating nor disrupted.
func countHealthy(pods []*v1.Pod, disrupted map[string]metav1.Time) (n int32) {
	for _, pod := range pods {
		_, leaves := disrupted[pod.Name]
		if pod.DeletionTimestamp == nil && !leaves && isReady(pod) {
			n++
		}
	}
	return n
}

// writeStatus writes the counts into the budget's status if they differ.
func (s *SyncResult) writeStatus(pdb *policyv1.PodDisruptionBudget, now time.Time) {
	had := pdb.Status
	if had.CurrentHealthy == s.Healthy && had.DesiredHealthy == s.Desired && had.ExpectedPods == s.Expected &&
		had.DisruptionsAllowed == s.Allowed && had.ObservedGeneration == pdb.Generation &&
		equality.Semantic.DeepEqual(had.DisruptedPods, s.Disrupted) && poddisruptionbudget.ConditionsAreUpToDate(pdb) {
		return
	}
	next := pdb.DeepCopy()
	next.Status = policyv1.PodDisruptionBudgetStatus{
		CurrentHealthy: s.Healthy, DesiredHealthy: s.Desired, ExpectedPods: s.Expected, DisruptionsAllowed: s.Allowed,
		DisruptedPods: s.Disrupted, ObservedGeneration: pdb.Generation, Conditions: next.Status.Conditions,
	}
	poddisruptionbudget.UpdateDisruptionAllowedCondition(next)
	setTransitionTime(next, meta.FindStatusCondition(had.Conditions, policyv1.DisruptionAllowedCondition), now)
	s.UpdatedBudget = next
}

// failSafe makes a budget that cannot be counted allow nothing.
func (s SyncResult) failSafe(pdb *policyv1.PodDisruptionBudget, err error, now time.Time) SyncResult {
	s.Failure = err
	next := pdb.DeepCopy()
	next.Status.DisruptionsAllowed = 0
	meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason,
		Message: err.Error(), ObservedGeneration: next.Status.ObservedGeneration,
	})
	setTransitionTime(next, meta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition), now)
	if !equality.Semantic.DeepEqual(next.Status, pdb.Status) {
		s.UpdatedBudget = next
	}
	return s
}

// StaleConditionAt returns when a pod loses the condition of an eviction that led to no deletion; ok is false if it has
// none. Conditions set by a kubelet and those of terminal pods stay.
func StaleConditionAt(pod *v1.Pod) (at time.Time, ok bool) {
	c := conditionOf(pod, v1.DisruptionTarget)
	if c == nil || c.Status != v1.ConditionTrue || c.Reason == v1.PodReasonTerminationByKubelet ||
		pod.DeletionTimestamp != nil || isTerminal(pod) {
		return time.Time{}, false
	}
	return c.LastTransitionTime.Add(staleConditionTimeout), true
}
