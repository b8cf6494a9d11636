package budget

import (
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
)

// Request is a call of the eviction subresource, with what the API server looks up to answer it.
type Request struct {
	// Name is the pod's name in the URL, DryRun the option of that name there.
	Name     string
	DryRun   []string
	Eviction *policyv1.Eviction
	// Pod is the pod as it is now, nil if there is none.
	Pod *v1.Pod
	// Budgets are those of the pod's namespace; which of them count the pod is found out here.
	Budgets []*policyv1.PodDisruptionBudget
	Now     time.Time
}

// Verdict is the answer, and what is to be written for it.
type Verdict struct {
	// Refusal is why not; nil if the pod may go. Its status is what the client gets.
	Refusal *apierrors.StatusError
	// Counted is the budget that was asked, as it was; nil if none had to be.
	Counted *policyv1.PodDisruptionBudget
	// Write is the budget's status to be stored first; nil if nothing changes.
	Write *policyv1.PodDisruptionBudget
	// Mark says that the pod gets the condition of [Mark] before it is deleted. It does not in a dry run.
	Mark bool
	// Delete is how the pod is to be deleted. A version in it is the one that the pod had here, before the mark.
	Delete metav1.DeleteOptions
	// Pinned says that the version in Delete was put there here, not by the client.
	Pinned bool
}

// Code is the HTTP status of the answer.
func (v Verdict) Code() int {
	if v.Refusal == nil {
		return http.StatusCreated
	}
	return int(v.Refusal.ErrStatus.Code)
}

// Raced is the answer where the pod is not the one that was looked at when it comes to its deletion; nil means to try
// again or, if the client gave the version, to answer with the conflict.
func (v Verdict) Raced() *apierrors.StatusError {
	if v.Pinned && v.Counted != nil {
		return beingProcessed(v.Counted.Name)
	}
	return nil
}

// mostDisrupted is how many evictions may be under way for one budget that its controller has not confirmed.
const mostDisrupted = 2000

const (
	wouldViolate   = "Cannot evict pod as it would violate the pod's disruption budget."
	severalBudgets = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
	// retrySeconds is after how long to ask again where the budget only has to be looked at.
	retrySeconds = 10
)

// Judge answers a request to evict a pod. A pod that has ended, waits to be scheduled or is being deleted goes whatever
// the budgets say, and so does one that no budget counts.
func Judge(r Request) Verdict {
	options, refusal := r.options()
	if refusal != nil {
		return Verdict{Refusal: refusal}
	}
	pod := r.Pod
	if pod == nil {
		return Verdict{Refusal: apierrors.NewNotFound(v1.Resource("pods"), r.Name)}
	}
	v := Verdict{Delete: options, Mark: !isDryRun(options)}
	leaves := hasEnded(pod) || pod.DeletionTimestamp != nil
	if leaves || pod.Status.Phase == v1.PodPending {
		if !leaves && !hasVersion(options) {
			v.pin(pod)
		}
		return v.checked(pod)
	}
	var counting []*policyv1.PodDisruptionBudget
	for _, pdb := range r.Budgets {
		if Selects(pdb, pod) {
			counting = append(counting, pdb)
		}
	}
	switch len(counting) {
	case 0:
		return v.checked(pod)
	case 1:
		return v.ask(counting[0], pod, r.Now)
	}
	return Verdict{Refusal: broken(severalBudgets)}
}

func broken(message string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message,
	}}
}

// ask asks the one budget that counts the pod.
func (v Verdict) ask(pdb *policyv1.PodDisruptionBudget, pod *v1.Pod, now time.Time) Verdict {
	v.Counted = pdb
	if !isReady(pod) && unhealthyMayGo(pdb) {
		v.pin(pod)
		return v.checked(pod)
	}
	if refusal := refusalOf(pdb); refusal != nil {
		return Verdict{Refusal: refusal, Counted: pdb}
	}
	if v.Mark {
		v.Write = charge(pdb, pod.Name, now)
	}
	return v.checked(pod)
}

// unhealthyMayGo tells whether a pod that is not ready goes without being counted: always if the budget says so, and
// otherwise while there are enough healthy ones.
func unhealthyMayGo(pdb *policyv1.PodDisruptionBudget) bool {
	policy, s := pdb.Spec.UnhealthyPodEvictionPolicy, pdb.Status
	return policy != nil && *policy == policyv1.AlwaysAllow ||
		s.DesiredHealthy > 0 && s.CurrentHealthy >= s.DesiredHealthy
}

