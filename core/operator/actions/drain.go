package actions

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/world"
)

// Drain cordons a node, evicts its pods, and waits until they are gone.
type Drain struct{ Node string }

// ProposeDrain drains a node.
func ProposeDrain(node *v1.Node) Action { return Drain{node.Name} }

func (Drain) Verb() string       { return "drain" }
func (a Drain) String() string   { return "drain node " + a.Node }
func (a Drain) DoneText() string { return "drained node " + a.Node }

func (a Drain) Command() string {
	return "kubectl drain " + a.Node + " --ignore-daemonsets --delete-emptydir-data --force"
}

func (Drain) UndoText() string { return "c uncordons it; pods are not moved back." }

func (Drain) Notes() []string {
	return []string{
		"Pods of DaemonSets stay; pods without a controller are not recreated.",
		"Data in emptyDir volumes is lost.",
	}
}

func (a Drain) Changes() []change.Change { return oneChange(change.Drain, a.Node) }

// do leaves the pods that the command leaves: those of DaemonSets and mirror pods. Evictions that a budget blocks, and
// those in a terminating namespace, are retried until the context ends.
func (a Drain) do(ctx context.Context, h *Executor) error {
	if err := h.setUnschedulable(ctx, a.Node, true); err != nil {
		return err
	}
	var all map[types.UID]bool // the pods at the start
	for {
		pods, err := h.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + a.Node})
		if err != nil {
			return ExplainForbidden(err, Rule{Resource: "pods", Verb: "list"})
		}
		there := drainablePods(pods.Items, all)
		if all == nil {
			all = map[types.UID]bool{}
			for _, pod := range there {
				all[pod.UID] = true
			}
		}
		if len(there) == 0 {
			return nil
		}
		held, err := h.evictAll(ctx, there)
		if err != nil {
			return err
		}
		h.report(fmt.Sprintf("draining node %s: %d of %d pods deleted, %d terminating, %d blocked by PodDisruptionBudgets",
			a.Node, len(all)-len(there), len(all), len(there)-len(held), len(held)))
		if err := h.pause(ctx); err != nil {
			return fmt.Errorf("%d of %d pods are still there, %d of them blocked by PodDisruptionBudgets, %s first: %w",
				len(there), len(all), len(held), firstRemaining(held, there), err)
		}
	}
}

// drainablePods returns the pods to evict, of those that were there at the start; nil for all.
func drainablePods(pods []v1.Pod, atStart map[types.UID]bool) (remaining []*v1.Pod) {
	for i := range pods {
		if pod := &pods[i]; isDrained(pod) && (atStart == nil || atStart[pod.UID]) {
			remaining = append(remaining, pod)
		}
	}
	return remaining
}

// isDrained reports whether kubectl would evict a pod; it does evict terminated ones.
func isDrained(pod *v1.Pod) bool {
	if _, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]; mirror {
		return false
	}
	if pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
		return true
	}
	owner := metav1.GetControllerOfNoCopy(pod)
	return owner == nil || owner.Kind != "DaemonSet"
}

// evictAll evicts the pods that are not terminating, and returns those that budgets block. A pod in a terminating namespace
// counts as terminating.
func (h *Executor) evictAll(ctx context.Context, pods []*v1.Pod) (held []world.PodRef, err error) {
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		err := h.evict(ctx, world.PodRefOf(pod))
		var budget *budgetError
		var terminating *terminatingError
		switch {
		case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err): // gone, or replaced by a namesake
		case errors.As(err, &terminating): // tried again unless the namespace's deletion comes first
		case errors.As(err, &budget):
			held = append(held, world.PodRefOf(pod))
		default:
			return nil, err
		}
	}
	return held, nil
}

// firstRemaining is what a drain waits for.
func firstRemaining(held []world.PodRef, there []*v1.Pod) world.PodRef {
	if len(held) > 0 {
		return held[0]
	}
	return world.PodRefOf(there[0])
}

// pause waits between two tries.
func (h *Executor) pause(ctx context.Context) error {
	if h.Pause == nil {
		return errors.New("not waiting for them")
	}
	return h.Pause(ctx)
}
