package budget

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/apps/poddisruptionbudget"

	"orrery/core/safe/plural"
)

// Request is a call of the eviction subresource with the objects that the API server looks up for it.
type Request struct {
	// Name is the pod's name in the URL, DryRun the URL's dryRun option.
	Name     string
	DryRun   []string
	Eviction *policyv1.Eviction
	// Pod is the current pod, or nil.
	Pod *v1.Pod
	// Budgets are those of the pod's namespace.
	Budgets []*policyv1.PodDisruptionBudget
	Now     time.Time
}

// Response is the answer and what the API server writes for it.
type Response struct {
	// Refusal is the error for the client; nil if the eviction is allowed.
	Refusal *apierrors.StatusError
	// Budget is the budget that decides, as it was; nil if none had to.
	Budget *policyv1.PodDisruptionBudget
	// UpdatedBudget is the budget with the status to store first; nil if nothing changes.
	UpdatedBudget *policyv1.PodDisruptionBudget
	// AddCondition is true if the pod gets [DisruptionCondition] before its deletion; a dry run adds none.
	AddCondition bool
	// Delete holds the options of the deletion. Its resourceVersion is the pod's before the condition was set.
	Delete metav1.DeleteOptions
	// Pinned is true if Evaluate, not the client, set the resourceVersion in Delete.
	Pinned bool
}

// Code returns the HTTP status of the answer.
func (v Response) Code() int {
	if v.Refusal == nil {
		return http.StatusCreated
	}
	return int(v.Refusal.ErrStatus.Code)
}

// ConflictRefusal is the answer if the pod has changed when it is to be deleted; nil means to retry or, if the client gave
// the resourceVersion, to return the conflict.
func (v Response) ConflictRefusal() *apierrors.StatusError {
	if v.Pinned && v.Budget != nil {
		return beingProcessed(v.Budget.Name)
	}
	return nil
}

// maxDisruptedPods bounds the evictions of one budget that its controller has not confirmed.
//
//orrery:limit scenarios; evictions of a budget that its controller has not confirmed; an eviction is refused
const maxDisruptedPods = 2000

const (
	wouldViolate   = "Cannot evict pod as it would violate the pod's disruption budget."
	severalBudgets = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
	// retrySeconds is the Retry-After of a budget that only has to be synced.
	retrySeconds = 10
)

// Evaluate answers a request to evict a pod. Terminal, pending and terminating pods are deleted regardless of budgets, and
// so are pods that no budget selects.
func Evaluate(r Request) Response {
	options, refusal := r.deleteOptions()
	if refusal != nil {
		return Response{Refusal: refusal}
	}
	pod := r.Pod
	if pod == nil {
		return Response{Refusal: apierrors.NewNotFound(v1.Resource("pods"), r.Name)}
	}
	v := Response{Delete: options, AddCondition: !isDryRun(options)}
	leaves := isTerminal(pod) || pod.DeletionTimestamp != nil
	if leaves || pod.Status.Phase == v1.PodPending {
		if !leaves && !hasVersion(options) {
			v.pin(pod)
		}
		return v.checkPreconditions(pod)
	}
	var counting []*policyv1.PodDisruptionBudget
	for _, pdb := range r.Budgets {
		if Selects(pdb, pod) {
			counting = append(counting, pdb)
		}
	}
	switch len(counting) {
	case 0:
		return v.checkPreconditions(pod)
	case 1:
		return v.checkBudget(counting[0], pod, r.Now)
	}
	return Response{Refusal: internalError(severalBudgets)}
}

func internalError(message string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message,
	}}
}

// checkBudget checks the one budget that selects the pod.
func (v Response) checkBudget(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod, now time.Time) Response {
	v.Budget = pdb
	if !isReady(pod) && allowsUnhealthy(pdb) {
		v.pin(pod)
		return v.checkPreconditions(pod)
	}
	if refusal := refusalOf(pdb); refusal != nil {
		return Response{Refusal: refusal, Budget: pdb}
	}
	if v.AddCondition {
		v.UpdatedBudget = charge(pdb, pod.Name, now)
	}
	return v.checkPreconditions(pod)
}

