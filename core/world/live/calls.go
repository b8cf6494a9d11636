package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"orrery/core/world"
)

var errNotAllowed = errors.New("not done: this scheduler may not write any more")

// regards is the pod an act is about.
func regards(a world.Act) world.Ref {
	switch a := a.(type) {
	case world.Bind:
		return a.Pod
	case world.PatchStatus:
		return a.Pod
	case world.Delete:
		return a.Pod
	case world.Announce:
		return a.Regarding
	case world.Run:
		return a.Pod
	}
	return world.Ref{}
}

// carryOut makes one try. It answers with the outcome, or with when to try again.
func (c *Cluster) carryOut(j *job) (outcome world.Outcome, again time.Duration) {
	if j.began.IsZero() {
		j.began = c.clock.now()
	}
	if !c.options.Allowed() {
		c.count.fenced.Add(1)
		return outcomeOf(errNotAllowed), 0
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.options.Timeout)
	defer cancel()
	c.count.tries.Add(1)
	if j.tries > 0 {
		c.count.again.Add(1)
	}
	var err error
	began := c.clock.now()
	switch act := j.act.(type) {
	case world.Bind:
		err = c.bind(ctx, act, j)
	case world.PatchStatus:
		err = c.patchStatus(ctx, act, j)
	case world.Delete:
		err = c.delete(ctx, act, j)
	}
	c.options.Called(j.act, err, c.clock.now().Sub(began))
	return c.judged(j, err)
}

// judged decides whether a try was the last one.
func (c *Cluster) judged(j *job, err error) (world.Outcome, time.Duration) {
	verdict := read(err)
	if verdict == done || verdict == refused || stopping(c.ctx) {
		if verdict == refused && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // those happen to everybody
			c.options.Logger.Error(err, "The API server refused a call", "call", fmt.Sprintf("%T", j.act), "pod", regards(j.act))
		}
		return outcomeOf(err), 0
	}
	j.tries++
	_, binds := j.act.(world.Bind)
	j.doubtful = j.doubtful || verdict == unknown
	certain := !binds || !j.doubtful
	if certain && c.clock.now().Sub(j.began) >= Patience {
		c.count.gaveUp.Add(1)
		c.options.Logger.Error(err, "Gave a call to the API server up", "call", fmt.Sprintf("%T", j.act), "pod", regards(j.act), "tries", j.tries)
		return outcomeOf(fmt.Errorf("after %d tries in %s: %w", j.tries, Patience, err)), 0
	}
	c.options.Logger.V(3).Info("Call to the API server failed and will be tried again", "pod", regards(j.act), "tries", j.tries, "err", err)
	return world.Outcome{}, pauseAfter(j.tries, err)
}

func (c *Cluster) pods(ref world.Ref) corev1.PodInterface {
	return c.options.Client.CoreV1().Pods(ref.Namespace)
}

// bind makes a binding. When an earlier try may have been carried out, a refusal says nothing by itself: the pod is read
// to see where it is.
func (c *Cluster) bind(ctx context.Context, act world.Bind, j *job) error {
	err := c.pods(act.Pod).Bind(ctx, &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: act.Pod.Namespace, Name: act.Pod.Name, UID: act.Pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: act.Node},
	}, metav1.CreateOptions{})
	switch read(err) {
	case unknown:
		j.doubtful = true
	case refused, notYet:
		if j.doubtful && !apierrors.IsNotFound(err) {
			return c.whereIs(ctx, act, err)
		}
	}
	return err
}

// whereIs reads a pod whose binding may have been made: nil if it has its node, an error that says to go on asking if it
// has none or cannot be read, and otherwise why it will never have it.
func (c *Cluster) whereIs(ctx context.Context, act world.Bind, refusal error) error {
	pod, err := c.pods(act.Pod).Get(ctx, act.Pod.Name, metav1.GetOptions{})
	switch {
	case err != nil && read(err) == refused && !apierrors.IsNotFound(err):
		return fmt.Errorf("reading the pod: %v", err) // not wrapped: it is the question that was refused, not the binding
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

// delete deletes a pod with its own grace period. One that is gone when a try is repeated was deleted,
// even if a namesake has come since.
func (c *Cluster) delete(ctx context.Context, act world.Delete, j *job) error {
	var o metav1.DeleteOptions
	if act.Pod.UID != "" {
		o.Preconditions = metav1.NewUIDPreconditions(string(act.Pod.UID))
	}
	err := c.pods(act.Pod).Delete(ctx, act.Pod.Name, o)
	if j.doubtful && (apierrors.IsNotFound(err) || apierrors.IsConflict(err)) {
		return nil
	}
	return err
}

// patchStatus writes what is new, if anything is.
func (c *Cluster) patchStatus(ctx context.Context, act world.PatchStatus, j *job) error {
	if j.pod == nil {
		pod, err := c.pods(act.Pod).Get(ctx, act.Pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		j.pod = pod
	}
	patch, changes := statusPatch(act, j.pod, metav1.NewTime(c.clock.wall()))
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

// podPatch is a strategic merge patch of a pod's status. The UID makes the API server refuse it for a namesake.
type podPatch struct {
	Metadata struct {
		UID types.UID `json:"uid,omitempty"`
	} `json:"metadata"`
	Status struct {
		Conditions    []conditionPatch `json:"conditions,omitempty"`
		Order         []conditionType  `json:"$setElementOrder/conditions,omitempty"`
		NominatedNode *string          `json:"nominatedNodeName,omitempty"`
	} `json:"status"`
}

// conditionType is a condition in the order of all: without one, those that are patched come first.
type conditionType struct {
	Type v1.PodConditionType `json:"type"`
}

// conditionPatch is merged into the condition of its type. What is left out stays as it is.
type conditionPatch struct {
	Type               v1.PodConditionType `json:"type"`
	Status             v1.ConditionStatus  `json:"status"`
	Reason             string              `json:"reason"`
	Message            string              `json:"message"`
	ObservedGeneration int64               `json:"observedGeneration,omitempty"`
	LastTransitionTime *metav1.Time        `json:"lastTransitionTime,omitempty"`
}

// statusPatch is what has to be written for a pod to become as the act says, and whether it is not so already. The time
// of the transition is set where the condition's status changes.
func statusPatch(act world.PatchStatus, pod *v1.Pod, now metav1.Time) (patch podPatch, changes bool) {
	patch.Metadata.UID = act.Pod.UID
	if act.NominatedNode != nil && *act.NominatedNode != pod.Status.NominatedNodeName {
		patch.Status.NominatedNode, changes = act.NominatedNode, true
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
