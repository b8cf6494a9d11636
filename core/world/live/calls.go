package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/world"
)

// attempt makes one call. It returns the outcome, or the delay of a retry.
func (c *Cluster) attempt(j *task) (outcome world.Outcome, again time.Duration) {
	if j.began.IsZero() {
		j.began = c.clock.now()
	}
	if !c.options.Gate.open() {
		c.count.fenced.Add(1)
		outcome := outcomeOf(ErrNotLeading)
		if !j.uncertain {
			outcome.Reason = metav1.StatusReasonForbidden
		}
		return outcome, 0
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.options.Timeout)
	defer cancel()
	c.count.attempts.Add(1)
	if j.failures > 0 {
		c.count.retries.Add(1)
	}
	var err error
	began := c.clock.now()
	switch act := j.act.(type) {
	case world.Bind:
		err = c.bind(ctx, act, j)
	case world.PatchStatus:
		err = c.patchStatus(ctx, act, j)
	case world.Delete:
		err = c.deletePod(ctx, act, j)
	case world.ClaimVolume:
		err = c.claimVolume(ctx, act, j)
	case world.SelectNode:
		err = c.selectNode(ctx, act, j)
	case world.SetRuleCondition:
		err = c.setRuleCondition(ctx, act)
	default:
		err = c.writeResourceClaim(ctx, act, j)
	}
	c.options.OnCall(j.act, err, c.clock.now().Sub(began))
	return c.outcomeOrRetry(j, err)
}

// outcomeOrRetry decides whether a failed call is retried.
func (c *Cluster) outcomeOrRetry(j *task, err error) (world.Outcome, time.Duration) {
	verdict := resultOf(err)
	if verdict == callDone || verdict == callRefused || stopping(c.ctx) {
		if verdict == callRefused && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // both are normal
			c.options.Logger.Error(err, "The API server refused a call", "call", fmt.Sprintf("%T", j.act), "pod", world.PodOf(j.act))
		}
		outcome := outcomeOf(err)
		outcome.Version = j.version
		return outcome, 0
	}
	j.failures++
	_, binds := j.act.(world.Bind)
	j.uncertain = j.uncertain || verdict == callUnknown
	certain := !binds || !j.uncertain
	if certain && c.clock.now().Sub(j.began) >= MaxRetryTime {
		c.count.gaveUp.Add(1)
		c.options.Logger.Error(err, "Gave a call to the API server up", "call", fmt.Sprintf("%T", j.act), "pod", world.PodOf(j.act), "tries", j.failures)
		outcome := outcomeOf(fmt.Errorf("after %d tries in %s: %w", j.failures, MaxRetryTime, err))
		if j.uncertain && !outcome.Uncertain() { // an earlier attempt may have been carried out
			outcome.Reason = metav1.StatusReasonTimeout
		}
		return outcome, 0
	}
	c.options.Logger.V(3).Info("Call to the API server failed and will be tried again", "pod", world.PodOf(j.act), "tries", j.failures, "err", err)
	return world.Outcome{}, retryDelay(j.failures, err)
}

func (c *Cluster) pods(ref world.PodRef) corev1.PodInterface {
	return c.options.Client.CoreV1().Pods(ref.Namespace)
}

// bind makes a binding. If an earlier attempt may have succeeded, a refusal is ambiguous: the pod is read to see its node.
func (c *Cluster) bind(ctx context.Context, act world.Bind, j *task) error {
	err := c.pods(act.Pod).Bind(ctx, &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: act.Pod.Namespace, Name: act.Pod.Name, UID: act.Pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: act.Node},
	}, metav1.CreateOptions{})
	switch resultOf(err) {
	case callUnknown:
		j.uncertain = true
	case callRefused, callNotMade:
		if j.uncertain && !apierrors.IsNotFound(err) {
			return c.confirmBinding(ctx, act, err)
		}
	}
	return err
}

// confirmBinding reads a pod whose binding may have succeeded. It returns nil if the pod has the node, the refusal if
// it has none or cannot be read, which is retried, and otherwise the reason why it will never have the node.
func (c *Cluster) confirmBinding(ctx context.Context, act world.Bind, refusal error) error {
	pod, err := c.pods(act.Pod).Get(ctx, act.Pod.Name, metav1.GetOptions{})
	switch {
	case err != nil && resultOf(err) == callRefused && !apierrors.IsNotFound(err):
		return fmt.Errorf("reading the pod: %v", err) // not wrapped: the read was refused, not the binding
	case err != nil:
		return err
	case act.Pod.UID != "" && pod.UID != act.Pod.UID:
		return apierrors.NewNotFound(podResource, act.Pod.Name)
	case pod.Spec.NodeName == act.Node:
		return nil
	}
	return refusal
}