// allowsUnhealthy reports whether a pod that is not ready is evicted without a charge: always under AlwaysAllow, else while
// enough pods are healthy.
func allowsUnhealthy(pdb *policyv1.PodDisruptionBudget) bool {
	// Without a policy, a pod that is not ready holds up a drain while the budget is not met. That is kept for compatibility: KEP-3017.
	policy, s := pdb.Spec.UnhealthyPodEvictionPolicy, pdb.Status
	return policy != nil && *policy == policyv1.AlwaysAllow ||
		s.DesiredHealthy > 0 && s.CurrentHealthy >= s.DesiredHealthy
}

// charge returns the budget with one allowed disruption less.
func charge(pdb *policyv1.PodDisruptionBudget, pod string, now time.Time) *policyv1.PodDisruptionBudget {
	charged := pdb.DeepCopy()
	charged.Status.DisruptionsAllowed--
	if charged.Status.DisruptionsAllowed == 0 {
		had := meta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
		poddisruptionbudget.UpdateDisruptionAllowedCondition(charged)
		setTransitionTime(charged, had, now)
	}
	disrupted := maps.Clone(charged.Status.DisruptedPods)
	if disrupted == nil {
		disrupted = map[string]metav1.Time{}
	}
	disrupted[pod] = metav1.Time{Time: now.Truncate(time.Second)}
	charged.Status.DisruptedPods = disrupted
	return charged
}

// setTransitionTime sets the transition time of a budget's condition if its status has changed.
func setTransitionTime(pdb *policyv1.PodDisruptionBudget, had *metav1.Condition, now time.Time) {
	is := meta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if had == nil || had.Status != is.Status {
		is.LastTransitionTime = metav1.Time{Time: now.Truncate(time.Second)}
	}
}

var budgetResource = schema.GroupResource{Group: policyv1.GroupName, Resource: "poddisruptionbudget"}

// refusalOf returns why a budget refuses an eviction; nil if it allows it.
func refusalOf(pdb *policyv1.PodDisruptionBudget) *apierrors.StatusError {
	forbid := func(why, cause string) *apierrors.StatusError {
		return withCause(apierrors.NewForbidden(budgetResource, pdb.Name, errors.New(why)),
			fmt.Sprintf("The disruption budget %s does not allow evicting pods currently: %s", pdb.Name, cause))
	}
	s := pdb.Status
	switch {
	case s.ObservedGeneration < pdb.Generation:
		return beingProcessed(pdb.Name)
	case s.DisruptionsAllowed < 0:
		return forbid("pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
	case len(s.DisruptedPods) > maxDisruptedPods:
		return forbid("DisruptedPods map too big - too many evictions not confirmed by PDB controller",
			"too many pending evictions not confirmed by PDB controller")
	case s.DisruptionsAllowed == 0:
		return tooManyRequests(0, refusalMessage(pdb))
	}
	return nil
}

// refusalMessage describes why a budget allows no disruption.
func refusalMessage(pdb *policyv1.PodDisruptionBudget) string {
	s := pdb.Status
	c := meta.FindStatusCondition(s.Conditions, policyv1.DisruptionAllowedCondition)
	refuses := c != nil && c.Status == metav1.ConditionFalse && c.Message != ""
	switch {
	case refuses && c.Reason == policyv1.SyncFailedReason:
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently because it failed sync: %s", pdb.Name, c.Message)
	case s.CurrentHealthy <= s.DesiredHealthy:
		return fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", pdb.Name, s.DesiredHealthy, s.CurrentHealthy)
	case refuses:
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently (%s): %s", pdb.Name, c.Reason, c.Message)
	}
	return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", pdb.Name)
}

// Brief says why a budget refuses an eviction: in few words where too few of its pods are healthy, else as the API server does.
func (v Response) Brief() string {
	s := v.Budget.Status
	c := meta.FindStatusCondition(s.Conditions, policyv1.DisruptionAllowedCondition)
	if s.DisruptionsAllowed == 0 && s.CurrentHealthy <= s.DesiredHealthy && (c == nil || c.Reason != policyv1.SyncFailedReason) {
		return fmt.Sprintf("budget %s needs %s and has %d", v.Budget.Name, plural.Count(s.DesiredHealthy, "healthy pod"), s.CurrentHealthy)
	}
	return RefusalCause(v.Refusal)
}

func beingProcessed(name string) *apierrors.StatusError {
	return tooManyRequests(retrySeconds, fmt.Sprintf("The disruption budget %s is still being processed by the server.", name))
}

func tooManyRequests(retryAfter int, cause string) *apierrors.StatusError {
	return withCause(apierrors.NewTooManyRequests(wouldViolate, retryAfter), cause)
}

// withCause says in an error, which is new, how a budget is its cause.
func withCause(err *apierrors.StatusError, cause string) *apierrors.StatusError {
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes,
		metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: cause})
	return err
}