// charge is the budget with one disruption less to give.
func charge(pdb *policyv1.PodDisruptionBudget, pod string, now time.Time) *policyv1.PodDisruptionBudget {
	charged := pdb.DeepCopy()
	charged.Status.DisruptionsAllowed--
	if charged.Status.DisruptionsAllowed == 0 {
		had := meta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
		poddisruptionbudget.UpdateDisruptionAllowedCondition(charged)
		dateCondition(charged, had, now)
	}
	disrupted := maps.Clone(charged.Status.DisruptedPods)
	if disrupted == nil {
		disrupted = map[string]metav1.Time{}
	}
	disrupted[pod] = metav1.Time{Time: now.Truncate(time.Second)}
	charged.Status.DisruptedPods = disrupted
	return charged
}

// dateCondition gives the condition of a budget the time of the transition, where its status is another than it was.
func dateCondition(pdb *policyv1.PodDisruptionBudget, had *metav1.Condition, now time.Time) {
	is := meta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if had == nil || had.Status != is.Status {
		is.LastTransitionTime = metav1.Time{Time: now.Truncate(time.Second)}
	}
}

var budgets = schema.GroupResource{Group: policyv1.GroupName, Resource: "poddisruptionbudget"}

// refusalOf is why a budget does not let a pod go; nil if it does.
func refusalOf(pdb *policyv1.PodDisruptionBudget) *apierrors.StatusError {
	forbid := func(why string) *apierrors.StatusError {
		return apierrors.NewForbidden(budgets, pdb.Name, fmt.Errorf("%s", why))
	}
	s := pdb.Status
	switch {
	case s.ObservedGeneration < pdb.Generation:
		return beingProcessed(pdb.Name)
	case s.DisruptionsAllowed < 0:
		return forbid("pdb disruptions allowed is negative")
	case len(s.DisruptedPods) > mostDisrupted:
		return forbid("DisruptedPods map too big - too many evictions not confirmed by PDB controller")
	case s.DisruptionsAllowed == 0:
		return tooManyRequests(0, notNow(pdb))
	}
	return nil
}

// notNow says why a budget has nothing to give.
func notNow(pdb *policyv1.PodDisruptionBudget) string {
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

func beingProcessed(name string) *apierrors.StatusError {
	return tooManyRequests(retrySeconds, fmt.Sprintf("The disruption budget %s is still being processed by the server.", name))
}

func tooManyRequests(retryAfter int, cause string) *apierrors.StatusError {
	err := apierrors.NewTooManyRequests(wouldViolate, retryAfter)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes,
		metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: cause})
	return err
}

// options are how the pod is to be deleted: what the client says, with a dry run asked for in either place.
func (r Request) options() (metav1.DeleteOptions, *apierrors.StatusError) {
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
		return options, broken(fmt.Sprintf("Non-matching dry-run options in request and content: %v and %v", r.DryRun, options.DryRun))
	}
	return options, nil
}

func isDryRun(o metav1.DeleteOptions) bool { return len(o.DryRun) > 0 }

func hasVersion(o metav1.DeleteOptions) bool {
	return o.Preconditions != nil && o.Preconditions.ResourceVersion != nil
}

// pin lets the pod be deleted only as it is: if it became ready meanwhile, a budget would have to be asked.
func (v *Verdict) pin(pod *v1.Pod) {
	own := metav1.Preconditions{}
	if v.Delete.Preconditions != nil {
		own = *v.Delete.Preconditions
	}
	v.Pinned = own.ResourceVersion == nil
	version := pod.ResourceVersion
	own.ResourceVersion = &version
	v.Delete.Preconditions = &own
}

// checked is the verdict on a client that meant another pod, or another version of it. The budget is charged all the
// same: that is written first.
func (v Verdict) checked(pod *v1.Pod) Verdict {
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
	if v.Refusal = v.Raced(); v.Refusal == nil {
		v.Refusal = apierrors.NewConflict(schema.GroupResource{Resource: "Pod"}, pod.Name, why)
	}
	return v
}

// Mark is the condition that an evicted pod gets before it is deleted.
func Mark(now time.Time) v1.PodCondition {
	return v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "EvictionByEvictionAPI",
		Message: "Eviction API: evicting", LastTransitionTime: metav1.Time{Time: now.Truncate(time.Second)},
	}
}
