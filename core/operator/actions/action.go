package actions

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"orrery/core/answers/change"
	"orrery/core/world"
)

// Action is one change of a node or pod. Each action is a type of its own, in a file of its own.
type Action interface {
	// String is the action in words: "evict pod shop/web-0".
	fmt.Stringer
	// Verb is one word for it: "evict".
	Verb() string
	// DoneText is the past tense of String.
	DoneText() string
	// Command is the same action with kubectl; empty if there is none.
	Command() string
	// UndoText tells how it is undone with the console's keys, and what of it cannot be.
	UndoText() string
	// Notes are consequences that the prediction for the pods does not show.
	Notes() []string
	// Changes returns the action as changes for package whatif; none if a what-if cannot predict it.
	Changes() []change.Change
	// do carries it out.
	do(context.Context, *Executor) error
}

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
	if err := a.do(ctx, h); err != nil {
		return fmt.Errorf("trying to %s: %w", a, err)
	}
	return nil
}

func (h *Executor) report(text string) {
	if h.Progress != nil {
		h.Progress(text)
	}
}

func oneChange(verb change.Verb, name string) []change.Change {
	return []change.Change{{Verb: verb, Name: name}}
}

// kubectlPod is a kubectl command on a pod.
func kubectlPod(verb string, pod world.PodRef) string {
	return "kubectl " + verb + " pod -n " + pod.Namespace + " " + pod.Name
}
