package dynamicresources

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
)

// The reasons against a node.
const (
	ReasonCannotAllocate = "cannot allocate all claims"
	ReasonTimeout        = "timed out trying to allocate devices"
	ReasonNotAvailable   = "resourceclaim not available on the node"
	ReasonExtendedClaim  = "cannot schedule extended resource claim"
	ReasonExtendedAmount = "cannot fit resource"
)

// Filter allocates devices on a node for the claims without any, and checks that the node reaches the devices of the others.
// An error ends the cycle: it is about the claims or the classes, not about the node.
func (pl *DynamicResources) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	c, err := readCycle(state)
	switch {
	case err != nil:
		return fwk.AsStatus(err)
	case c.claims.empty():
		return nil
	}
	onNode, status := pl.implicitOn(&c.claims, pod, info)
	switch {
	case status != nil:
		return status
	case onNode.implicit == nil && !c.claims.own():
		return nil // a device plugin of the node has the extended resources
	}
	unavailable := pl.unavailableOn(c, info.Node())
	if c.allocator != nil {
		if status := pl.allocate(ctx, c, info.Node(), &onNode); status != nil {
			return status
		}
	}
	if len(unavailable) > 0 {
		for _, i := range unavailable {
			c.unavailable[i] = true
		}
		return rejection(ReasonNotAvailable)
	}
	if c.allocator != nil {
		c.found[info.Node().Name] = &onNode
	}
	return nil
}

// unavailableOn lists the allocated claims whose devices the node does not reach, or that cannot be bound.
func (pl *DynamicResources) unavailableOn(c *cycle, node *v1.Node) []int {
	var positions []int
	for i, claim := range c.claims.all {
		switch {
		case claim.Status.Allocation == nil:
		case c.selectors[i] != nil && !c.selectors[i].Match(node):
			positions = append(positions, i)
		case pl.bindingConditions && pl.bindingEnded(claim):
			positions = append(positions, i)
		}
	}
	return positions
}

// allocate allocates devices for the claims without any.
func (pl *DynamicResources) allocate(ctx context.Context, c *cycle, node *v1.Node, onNode *allocation) *fwk.Status {
	claims := c.toAllocate(onNode.implicit)
	results, err := allocateSafely(c.allocator, pl.allocationContext(ctx), node, claims)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return rejection(ReasonTimeout)
	case errors.Is(err, structured.ErrFailedAllocationOnNode):
		return rejection(err.Error())
	case ctx.Err() != nil:
		return rejection(fmt.Sprintf("asked by caller to stop allocating devices: %v", context.Cause(ctx)))
	case err != nil:
		return fwk.AsStatus(err)
	case len(results) != len(claims):
		return rejection(ReasonCannotAllocate)
	}
	nameShares(claims, results)
	onNode.results = results
	return nil
}

// allocateSafely returns a panic of the allocator as an error: it panics on some requests for all
// devices that consume counters.
func allocateSafely(allocator structured.Allocator, ctx context.Context, node *v1.Node, claims []*resourcev1.ResourceClaim) (results []resourcev1.AllocationResult, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("allocating devices on node %q: the allocator failed: %v; it cannot allocate all devices if they consume counters", node.Name, failure)
		}
	}()
	return allocator.Allocate(ctx, node, claims)
}

// toAllocate returns the claims without devices. The implicit one is that of the node.
func (c *cycle) toAllocate(implicit *resourcev1.ResourceClaim) []*resourcev1.ResourceClaim {
	positions := c.claims.unallocated()
	claims := make([]*resourcev1.ResourceClaim, len(positions))
	for i, position := range positions {
		claims[i] = c.claims.all[position]
		if claims[i] == c.claims.implicit && implicit != nil {
			claims[i] = implicit
		}
	}
	return claims
}
