package telemetry

import (
	"container/list"
	"iter"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/queue"
)

// pendingPods lists the pods that wait for a node, in the order in which they began to. Gated pods do not wait for one, and a
// pod begins again when its gates are removed.
type pendingPods struct {
	order list.List // of pendingPod
	byUID map[types.UID]*list.Element
}

type pendingPod struct {
	namespace, name string
	since           time.Time
}

// moved takes in a transition of the queue. A pod is pending until it is bound or deleted.
func (p *pendingPods) moved(t *queue.Transition) {
	listed := p.byUID[t.UID]
	switch pending := t.To != queue.Gone && t.To != queue.Gated; {
	case pending && listed == nil:
		if p.byUID == nil {
			p.byUID = map[types.UID]*list.Element{}
		}
		p.byUID[t.UID] = p.order.PushBack(pendingPod{t.Namespace, t.Name, t.At})
	case !pending && listed != nil:
		p.order.Remove(listed)
		delete(p.byUID, t.UID)
	}
}

// longest goes through at most n pods, those that have been pending the longest first.
func (p *pendingPods) longest(n int) iter.Seq[pendingPod] {
	return func(yield func(pendingPod) bool) {
		for at := p.order.Front(); at != nil && n > 0; at, n = at.Next(), n-1 {
			if !yield(at.Value.(pendingPod)) {
				return
			}
		}
	}
}
