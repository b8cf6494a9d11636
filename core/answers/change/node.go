package change

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionTaintPrefix begins the keys of the taints that node conditions set.
const ConditionTaintPrefix = "node.kubernetes.io/"

// NodeLike returns a new node like the model: ready, schedulable, empty, without images.
func NodeLike(model *v1.Node, name string) *v1.Node {
	node := model.DeepCopy()
	node.ObjectMeta = metav1.ObjectMeta{Name: name, Labels: node.Labels, Annotations: node.Annotations}
	if node.Labels[v1.LabelHostname] == model.Name {
		node.Labels[v1.LabelHostname] = name
	}
	node.Spec.Unschedulable, node.Spec.ProviderID = false, ""
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t v1.Taint) bool { return strings.HasPrefix(t.Key, ConditionTaintPrefix) })
	node.Status.Images = nil
	node.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
	return node
}

// AlterTaints adds or removes a taint. A new taint replaces one of the same key and effect.
func (c Change) AlterTaints(list []v1.Taint, now metav1.Time) ([]v1.Taint, error) {
	if c.Verb == Taint {
		t, err := parseTaint(c.Value)
		if err != nil {
			return nil, err
		}
		t.TimeAdded = &now
		list = slices.DeleteFunc(list, func(had v1.Taint) bool { return had.Key == t.Key && had.Effect == t.Effect })
		return append(list, t), nil
	}
	key, effect, err := parseTaintKey(c.Value)
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(had v1.Taint) bool {
		return had.Key == key && (effect == "" || had.Effect == effect)
	})
	if len(rest) == len(list) {
		return nil, fmt.Errorf("there is no taint %q", c.Value)
	}
	return rest, nil
}
