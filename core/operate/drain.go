package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// BetweenTries is how long is waited before what a budget holds is asked for again, as kubectl does.
const BetweenTries = 5 * time.Second

// drain cordons a node, evicts what is on it, and waits until that is gone. What stays is what "kubectl drain
// --ignore-daemonsets --force --delete-emptydir-data" leaves: pods of daemon sets and those that the kubelet made itself.
// It goes on asking for what budgets hold until the context ends.
func (h *Hand) drain(ctx context.Context, node string) error {
	if err := h.cordon(ctx, node, true); err != nil {
		return err
	}
	var all map[types.UID]bool // what was there in the beginning
	for {
		pods, err := h.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
		if err != nil {
			return Refused(err, Rule{Resource: "pods", Verb: "list"})
		}
		there := leaving(pods.Items, all)
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
		h.say(fmt.Sprintf("draining node %s: %d of %d pods are gone, %d on their way, %d held by disruption budgets",
			node, len(all)-len(there), len(all), len(there)-len(held), len(held)))
		if err := h.pause(ctx); err != nil {
			return fmt.Errorf("%d of %d pods are still there, %d of them held by disruption budgets; %s first: %w",
				len(there), len(all), len(held), first(held, there), err)
		}
	}
}

// leaving are the pods that a drain has leave, of those it has begun with; nil is all.
func leaving(pods []v1.Pod, begun map[types.UID]bool) (there []*v1.Pod) {
	for i := range pods {
		if pod := &pods[i]; leaves(pod) && (begun == nil || begun[pod.UID]) {
			there = append(there, pod)
		}
	}
	return there
}

// leaves is what kubectl does with a pod: those that have run to their end go as well.
func leaves(pod *v1.Pod) bool {
	if _, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]; mirror {
		return false
	}
	if pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
		return true
	}
	owner := metav1.GetControllerOfNoCopy(pod)
	return owner == nil || owner.Kind != "DaemonSet"
}

// evictAll asks all to leave that were not asked yet, and gives back those that budgets hold.
func (h *Hand) evictAll(ctx context.Context, pods []*v1.Pod) (held []world.Ref, err error) {
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		err := h.evict(ctx, world.RefOf(pod))
		var budget *heldError
		switch {
		case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err): // gone, or another in its place
		case errors.As(err, &budget):
			held = append(held, world.RefOf(pod))
		default:
			return nil, err
		}
	}
	return held, nil
}

// first is what a drain waits for.
func first(held []world.Ref, there []*v1.Pod) world.Ref {
	if len(held) > 0 {
		return held[0]
	}
	return world.RefOf(there[0])
}

// pause waits between two tries.
func (h *Hand) pause(ctx context.Context) error {
	if h.Pause == nil {
		return errors.New("nobody waits for them")
	}
	return h.Pause(ctx)
}
