package volumes

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"
)

// Matching are the volumes that a claim can get, on one node or another. What does not depend on the node is decided when
// it is made, so that a node costs a look at the node affinities only.
type Matching struct {
	named   []*Candidate // that name the claim: the first one is taken, or none
	matched []*Candidate // others, the best first
}

// Match lists the volumes that a claim can get. attributesClass is the feature gate VolumeAttributesClass.
func (s *State) Match(claim *v1.PersistentVolumeClaim, attributesClass bool) (*Matching, error) {
	w, err := wantedBy(claim, attributesClass)
	if err != nil {
		return nil, err
	}
	m := &Matching{}
	s.eachCandidate(claim, func(c *Candidate) {
		switch {
		case !w.accepts(c):
		case c.Volume.Spec.ClaimRef != nil:
			m.named = append(m.named, c)
		case w.acceptsUnclaimed(c.Volume):
			m.matched = append(m.matched, c)
		}
	})
	return m, nil
}

// eachCandidate visits the volumes of a claim's class that name the claim or none, as they are assumed to be.
func (s *State) eachCandidate(claim *v1.PersistentVolumeClaim, visit func(*Candidate)) {
	class := volume.GetPersistentVolumeClaimClass(claim)
	for _, pv := range s.index.named[nameOf(claim)].items {
		if volume.GetPersistentVolumeClass(pv) == class && volume.IsVolumeBoundToClaim(pv, claim) {
			visit(newCandidate(s.Volume(pv.Name)))
		}
	}
	for _, c := range s.index.unclaimed[class].items {
		assumed, is := s.volumes.assumed(nameOf(c.Volume), c.Volume)
		switch {
		case !is:
			visit(c)
		case volume.IsVolumeBoundToClaim(assumed, claim):
			visit(newCandidate(assumed))
		}
	}
}

// On returns the volume that the claim gets on a node with these labels, nil if none, leaving out those that are taken.
func (m *Matching) On(labels map[string]string, taken func(*v1.PersistentVolume) bool) *v1.PersistentVolume {
	for _, c := range m.named {
		if taken(c.Volume) {
			continue
		}
		if c.Check(labels) != nil {
			return nil
		}
		return c.Volume
	}
	for _, c := range m.matched {
		if !taken(c.Volume) && c.Check(labels) == nil {
			return c.Volume
		}
	}
	return nil
}

// wanted is what a claim wants of a volume.
type wanted struct {
	claim    *v1.PersistentVolumeClaim
	size     resource.Quantity
	class    string // of attributes
	selector labels.Selector
}

func wantedBy(claim *v1.PersistentVolumeClaim, attributesClass bool) (*wanted, error) {
	w := &wanted{claim: claim, size: claim.Spec.Resources.Requests[v1.ResourceStorage], class: ptr.Deref(claim.Spec.VolumeAttributesClassName, "")}
	name := nameOf(claim).String()
	if !attributesClass && w.class != "" {
		return nil, fmt.Errorf("unsupported volumeAttributesClassName is set on claim %s when the feature-gate VolumeAttributesClass is disabled", name)
	}
	if claim.Spec.Selector != nil {
		selector, err := metav1.LabelSelectorAsSelector(claim.Spec.Selector)
		if err != nil {
			return nil, fmt.Errorf("error creating internal label selector for claim: %v: %v", name, err)
		}
		w.selector = selector
	}
	return w, nil
}

// accepts reports whether a volume's size, mode and class of attributes suit the claim, and whether it stays.
func (w *wanted) accepts(c *Candidate) bool {
	pv := c.Volume
	return c.size.Cmp(w.size) >= 0 &&
		!volume.CheckVolumeModeMismatches(&w.claim.Spec, &pv.Spec) &&
		ptr.Deref(pv.Spec.VolumeAttributesClassName, "") == w.class &&
		pv.DeletionTimestamp == nil
}

// acceptsUnclaimed reports whether a volume that names no claim suits in all else.
func (w *wanted) acceptsUnclaimed(pv *v1.PersistentVolume) bool {
	return pv.Status.Phase == v1.VolumeAvailable &&
		(w.selector == nil || w.selector.Matches(labels.Set(pv.Labels))) &&
		volume.CheckAccessModes(w.claim, pv)
}
