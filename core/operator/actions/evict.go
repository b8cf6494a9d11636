package actions

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// Evict evicts a pod, if its budgets allow.
type Evict struct{ Pod world.PodRef }

// ProposeEvict evicts a pod that has a node.
func ProposeEvict(pod *v1.Pod) (Action, error) {
	ref := world.PodRefOf(pod)
	if pod.Spec.NodeName == "" {
		return nil, errors.New(NotOnNode(ref))
	}
	return Evict{ref}, nil
}

// NotOnNode returns why a pod without a node is not evicted.
func NotOnNode(pod world.PodRef) string {
	return "pod " + printable.Line(pod.String(), 120) + " is on no node that it could be evicted from"
}

func (Evict) Verb() string       { return "evict" }
func (a Evict) String() string   { return "evict pod " + a.Pod.String() }
func (a Evict) DoneText() string { return "evicted pod " + a.Pod.String() }

// Command posts the Eviction itself: kubectl has no verb for it.
func (a Evict) Command() string {
	return `echo '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"` + a.Pod.Namespace + `","name":"` + a.Pod.Name + `"}}' | kubectl create --raw ` +
		"/api/v1/namespaces/" + a.Pod.Namespace + "/pods/" + a.Pod.Name + "/eviction -f -"
}

func (Evict) UndoText() string {
	return "none; only a controller creates another pod, and perhaps on another node."
}

func (Evict) Notes() []string            { return nil }
func (a Evict) Changes() []change.Change { return oneChange(change.DeletePod, a.Pod.String()) }

// RetryInterval is the time between two tries of an eviction that the API server rejects for now, as in kubectl.
const RetryInterval = 5 * time.Second

// do retries an eviction while a budget blocks it or the pod's namespace is terminating, until the context ends.
func (a Evict) do(ctx context.Context, h *Executor) error {
	namespaceTerminates := false
	for {
		err := h.evict(ctx, a.Pod)
		if namespaceTerminates && apierrors.IsNotFound(err) {
			return nil
		}
		var budget *budgetError
		var terminating *terminatingError
		namespaceTerminates = errors.As(err, &terminating)
		if !namespaceTerminates && !errors.As(err, &budget) || h.Pause == nil {
			return err
		}
		h.report(fmt.Sprintf("evicting pod %s: %v; retried every %s", a.Pod, err, RetryInterval))
		if h.Pause(ctx) != nil {
			return err
		}
	}
}

// evict tries an eviction once.
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
