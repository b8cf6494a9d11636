package dynamicresources

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/framework"
)

// stateKey is the key of the cycle's data.
const stateKey fwk.StateKey = Name

// cycle is what PreFilter finds out about a pod, and Filter about the nodes.
type cycle struct {
	pod       *v1.Pod
	claims    podClaims
	selectors []*nodeaffinity.NodeSelector // of the nodes that reach the devices of allocated claims, by claim
	allocates bool                         // whether any claim has no devices yet
	budget    budget                       // of all allocations of the cycle
	allocator *allocate.Allocator          // for all nodes; nil if each gets one of its own
	verdicts  *requestSet                  // on the pod's own claims; nil if there are others to allocate
	asked     *requestSet                  // all that the pod requests, by which nodes are divided into classes; nil if it cannot be compared
	classes   map[v1.ResourceName]string   // of the extended resources that the node at hand has not got itself
	nodes     *verdictClasses              // of the nodes, if Filter was not asked for each
	onNode    *implicitAllocation          // the last one; nil if there was none
	found     []allocation                 // in the order of Filter
	read      int                          // where in found Score was last
	// unavailable are the allocated claims that some node cannot use, by their position.
	unavailable map[int]bool
}

// allocation is what Filter finds on a node that it accepts.
type allocation struct {
	node     string
	*verdict // nil if nothing is to be allocated there
	*implicitAllocation
}

// implicitAllocation is the claim for extended resources as a node needs it.
type implicitAllocation struct {
	implicit *resourcev1.ResourceClaim
	mappings []v1.ContainerExtendedResourceRequest // which request of it is for which container
	classes  map[v1.ResourceName]string            // that its requests are for
	verdicts *requestSet
}

// accept keeps what was found on a node.
func (c *cycle) accept(found allocation) {
	if last := len(c.found) - 1; last >= 0 && c.found[last].node == found.node {
		c.found[last] = found
		return
	}
	c.found = append(c.found, found)
}

// foundOn returns what was last allocated on a node; nil if nothing was.
func (c *cycle) foundOn(node string) *allocation {
	for i := len(c.found) - 1; i >= 0; i-- {
		if c.found[i].node == node {
			return &c.found[i]
		}
	}
	return nil
}

// nextFound is foundOn for nodes in the order of Filter.
func (c *cycle) nextFound(node string) *allocation {
	for i := c.read; i < len(c.found); i++ {
		if c.found[i].node == node {
			c.read = i + 1
			return &c.found[i]
		}
	}
	return c.foundOn(node)
}

// Clone returns the data itself: a dry run may add nodes, and what is allocated there does not depend on their pods.
func (c *cycle) Clone() fwk.StateData { return c }

func readCycle(state fwk.CycleState) (*cycle, error) {
	return framework.ReadState[*cycle](state, stateKey)
}

// podClaims are the claims of a pod: its own, and then the implicit one for its extended resources, if it has any.
type podClaims struct {
	all      []*resourcev1.ResourceClaim
	implicit *resourcev1.ResourceClaim
	requests map[v1.ResourceName]int64 // the extended resources that the pod requests, if there is an implicit claim
}

func (p *podClaims) empty() bool { return len(p.all) == 0 }

// own reports whether the pod has claims besides the implicit one.
func (p *podClaims) own() bool { return len(p.all) > 1 || len(p.all) == 1 && p.implicit == nil }

// unallocated lists the positions of the claims without devices.
func (p *podClaims) unallocated() []int {
	var positions []int
	for i, claim := range p.all {
		if claim.Status.Allocation == nil {
			positions = append(positions, i)
		}
	}
	return positions
}

// ownClaims returns the claims that a pod names. A claim that does not exist yet, or that the pod cannot use, is an error. A
// claim that was not made of a template on purpose is left out.
func (pl *DynamicResources) ownClaims(pod *v1.Pod) ([]*resourcev1.ResourceClaim, error) {
	if len(pod.Spec.ResourceClaims) == 0 {
		return nil, nil
	}
	claims := make([]*resourcev1.ResourceClaim, 0, len(pod.Spec.ResourceClaims))
	for i := range pod.Spec.ResourceClaims {
		name, generated, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		switch {
		case err != nil:
			return nil, err
		case name == nil:
			continue
		}
		claim := pl.devices.Claim(pod.Namespace, *name)
		switch {
		case claim == nil:
			return nil, devices.NotFound{Namespace: pod.Namespace, Name: *name}
		case claim.DeletionTimestamp != nil:
			return nil, fmt.Errorf("resourceclaim %q is being deleted", claim.Name)
		}
		if generated {
			if err := pl.isForPod(pod, claim); err != nil {
				return nil, err
			}
		}
		claims = append(claims, claim)
	}
	return claims, nil
}

// isForPod checks that a generated claim, which is in the pod's namespace, was made for it.
func (pl *DynamicResources) isForPod(pod *v1.Pod, claim *resourcev1.ResourceClaim) error {
	err := resourceclaim.IsForPod(pod, claim, false)
	if err != nil && !pl.ownersByKind {
		return fmt.Errorf("ResourceClaim %s/%s was not created for pod %s/%s (pod is not owner)", claim.Namespace, claim.Name, pod.Namespace, pod.Name)
	}
	return err
}

// PreEnqueue gates a pod until all its claims exist.
func (pl *DynamicResources) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if _, err := pl.ownClaims(pod); err != nil {
		return rejection(err.Error())
	}
	return nil
}
