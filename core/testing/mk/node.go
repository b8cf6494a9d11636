package mk

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// NodeBuilder builds a node; Obj hands it over.
type NodeBuilder struct{ node *v1.Node }

// Node starts a node with room for 110 pods, its hostname label, and nothing else.
func Node(name string) *NodeBuilder {
	return &NodeBuilder{&v1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID("node/" + name),
			Labels: map[string]string{v1.LabelHostname: name},
		},
		Status: v1.NodeStatus{
			Capacity:    Resources("pods", "110"),
			Allocatable: Resources("pods", "110"),
			Conditions:  []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}},
		},
	}}
}

// Obj is the node as built so far.
func (b *NodeBuilder) Obj() *v1.Node { return b.node }

// Resource sets capacity and allocatable of one resource.
func (b *NodeBuilder) Resource(name v1.ResourceName, quantity string) *NodeBuilder {
	b.node.Status.Capacity[name] = resource.MustParse(quantity)
	b.node.Status.Allocatable[name] = resource.MustParse(quantity)
	return b
}

// CPU sets the cpu there is.
func (b *NodeBuilder) CPU(quantity string) *NodeBuilder { return b.Resource(v1.ResourceCPU, quantity) }

// Memory sets the memory there is.
func (b *NodeBuilder) Memory(quantity string) *NodeBuilder {
	return b.Resource(v1.ResourceMemory, quantity)
}

// Pods sets how many pods fit.
func (b *NodeBuilder) Pods(quantity string) *NodeBuilder {
	return b.Resource(v1.ResourcePods, quantity)
}

// Label sets one label.
func (b *NodeBuilder) Label(key, value string) *NodeBuilder {
	set(&b.node.Labels, key, value)
	return b
}

// Zone sets the zone label.
func (b *NodeBuilder) Zone(zone string) *NodeBuilder { return b.Label(v1.LabelTopologyZone, zone) }

// Region sets the region label.
func (b *NodeBuilder) Region(region string) *NodeBuilder {
	return b.Label(v1.LabelTopologyRegion, region)
}

// Taint adds a taint.
func (b *NodeBuilder) Taint(key, value string, effect v1.TaintEffect) *NodeBuilder {
	b.node.Spec.Taints = append(b.node.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: effect})
	return b
}

// Unschedulable cordons the node.
func (b *NodeBuilder) Unschedulable() *NodeBuilder {
	b.node.Spec.Unschedulable = true
	return b
}

// Image puts an image of that many bytes on the node.
func (b *NodeBuilder) Image(bytes int64, names ...string) *NodeBuilder {
	b.node.Status.Images = append(b.node.Status.Images, v1.ContainerImage{Names: names, SizeBytes: bytes})
	return b
}

// Condition adds a node condition, or replaces the one of that type.
func (b *NodeBuilder) Condition(kind v1.NodeConditionType, status v1.ConditionStatus) *NodeBuilder {
	for i := range b.node.Status.Conditions {
		if b.node.Status.Conditions[i].Type == kind {
			b.node.Status.Conditions[i].Status = status
			return b
		}
	}
	b.node.Status.Conditions = append(b.node.Status.Conditions, v1.NodeCondition{Type: kind, Status: status})
	return b
}
