package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"orrery/core/safe/printable"
	"orrery/core/world"
)

// Executor carries out actions.
type Executor struct {
	Client kubernetes.Interface
	// Activate moves a pod to the activeQ; nil if the scheduler is not ours.
	Activate func(context.Context, ...types.NamespacedName) error
	// Pause waits between two tries of an eviction.
	Pause func(context.Context) error
	// Progress, if set, receives how far a long action has come.
	Progress func(string)
}

// Do carries out an action. Errors name the missing RBAC rule, if that is the reason.
func (h *Executor) Do(ctx context.Context, a Action) error {
	var err error
	switch a.Verb {
	case Cordon, Uncordon:
		err = h.cordon(ctx, a.Node, a.Verb == Cordon)
	case Drain:
		err = h.drain(ctx, a.Node)
	case Evict:
		err = h.evictWithRetry(ctx, a.Pod)
	case Delete:
		err = h.delete(ctx, a.Pod)
	case Ungate:
		err = h.ungate(ctx, a)
	case Activate:
		if h.Activate == nil {
			return errors.New("the cluster's scheduler owns this pod, and there is no API to activate it; with --schedule the console is the scheduler")
		}
		err = h.Activate(ctx, types.NamespacedName{Namespace: a.Pod.Namespace, Name: a.Pod.Name})
	}
	if err != nil {
		return fmt.Errorf("trying to %s: %w", a, err)
	}
	return nil
}

func (h *Executor) cordon(ctx context.Context, node string, on bool) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"unschedulable": on}})
	if err != nil {
		return err
	}
	_, err = h.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return ExplainForbidden(err, Rule{Resource: "nodes", Verb: "patch"})
}

func (h *Executor) evict(ctx context.Context, pod world.PodRef) error {
	err := h.Client.CoreV1().Pods(pod.Namespace).EvictV1(ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: uidPrecondition(pod)},
	})
	switch {
	case apierrors.IsTooManyRequests(err):
		return &budgetError{err}
	case apierrors.IsForbidden(err) && apierrors.HasStatusCause(err, v1.NamespaceTerminatingCause):
		return &terminatingError{err}
	}
	return ExplainForbidden(err, Rule{Resource: "pods/eviction", Verb: "create", Namespace: pod.Namespace})
}

// budgetError: a PodDisruptionBudget blocks an eviction at the moment.
type budgetError struct{ err error }

func (e *budgetError) Error() string {
	return "a PodDisruptionBudget blocks it: " + printable.Line(e.err.Error(), 200)
}

func (e *budgetError) Unwrap() error { return e.err }

// terminatingError: the API server rejects evictions in a namespace that is being deleted. The namespace's deletion
// deletes the pod soon.
type terminatingError struct{ err error }

func (e *terminatingError) Error() string {
	return "its namespace is terminating: " + printable.Line(e.err.Error(), 200)
}

func (e *terminatingError) Unwrap() error { return e.err }

// uidPrecondition makes a call fail for a namesake.
func uidPrecondition(pod world.PodRef) *metav1.Preconditions {
	if pod.UID == "" {
		return nil
	}
	return &metav1.Preconditions{UID: &pod.UID}
}

func (h *Executor) delete(ctx context.Context, pod world.PodRef) error {
	err := h.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: uidPrecondition(pod)})
	return ExplainForbidden(err, Rule{Resource: "pods", Verb: "delete", Namespace: pod.Namespace})
}

// ungate removes the named gates, and keeps those that were added since.
func (h *Executor) ungate(ctx context.Context, a Action) error {
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
	return ExplainForbidden(err, Rule{Resource: "pods", Verb: "patch", Namespace: a.Pod.Namespace})
}

// evictWithRetry retries an eviction while a budget blocks it or the pod's namespace is terminating, until the context ends.
func (h *Executor) evictWithRetry(ctx context.Context, pod world.PodRef) error {
	namespaceTerminates := false
	for {
		err := h.evict(ctx, pod)
		if namespaceTerminates && apierrors.IsNotFound(err) {
			return nil
		}
		var budget *budgetError
		var terminating *terminatingError
		namespaceTerminates = errors.As(err, &terminating)
		if !namespaceTerminates && !errors.As(err, &budget) || h.Pause == nil {
			return err
		}
		h.report(fmt.Sprintf("evicting pod %s: %v; retried every %s", pod, err, RetryInterval))
		if h.Pause(ctx) != nil {
			return err
		}
	}
}

func (h *Executor) report(text string) {
	if h.Progress != nil {
		h.Progress(text)
	}
}
