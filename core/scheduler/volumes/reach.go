package volumes

import (
	"errors"
	"iter"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Reach is the set of nodes that can use a volume: its node affinity, parsed once.
type Reach struct {
	nodes    *nodeaffinity.LazyErrorNodeSelector // nil if every node can
	required *v1.NodeSelector
}

// ReachOf returns which nodes can use a volume.
func ReachOf(pv *v1.PersistentVolume) Reach {
	if affinity := pv.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		return Reach{nodeaffinity.NewLazyErrorNodeSelector(affinity.Required), affinity.Required}
	}
	return Reach{}
}

// Keys yields the keys of the labels that Check looks at, some repeatedly.
func (r Reach) Keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		if r.required == nil {
			return
		}
		for i := range r.required.NodeSelectorTerms {
			for _, e := range r.required.NodeSelectorTerms[i].MatchExpressions {
				if !yield(e.Key) {
					return
				}
			}
		}
	}
}

var errNoTermMatches = errors.New("no matching NodeSelectorTerms")

// Check returns why a node with these labels cannot use the volume, nil if it can. As in kube-scheduler, only labels are
// seen: what a term says about the node's name is ignored.
func (r Reach) Check(labels map[string]string) error {
	if r.nodes == nil {
		return nil
	}
	matches, err := r.nodes.Match(&v1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}})
	if err == nil && !matches {
		return errNoTermMatches
	}
	return err
}
