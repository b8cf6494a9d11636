package collect

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// NodeOf returns the node that a pod is on, is bound to or nominated to; empty for none.
func NodeOf(e *engine.Engine, pod *v1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	if assumed, err := e.Cache().GetPod(pod); err == nil && assumed.Spec.NodeName != "" {
		return assumed.Spec.NodeName
	}
	node, _ := e.Queue().NominatedNode(pod)
	return node
}

// Successor returns the pod that replaces one that is gone: of the same controller, as its name says, the first that was created after
// the eviction began, or else the latest. No controller names the pod that it replaces, so among several the choice is a guess.
func Successor(e *engine.Engine, history *History, gone world.PodRef) (world.PodRef, error) {
	cut := strings.LastIndexByte(gone.Name, '-')
	if cut < 0 {
		return world.PodRef{}, fmt.Errorf("pod %q is gone, and its name tells of no controller", printable.Line(gone.String(), 80))
	}
	began := evictionBegan(history, gone)
	var first, latest *v1.Pod
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Namespace != gone.Namespace || !strings.HasPrefix(pod.Name, gone.Name[:cut+1]) || metav1.GetControllerOf(pod) == nil || pod.DeletionTimestamp != nil {
			continue
		}
		created := pod.CreationTimestamp.Time
		if latest == nil || created.After(latest.CreationTimestamp.Time) {
			latest = pod
		}
		if !created.Before(began.Truncate(time.Second)) && (first == nil || created.Before(first.CreationTimestamp.Time)) {
			first = pod
		}
	}
	switch {
	case latest == nil:
		return world.PodRef{}, fmt.Errorf("pod %q is gone, and no pod has taken its place", printable.Line(gone.String(), 80))
	case first == nil || began.IsZero():
		return world.PodRefOf(latest), nil
	}
	return world.PodRefOf(first), nil
}

// evictedUID returns the UID of the pod of a name that was evicted last; empty if none was.
func evictedUID(history *History, pod world.PodRef) types.UID {
	if d := lastEviction(history, pod); d != nil {
		return d.Pod.UID
	}
	return ""
}

// evictionBegan returns when the last eviction of a pod was first known; zero if there is none.
func evictionBegan(history *History, pod world.PodRef) time.Time {
	if d := lastEviction(history, pod); d != nil {
		return d.FirstSeen
	}
	return time.Time{}
}

// lastEviction returns the last eviction of a pod of a name; nil if there is none.
func lastEviction(history *History, pod world.PodRef) (last *evict.Eviction) {
	if history == nil {
		return nil
	}
	record := history.Evictions()
	for _, list := range [...][]evict.Eviction{record.Open(), record.Ended()} {
		for i := range list {
			if d := &list[i]; d.Pod.Namespace == pod.Namespace && d.Pod.Name == pod.Name && (last == nil || d.FirstSeen.After(last.FirstSeen)) {
				last = d
			}
		}
	}
	return last
}
