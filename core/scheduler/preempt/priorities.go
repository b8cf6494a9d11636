package preempt

import (
	"math"

	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// lowestPriorities keeps the lowest priority of any pod on each node, so that a pod that can preempt none costs no look at pods.
type lowestPriorities struct {
	byNumber []lowestPriority // of the places of the nodes
}

type lowestPriority struct {
	generation int64
	priority   int64
}

// noPriority is above that of any pod.
const noPriority = math.MaxInt64

// anyBelow reports whether any node has a pod of lower priority; known is false if that takes a look at all pods.
func (l *lowestPriorities) anyBelow(priority int32, lister fwk.NodeInfoLister) (found, known bool) {
	snapshot, ok := lister.(framework.Nodes)
	if !ok {
		return false, false
	}
	nodes, err := snapshot.List()
	if err != nil {
		return false, false
	}
	if more := len(snapshot.Amounts()) - len(l.byNumber); more > 0 {
		l.byNumber = append(l.byNumber, make([]lowestPriority, more)...)
	}
	for i, place := range snapshot.Places() {
		lowest := &l.byNumber[place.Number]
		if lowest.generation != place.Generation {
			*lowest = lowestPriority{place.Generation, lowestOn(nodes[i])}
		}
		found = found || lowest.priority < int64(priority)
	}
	return found, true
}

func lowestOn(node fwk.NodeInfo) int64 {
	lowest := int64(noPriority)
	for _, info := range node.GetPods() {
		lowest = min(lowest, int64(corev1.PodPriority(info.GetPod())))
	}
	return lowest
}
