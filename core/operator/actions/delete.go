package actions

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/change"
	"orrery/core/world"
)

// Delete deletes a pod, whatever its budgets say.
type Delete struct{ Pod world.PodRef }

// ProposeDelete deletes a pod.
func ProposeDelete(pod *v1.Pod) (Action, error) { return Delete{world.PodRefOf(pod)}, nil }

func (Delete) Verb() string       { return "delete" }
func (a Delete) String() string   { return "delete pod " + a.Pod.String() }
func (a Delete) DoneText() string { return "deleted pod " + a.Pod.String() }
func (a Delete) Command() string  { return kubectlPod("delete", a.Pod) }

func (Delete) UndoText() string {
	return "none; only a controller creates another pod. Its budgets are not asked: E asks them."
}

func (Delete) Notes() []string            { return nil }
func (a Delete) Changes() []change.Change { return oneChange(change.DeletePod, a.Pod.String()) }

func (a Delete) do(ctx context.Context, h *Executor) error {
	err := h.Client.CoreV1().Pods(a.Pod.Namespace).Delete(ctx, a.Pod.Name, metav1.DeleteOptions{Preconditions: uidPrecondition(a.Pod)})
	return ExplainForbidden(err, Rule{Resource: "pods", Verb: "delete", Namespace: a.Pod.Namespace})
}

// uidPrecondition makes a call fail for a namesake.
func uidPrecondition(pod world.PodRef) *metav1.Preconditions {
	if pod.UID == "" {
		return nil
	}
	return &metav1.Preconditions{UID: &pod.UID}
}
