package dynamicresources

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices/allocate"
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
func (pl *DynamicResources) Filter(ctx context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	c, err := readCycle(state)
	switch {
	case err != nil:
		return fwk.AsStatus(err)
	case c.claims.empty():
		return nil
	}
	found := allocation{node: info.Node().Name}
	var status *fwk.Status
	found.implicitAllocation, status = pl.implicitOn(c, info)
	switch {
	case status != nil:
		return status
	case found.implicitAllocation == nil && !c.claims.own():
		c.accept(found) // a device plugin of the node has the extended resources
		return nil
	}
	unavailable := pl.unavailableOn(c, info.Node())
	if c.allocates {
		if found.verdict, _ = pl.allocate(ctx, c, info.Node(), found.implicitAllocation); found.status != nil {
			return found.status
		}
	}
	if len(unavailable) > 0 {
		for _, i := range unavailable {
			c.unavailable[i] = true
		}
		return rejection(ReasonNotAvailable)
	}
	if c.allocates {
		c.accept(found)
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

// allocate allocates devices for the claims without any, as the allocator did before if that still holds. It reports whether what it
// decides lasts until something changes.
func (pl *DynamicResources) allocate(ctx context.Context, c *cycle, node *v1.Node, onNode *implicitAllocation) (decided *verdict, lasts bool) {
	if c.allocator != nil {
		decided, _ = pl.decide(ctx, &c.budget, c.allocator, node, c.toAllocate(onNode))
		return decided, false
	}
	set := c.verdicts
	if onNode != nil {
		set = onNode.verdicts
	}
	reached := pl.devices.Reached(node)
	if kept := set.on(reached); kept != nil {
		return kept, true
	}
	decided, lasts = pl.decide(ctx, &c.budget, pl.newAllocator(pl.devices.SlicesFor(node.Name)), node, c.toAllocate(onNode))
	if decided.changed = reached.Changed; lasts {
		pl.kept.keep(set, reached.Key, decided)
	}
	return decided, lasts
}

// decide has the allocator allocate devices. The verdict lasts if it follows from the requests, the classes and the devices
// that the node reaches: an error names the claim, and may have another cause, and a timeout may be that of the cycle.
func (pl *DynamicResources) decide(ctx context.Context, b *budget, allocator *allocate.Allocator, node *v1.Node, claims []*resourcev1.ResourceClaim) (decided *verdict, lasts bool) {
	limit, end := pl.limit(b)
	results, err := allocator.Allocate(ctx, limit, node, claims)
	whole := end()
	switch {
	case errors.Is(err, allocate.ErrOutOfSteps) && pl.timeoutFails:
		return &verdict{status: fwk.AsStatus(fmt.Errorf("node %s: %s", node.Name, ReasonTimeout))}, false
	case errors.Is(err, allocate.ErrOutOfSteps):
		return &verdict{status: rejection(ReasonTimeout)}, whole && ctx.Err() == nil
	case errors.Is(err, allocate.ErrOnNode):
		return &verdict{status: rejection(err.Error())}, true
	case ctx.Err() != nil:
		return &verdict{status: rejection(fmt.Sprintf("asked by caller to stop allocating devices: %v", context.Cause(ctx)))}, false
	case err != nil:
		return &verdict{status: fwk.AsStatus(err)}, false
	case len(results) != len(claims):
		return &verdict{status: rejection(ReasonCannotAllocate)}, true
	}
	decided = &verdict{results: results}
	for i, claim := range claims {
		decided.score += scoreOf(claim, &results[i])
	}
	return decided, true
}

func (pl *DynamicResources) newAllocator(all []*allocate.Slice) *allocate.Allocator {
	return allocate.New(allocate.Source{Features: pl.features, Taken: pl.devices.Allocated(), Classes: pl.classes, Slices: all, Selectors: pl.selectors})
}

// toAllocate returns the claims without devices. The implicit one is that of the node.
func (c *cycle) toAllocate(onNode *implicitAllocation) []*resourcev1.ResourceClaim {
	positions := c.claims.unallocated()
	claims := make([]*resourcev1.ResourceClaim, len(positions))
	for i, position := range positions {
		claims[i] = c.claims.all[position]
		if claims[i] == c.claims.implicit && onNode != nil {
			claims[i] = onNode.implicit
		}
	}
	return claims
}
