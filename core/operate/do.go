package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
		err = h.evictOne(ctx, a.Pod)
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

// evictOne goes on asking for a pod that a budget holds until the context ends.
func (h *Hand) evictOne(ctx context.Context, pod world.Ref) error {
	for {
		err := h.evict(ctx, pod)
		var budget *heldError
		if !errors.As(err, &budget) || h.Pause == nil {
			return err
		}
		h.say(fmt.Sprintf("evicting pod %s: %v; asked again every %s", pod, budget, BetweenTries))
		if h.Pause(ctx) != nil {
			return err
		}
	}
}

func (h *Hand) say(text string) {
	if h.Said != nil {
		h.Said(text)
	}
}
