package compare

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/price"
	"orrery/core/scheduler/engine"
)

// Price is what the nodes in use cost: those with a pod that is no daemon set's, and that an autoscaler would therefore keep.
type Price struct {
	// Mean and Peak are over the samples.
	Mean, Peak float64
	// Unknown is the most nodes in use without a price at a sample.
	Unknown int
}

// priceOfUsed sums up the nodes in use.
func priceOfUsed(e *engine.Engine, prices *price.Prices) price.Sum {
	var s price.Sum
	for info := range e.Cache().RecentlyChanged() {
		if node := info.Node(); node != nil {
			for _, pod := range info.GetPods() {
				if !daemons(pod.GetPod()) {
					s.Add(prices, node)
					break
				}
			}
		}
	}
	return s
}

func daemons(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

// price is nil without prices.
func (s *samples) price() *Price {
	if s.prices == nil {
		return nil
	}
	p := &Price{}
	for _, sum := range s.used {
		p.Mean += sum.Total / float64(len(s.used))
		p.Peak, p.Unknown = max(p.Peak, sum.Total), max(p.Unknown, sum.Unknown)
	}
	return p
}
