package volumes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"

	"orrery/core/safe/plural"
	"orrery/core/world"
)

// Misfit is one reason for which a claim cannot get a volume on any node.
type Misfit uint8

// The reasons, from what is nearest to a fit to what is furthest from it.
const (
	TooSmall Misfit = iota
	OtherClass
	OtherAccessModes
	OtherLabels // than those of the claim's selector
	OtherVolumeMode
	OtherAttributesClass
	NotAvailable // its phase is another
	OfOtherClaim
	BeingDeleted
)

// Misfits are all the reasons why a claim cannot get a volume, as it is assumed to be; none if it can, on the nodes that the
// volume reaches.
type Misfits struct {
	Volume *v1.PersistentVolume
	Why    []Misfit
}

// Misfits returns at most n volumes, those with the fewest and nearest reasons first, then by name. It reads every volume of
// the cluster, for explanations only. attributesClass is the feature gate VolumeAttributesClass.
func (s *State) Misfits(claim *v1.PersistentVolumeClaim, attributesClass bool, n int) ([]Misfits, error) {
	w, err := wantedBy(claim, attributesClass)
	if err != nil {
		return nil, err
	}
	var best []Misfits
	for o := range s.store.Objects(world.PersistentVolume) {
		pv := s.Volume(o.GetName())
		if pv == nil {
			continue
		}
		m := Misfits{pv, w.misfits(pv)}
		if at, _ := slices.BinarySearchFunc(best, m, nearer); at < n {
			best = slices.Insert(best, at, m)
			best = best[:min(len(best), n)]
		}
	}
	return best, nil
}

func nearer(a, b Misfits) int {
	return cmp.Or(cmp.Compare(len(a.Why), len(b.Why)), slices.Compare(a.Why, b.Why), cmp.Compare(a.Volume.Name, b.Volume.Name))
}

// misfits takes apart what Match decides.
func (w *wanted) misfits(pv *v1.PersistentVolume) []Misfit {
	mine := volume.IsVolumeBoundToClaim(pv, w.claim)
	free := pv.Spec.ClaimRef == nil
	size := pv.Spec.Capacity[v1.ResourceStorage]
	var why []Misfit
	for _, test := range [...]struct {
		misfit  Misfit
		applies bool
	}{
		{TooSmall, size.Cmp(w.size) < 0},
		{OtherClass, volume.GetPersistentVolumeClass(pv) != volume.GetPersistentVolumeClaimClass(w.claim)},
		{OtherAccessModes, free && !volume.CheckAccessModes(w.claim, pv)},
		{OtherLabels, free && w.selector != nil && !w.selector.Matches(labels.Set(pv.Labels))},
		{OtherVolumeMode, volume.CheckVolumeModeMismatches(&w.claim.Spec, &pv.Spec)},
		{OtherAttributesClass, ptr.Deref(pv.Spec.VolumeAttributesClassName, "") != w.class},
		{NotAvailable, free && pv.Status.Phase != v1.VolumeAvailable},
		{OfOtherClaim, !free && !mine},
		{BeingDeleted, pv.DeletionTimestamp != nil},
	} {
		if test.applies {
			why = append(why, test.misfit)
		}
	}
	return why
}

const (
	// maxMisfits is how many reasons a volume may have against it to be worth telling.
	maxMisfits = 2
	// maxLooked bounds the volumes to choose from.
	//
	//orrery:limit answers; volumes that a claim could have and are looked at; the others are not
	maxLooked = 16
)

// NearMisses says of the volumes with the fewest reasons against them what these are, the nearest first. What is in the way of a volume
// that suits in all else the caller knows, if it asks about nodes.
func (s *State) NearMisses(claim *v1.PersistentVolumeClaim, attributesClass bool, suits func(*v1.PersistentVolume) string) []string {
	var misses []string
	all, err := s.Misfits(claim, attributesClass, maxLooked)
	if err != nil {
		return nil
	}
	for _, m := range all {
		switch {
		case len(m.Why) > maxMisfits, len(misses) == plural.MaxListed:
			return misses
		case len(m.Why) > 0:
			texts := make([]string, len(m.Why))
			for i, why := range m.Why {
				texts[i] = misfitText(claim, m.Volume, why)
			}
			misses = append(misses, m.Volume.Name+" "+strings.Join(texts, " and "))
		case suits != nil:
			misses = append(misses, m.Volume.Name+" "+suits(m.Volume))
		}
	}
	return misses
}

func misfitText(claim *v1.PersistentVolumeClaim, pv *v1.PersistentVolume, why Misfit) string {
	switch why {
	case TooSmall:
		size, missing := pv.Spec.Capacity[v1.ResourceStorage], claim.Spec.Resources.Requests[v1.ResourceStorage].DeepCopy()
		missing.Sub(size)
		return fmt.Sprintf("has %s, %s too small", size.String(), missing.String())
	case OtherClass:
		if name := volume.GetPersistentVolumeClass(pv); name != "" {
			return "is of class " + name
		}
		return "has no class"
	case OtherAccessModes:
		return "allows " + modesText(pv.Spec.AccessModes) + " only"
	case OtherLabels:
		return "lacks the labels that the claim selects"
	case OtherVolumeMode:
		return "has another volumeMode"
	case OtherAttributesClass:
		return "has another volumeAttributesClassName"
	case NotAvailable:
		return "is " + string(pv.Status.Phase)
	case OfOtherClaim:
		text := "is claimed by " + pv.Spec.ClaimRef.Namespace + "/" + pv.Spec.ClaimRef.Name
		if pv.Status.Phase == v1.VolumeReleased {
			text += ", which is gone (Released)"
		}
		return text
	}
	return "is being deleted"
}

func modesText(modes []v1.PersistentVolumeAccessMode) string {
	names := make([]string, len(modes))
	for i, mode := range modes {
		names[i] = string(mode)
	}
	return strings.Join(names, "+")
}
