package volumes

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"

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
