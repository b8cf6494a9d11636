package whatif

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// troubles begins the keys of the taints that a node gets for what is wrong with it at the moment.
const troubles = "node.kubernetes.io/"

// addNodes adds nodes like one that is there, as they would be on their first day.
func (r *run) addNodes(like string, n int) error {
	model, err := r.node(like)
	if err != nil {
		return err
	}
	number := 0
	for range n {
		var name string
		for name == "" || r.cluster.Node(name) != nil {
			number++
			name = fmt.Sprintf("%s-new%d", like[:min(len(like), longestName-longestEnding)], number)
		}
		if _, err := r.cluster.Create(newLike(model, name)); err != nil {
			return err
		}
	}
	return nil
}

// newLike is a node as another was when it was new: ready, open, empty, without images.
func newLike(model *v1.Node, name string) *v1.Node {
	node := model.DeepCopy()
	node.ObjectMeta = metav1.ObjectMeta{Name: name, Labels: node.Labels, Annotations: node.Annotations}
	if node.Labels[v1.LabelHostname] == model.Name {
		node.Labels[v1.LabelHostname] = name
	}
	node.Spec.Unschedulable, node.Spec.ProviderID = false, ""
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t v1.Taint) bool { return strings.HasPrefix(t.Key, troubles) })
	node.Status.Images = nil
	node.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
	return node
}
