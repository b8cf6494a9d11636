package memory

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// uninitialized is the taint with which a kubelet registers its node if the cloud provider is external.
const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

func isUninitialized(node *v1.Node) bool {
	return node != nil && hasTaint(node.Spec.Taints, uninitialized, v1.TaintEffectNoSchedule)
}

// awaitCloud passes a node that has got the taint to the cloud's node controller, if there is one.
func (c *Cluster) awaitCloud(old, changed *v1.Node) {
	if takes := c.options.Latency.Initialize; takes != (Delay{}) && isUninitialized(changed) && !isUninitialized(old) {
		c.schedule(c.now.Add(c.latency.delay(takes)), nodeInitialized{changed.Name, changed.UID})
	}
}

// nodeInitialized is the end of the cloud controller's work on a node, when it takes off the taint.
type nodeInitialized struct {
	node string
	uid  types.UID
}

func (i nodeInitialized) fire(c *Cluster) {
	if node := c.Node(i.node); isUninitialized(node) && node.UID == i.uid {
		c.setTaints(node, nil, []v1.Taint{{Key: uninitialized, Effect: v1.TaintEffectNoSchedule}})
	}
}