var podResource = schema.GroupResource{Resource: "pods"}

// deletePod deletes a pod with its own grace period. If a retry finds it gone, an earlier attempt deleted it, even if a
// namesake exists by now.
func (c *Cluster) deletePod(ctx context.Context, act world.Delete, j *task) error {
	var o metav1.DeleteOptions
	if act.Pod.UID != "" {
		o.Preconditions = metav1.NewUIDPreconditions(string(act.Pod.UID))
	}
	err := c.pods(act.Pod).Delete(ctx, act.Pod.Name, o)
	if j.uncertain && (apierrors.IsNotFound(err) || apierrors.IsConflict(err)) {
		return nil
	}
	return err
}

// patchStatus patches the fields that differ.
func (c *Cluster) patchStatus(ctx context.Context, act world.PatchStatus, j *task) error {
	if j.knownPod == nil {
		pod, err := c.pods(act.Pod).Get(ctx, act.Pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		j.knownPod = pod
	}
	patch, changes := statusPatch(act, j.knownPod, metav1.NewTime(c.clock.wall()))
	if !changes {
		return nil
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("writing the patch of pod %q: %w", act.Pod.Name, err)
	}
	_, err = c.pods(act.Pod).Patch(ctx, act.Pod.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
	return err
}

// podPatch is a strategic merge patch of a pod's status. The UID makes the API server reject it for a namesake.
type podPatch struct {
	Metadata struct {
		UID types.UID `json:"uid,omitempty"`
	} `json:"metadata"`
	Status struct {
		Conditions    []conditionPatch `json:"conditions,omitempty"`
		Order         []conditionType  `json:"$setElementOrder/conditions,omitempty"`
		NominatedNode *string          `json:"nominatedNodeName,omitempty"`

		ExtendedResources *v1.PodExtendedResourceClaimStatus `json:"extendedResourceClaimStatus,omitempty"`
	} `json:"status"`
}

// conditionType keeps the order of conditions: without one, patched ones would come first.
type conditionType struct {
	Type v1.PodConditionType `json:"type"`
}

// conditionPatch is merged into the condition of its type. Omitted fields stay as they are.
type conditionPatch struct {
	Type               v1.PodConditionType `json:"type"`
	Status             v1.ConditionStatus  `json:"status"`
	Reason             string              `json:"reason"`
	Message            string              `json:"message"`
	ObservedGeneration int64               `json:"observedGeneration,omitempty"`
	LastTransitionTime *metav1.Time        `json:"lastTransitionTime,omitempty"`
}

// statusPatch returns the difference between the pod's status and the action, and whether there is one. It sets the
// transition time if the condition's status changes. A nomination is always sent: the status may be from before an earlier one.
func statusPatch(act world.PatchStatus, pod *v1.Pod, now metav1.Time) (patch podPatch, changes bool) {
	patch.Metadata.UID = act.Pod.UID
	if act.NominatedNode != nil {
		patch.Status.NominatedNode, changes = act.NominatedNode, true
	}
	if act.ExtendedResources != nil && !resourceclaim.PodExtendedStatusEqual(act.ExtendedResources, pod.Status.ExtendedResourceClaimStatus) {
		patch.Status.ExtendedResources, changes = act.ExtendedResources, true
	}
	next := act.Condition
	if next == nil {
		return patch, changes
	}
	i := slices.IndexFunc(pod.Status.Conditions, func(had v1.PodCondition) bool { return had.Type == next.Type })
	written := conditionPatch{
		Type: next.Type, Status: next.Status, Reason: next.Reason, Message: next.Message,
		ObservedGeneration: next.ObservedGeneration,
	}
	if i < 0 || pod.Status.Conditions[i].Status != next.Status {
		written.LastTransitionTime = &now
	} else if had := pod.Status.Conditions[i]; had.Reason == next.Reason && had.Message == next.Message {
		return patch, changes
	}
	patch.Status.Conditions = []conditionPatch{written}
	for _, had := range pod.Status.Conditions {
		patch.Status.Order = append(patch.Status.Order, conditionType{had.Type})
	}
	if i < 0 {
		patch.Status.Order = append(patch.Status.Order, conditionType{next.Type})
	}
	return patch, true
}
