package volumebinding

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/scheduler/volumes"
)

// provisioning is where a volume can be made for a claim.
type provisioning struct {
	failure    error // of its class
	possible   bool  // whether the class has a provisioner
	topologies []labels.Selector
	anywhere   bool // the class names no topologies
	tracked    bool // capacity matters
	rooms      []room
}

// room is a capacity that suffices for the claim, and the nodes that have it.
type room struct {
	capacity *storagev1.CSIStorageCapacity
	nodes    labels.Selector
}

// provideFor decides whether a volume can be made on a node for each of the claims. The first claim for which it cannot
// decides.
func (pl *VolumeBinding) provideFor(claims []*delayedClaim, node *v1.Node, found *choice) (conflicts, error) {
	for _, c := range claims {
		if c.source == nil {
			c.source = pl.provisioningOf(c.PersistentVolumeClaim)
		}
		p := c.source
		switch {
		case p.failure != nil:
			return 0, p.failure
		case !p.possible || !p.allows(node.Labels):
			return nothingToBind, nil
		}
		capacity, enough := p.roomOn(node)
		if !enough {
			return notEnoughSpace, nil
		}
		found.provisions = append(found.provisions, provision{c.PersistentVolumeClaim, capacity})
	}
	return 0, nil
}

func (pl *VolumeBinding) provisioningOf(claim *v1.PersistentVolumeClaim) *provisioning {
	name := volume.GetPersistentVolumeClaimClass(claim)
	if name == "" {
		return &provisioning{failure: fmt.Errorf("no class for claim %q", claim.Namespace+"/"+claim.Name)}
	}
	class, err := pl.classes.Get(name)
	if err != nil {
		return &provisioning{failure: fmt.Errorf("failed to find storage class %q", name)}
	}
	p := &provisioning{possible: volumes.Provisions(class)}
	if p.possible {
		p.topologies, p.anywhere = selectorsOf(class.AllowedTopologies), len(class.AllowedTopologies) == 0
		p.failure = pl.findRooms(p, class, claim)
	}
	return p
}

// selectorsOf parses terms, of which a node has to match one. A term that is empty or cannot be parsed matches none.
func selectorsOf(terms []v1.TopologySelectorTerm) []labels.Selector {
	var all []labels.Selector
	for i := range terms {
		selector := labels.NewSelector()
		valid := len(terms[i].MatchLabelExpressions) > 0
		for _, e := range terms[i].MatchLabelExpressions {
			r, err := labels.NewRequirement(e.Key, selection.In, e.Values)
			if err != nil {
				valid = false
				break
			}
			selector = selector.Add(*r)
		}
		if valid {
			all = append(all, selector)
		}
	}
	return all
}

func (p *provisioning) allows(node map[string]string) bool {
	return p.anywhere || slices.ContainsFunc(p.topologies, func(s labels.Selector) bool { return s.Matches(labels.Set(node)) })
}

// findRooms lists the capacities that suffice for a claim, if its driver publishes any.
func (pl *VolumeBinding) findRooms(p *provisioning, class *storagev1.StorageClass, claim *v1.PersistentVolumeClaim) error {
	size, sized := claim.Spec.Resources.Requests[v1.ResourceStorage]
	if !sized {
		return nil
	}
	driver, err := pl.drivers.Get(class.Provisioner)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity:
		return nil
	}
	all, err := pl.capacities.List(labels.Everything())
	if err != nil {
		return err
	}
	p.tracked = true
	for _, capacity := range all {
		most := VolumeLimit(capacity)
		if capacity.StorageClassName != class.Name || most == nil || most.Value() < size.Value() || capacity.NodeTopology == nil {
			continue
		}
		if nodes, err := metav1.LabelSelectorAsSelector(capacity.NodeTopology); err == nil {
			p.rooms = append(p.rooms, room{capacity, nodes})
		}
	}
	return nil
}

// roomOn returns a capacity that a node has, if capacity matters, and whether there is one.
func (p *provisioning) roomOn(node *v1.Node) (*storagev1.CSIStorageCapacity, bool) {
	for _, r := range p.rooms {
		if r.nodes.Matches(labels.Set(node.Labels)) {
			return r.capacity, true
		}
	}
	return nil, !p.tracked
}

// VolumeLimit is the size of the largest volume that a capacity allows; nil if nothing is known.
func VolumeLimit(capacity *storagev1.CSIStorageCapacity) *resource.Quantity {
	if capacity.MaximumVolumeSize != nil {
		return capacity.MaximumVolumeSize
	}
	return capacity.Capacity
}