// deleteOptions returns the client's options, with a dry run requested in either place.
func (r Request) deleteOptions() (metav1.DeleteOptions, *apierrors.StatusError) {
	if r.Name != r.Eviction.Name {
		return metav1.DeleteOptions{}, apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	given := r.Eviction.DeleteOptions
	if given == nil {
		return metav1.DeleteOptions{DryRun: r.DryRun}, nil
	}
	if ignore := given.IgnoreStoreReadErrorWithClusterBreakingPotential; ignore != nil && *ignore {
		return metav1.DeleteOptions{}, apierrors.NewInvalid(policyv1.SchemeGroupVersion.WithKind("Eviction").GroupKind(), r.Name, field.ErrorList{
			field.Invalid(field.NewPath("deleteOptions").Child("ignoreStoreReadErrorWithClusterBreakingPotential"), true,
				"can not be set for pod eviction, try after removing the option"),
		})
	}
	options := *given.DeepCopy()
	switch {
	case len(options.DryRun) == 0:
		options.DryRun = r.DryRun
	case len(r.DryRun) != 0 && !reflect.DeepEqual(r.DryRun, options.DryRun):
		return options, internalError(fmt.Sprintf("Non-matching dry-run options in request and content: %v and %v", r.DryRun, options.DryRun))
	}
	return options, nil
}

func isDryRun(o metav1.DeleteOptions) bool { return len(o.DryRun) > 0 }

func hasVersion(o metav1.DeleteOptions) bool {
	return o.Preconditions != nil && o.Preconditions.ResourceVersion != nil
}

// pin makes the deletion depend on the pod's resourceVersion: if the pod became ready meanwhile, a budget would have to be
// checked.
func (v *Response) pin(pod *v1.Pod) {
	own := metav1.Preconditions{}
	if v.Delete.Preconditions != nil {
		own = *v.Delete.Preconditions
	}
	v.Pinned = own.ResourceVersion == nil
	version := pod.ResourceVersion
	own.ResourceVersion = &version
	v.Delete.Preconditions = &own
}

// checkPreconditions refuses if the client meant another pod or another version of it. The budget is charged all the same,
// since that is written first.
func (v Response) checkPreconditions(pod *v1.Pod) Response {
	only := v.Delete.Preconditions
	if only == nil {
		return v
	}
	var why error
	switch {
	case only.UID != nil && *only.UID != "" && *only.UID != pod.UID:
		why = fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *only.UID, pod.UID)
	case only.ResourceVersion != nil && *only.ResourceVersion != "" && *only.ResourceVersion != pod.ResourceVersion:
		why = fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *only.ResourceVersion, pod.ResourceVersion)
	default:
		return v
	}
	if v.Refusal = v.ConflictRefusal(); v.Refusal == nil {
		v.Refusal = apierrors.NewConflict(schema.GroupResource{Resource: "Pod"}, pod.Name, why)
	}
	return v
}

// DisruptionCondition returns the condition that an evicted pod gets before it is deleted.
func DisruptionCondition(now time.Time) v1.PodCondition {
	return v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "EvictionByEvictionAPI",
		Message: "Eviction API: evicting", LastTransitionTime: metav1.Time{Time: now.Truncate(time.Second)},
	}
}
