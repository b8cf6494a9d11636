package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"orrery/core/printable"
	"orrery/core/world"
)

// Hand carries actions out.
type Hand struct {
	Client kubernetes.Interface
	// Activate has the scheduler try a pod at once; nil if the scheduler is not ours.
	Activate func(context.Context, ...types.NamespacedName) error
	// Pause waits between two tries of what a budget holds.
	Pause func(context.Context) error
	// Said hears how far something long has come; it may be nil.
	Said func(string)
}

// Do carries an action out. The error says why not, and names the RBAC rule if it is for want of one.
func (h *Hand) Do(ctx context.Context, a Action) error {
	var err error
	switch a.Verb {
	case Cordon, Uncordon:
		err = h.cordon(ctx, a.Node, a.Verb == Cordon)
	case Drain:
		err = h.drain(ctx, a.Node)
	case Evict:
		err = h.evict(ctx, a.Pod)
	case Delete:
		err = h.delete(ctx, a.Pod)
	case Ungate:
		err = h.ungate(ctx, a)
	case Activate:
		if h.Activate == nil {
			return errors.New("another scheduler has this pod, and nobody can hurry that; start the console with --schedule to be the scheduler")
		}
		err = h.Activate(ctx, types.NamespacedName{Namespace: a.Pod.Namespace, Name: a.Pod.Name})
	}
	if err != nil {
		return fmt.Errorf("could not %s: %w", a, err)
	}
	return nil
}

func (h *Hand) cordon(ctx context.Context, node string, on bool) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"unschedulable": on}})
	if err != nil {
		return err
	}
	_, err = h.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return Refused(err, Rule{Resource: "nodes", Verb: "patch"})
}

func (h *Hand) evict(ctx context.Context, pod world.Ref) error {
	err := h.Client.CoreV1().Pods(pod.Namespace).EvictV1(ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: only(pod)},
	})
	if apierrors.IsTooManyRequests(err) {
		return &heldError{err}
	}
	return Refused(err, Rule{Resource: "pods/eviction", Verb: "create", Namespace: pod.Namespace})
}

// heldError says that a disruption budget does not allow an eviction at the moment.
type heldError struct{ err error }

func (e *heldError) Error() string {
	return "a disruption budget does not allow it now: " + printable.Line(e.err.Error(), 200)
}

func (e *heldError) Unwrap() error { return e.err }

// only makes a call fail that would befall a namesake.
func only(pod world.Ref) *metav1.Preconditions {
	if pod.UID == "" {
		return nil
	}
	return &metav1.Preconditions{UID: &pod.UID}
}

func (h *Hand) delete(ctx context.Context, pod world.Ref) error {
	err := h.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: only(pod)})
	return Refused(err, Rule{Resource: "pods", Verb: "delete", Namespace: pod.Namespace})
}

// ungate takes the named gates off, and leaves those that came meanwhile.
func (h *Hand) ungate(ctx context.Context, a Action) error {
	type gate struct {
		Name  string `json:"name"`
		Patch string `json:"$patch"`
	}
	var gates []gate
	for _, name := range a.Gates {
		gates = append(gates, gate{name, "delete"})
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": a.Pod.UID}, "spec": map[string]any{"schedulingGates": gates}})
	if err != nil {
		return err
	}
	_, err = h.Client.CoreV1().Pods(a.Pod.Namespace).Patch(ctx, a.Pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return Refused(err, Rule{Resource: "pods", Verb: "patch", Namespace: a.Pod.Namespace})
}

// BetweenTries is how long a drain waits before it asks again for what a budget holds, as kubectl does.
const BetweenTries = 5 * time.Second

// drain cordons a node and evicts what is on it, but for pods of daemon sets and those that the kubelet made itself. It goes
// on asking for what budgets hold until the context ends.
func (h *Hand) drain(ctx context.Context, node string) error {
	if err := h.cordon(ctx, node, true); err != nil {
		return err
	}
	pods, err := h.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return Refused(err, Rule{Resource: "pods", Verb: "list"})
	}
	var left []world.Ref
	for i := range pods.Items {
		if pod := &pods.Items[i]; leaves(pod) {
			left = append(left, world.RefOf(pod))
		}
	}
	for all := len(left); ; {
		if left, err = h.evictAll(ctx, left); err != nil || len(left) == 0 {
			return err
		}
		h.say(fmt.Sprintf("draining node %s: %d of %d pods asked to leave, %d held by disruption budgets", node, all-len(left), all, len(left)))
		if h.Pause == nil {
			return fmt.Errorf("disruption budgets hold %d of %d pods, %s first", len(left), all, left[0])
		}
		if err := h.Pause(ctx); err != nil {
			return fmt.Errorf("disruption budgets still hold %d of %d pods, %s first: %w", len(left), all, left[0], err)
		}
	}
}

// evictAll asks all to leave, and gives back those that budgets hold.
func (h *Hand) evictAll(ctx context.Context, pods []world.Ref) (held []world.Ref, err error) {
	for _, pod := range pods {
		err := h.evict(ctx, pod)
		var budget *heldError
		switch {
		case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err): // gone, or another in its place
		case errors.As(err, &budget):
			held = append(held, pod)
		default:
			return nil, err
		}
	}
	return held, nil
}

func leaves(pod *v1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	_, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]
	over := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
	return !mirror && !over && pod.DeletionTimestamp == nil && (owner == nil || owner.Kind != "DaemonSet")
}

func (h *Hand) say(text string) {
	if h.Said != nil {
		h.Said(text)
	}
}
