package memory

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/saturating"
	"orrery/core/world"
)

// deletePod deletes a pod gracefully, with the given grace period or, if nil, the pod's own. A pod that is not assigned
// or has terminated is deleted at once. Another deletion can only shorten the remaining time.
func (c *Cluster) deletePod(pod *v1.Pod, grace *int64) {
	if pod.DeletionTimestamp != nil {
		c.shortenDeletion(pod, grace)
		return
	}
	seconds := graceOf(pod, grace)
	if seconds == 0 && len(pod.Finalizers) == 0 {
		c.remove(world.Pod, pod)
		return
	}
	ending := *pod
	at := metav1.Time{Time: c.timestamp().Add(saturating.Seconds(seconds))}
	ending.DeletionTimestamp, ending.DeletionGracePeriodSeconds = &at, &seconds
	ending.Generation++
	c.write(world.Pod, pod, &ending)
}

func graceOf(pod *v1.Pod, asked *int64) int64 {
	switch {
	case pod.Spec.NodeName == "" || isTerminal(pod):
		return 0
	case asked != nil && *asked < 0:
		return 1
	case asked != nil:
		return *asked
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		return *pod.Spec.TerminationGracePeriodSeconds
	}
	return 0
}

// shortenDeletion shortens a deletion in progress.
func (c *Cluster) shortenDeletion(pod *v1.Pod, grace *int64) {
	left := pod.DeletionGracePeriodSeconds
	if left == nil || *left == 0 {
		if len(pod.Finalizers) == 0 {
			c.remove(world.Pod, pod)
		}
		return
	}
	if grace == nil || *grace >= *left {
		return
	}
	seconds := max(*grace, 0)
	began := pod.DeletionTimestamp.Add(saturating.Seconds(-*left))
	at := metav1.Time{Time: began.Add(saturating.Seconds(seconds))}
	if now := c.timestamp(); at.Before(&now) {
		at = now
		if seconds != 0 {
			seconds = 1
		}
	}
	if seconds == 0 && len(pod.Finalizers) == 0 {
		c.remove(world.Pod, pod)
		return
	}
	ending := *pod
	ending.DeletionTimestamp, ending.DeletionGracePeriodSeconds = &at, &seconds
	c.write(world.Pod, pod, &ending)
}

// finishDeletion is the kubelet's final deletion after the containers have stopped.
func (c *Cluster) finishDeletion(pod *v1.Pod) {
	if len(pod.Finalizers) == 0 {
		c.remove(world.Pod, pod)
		return
	}
	none := int64(0)
	ending := *pod
	ending.DeletionGracePeriodSeconds = &none
	if !isTerminal(pod) {
		ending.Status = *pod.Status.DeepCopy()
		ending.Status.Phase = v1.PodFailed
	}
	c.write(world.Pod, pod, &ending)
}
