// Package volumezone keeps a pod in the zones and regions of the PersistentVolumes that its claims are bound to.
//
// A volume's zone and region stand in its labels, under the keys of today or the beta ones, and may be several, as in
// "us-east-1a__us-east-1b". A node that has none of these labels fits any volume, as in a cluster of one zone; another node
// has to have one of the values for each label of each volume. It may have a beta label of a volume under today's key.
//
// A claim that is not bound yet is ignored if its class waits for the first consumer, and else rejects the pod. So does
// whatever is missing: claim, class or volume. Claims of generic ephemeral volumes are ignored, as in kube-scheduler; the node
// affinity of their volumes keeps the pod in its zone.
package volumezone

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodeclasses"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/volumes"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.VolumeZone

// VolumeZone is the plugin.
type VolumeZone struct {
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	nodes   *nodeclasses.Classes[map[string]string] // by topology labels; nil if the snapshot does not say what changes
	state   *volumes.State                          // for explanations; nil if the handle has none
}

var (
	_ fwk.PreFilterPlugin   = (*VolumeZone)(nil)
	_ fwk.FilterPlugin      = (*VolumeZone)(nil)
	_ fwk.EnqueueExtensions = (*VolumeZone)(nil)
	_ fwk.SignPlugin        = (*VolumeZone)(nil)
	_ framework.ClassFilter = (*VolumeZone)(nil)
)

// ReasonOtherZone rejects a node outside the zones of a volume.
const ReasonOtherZone = "node(s) had no available volume zone"

var (
	skip      = fwk.NewStatus(fwk.Skip)
	otherZone = rejection(ReasonOtherZone)
	noName    = rejection("PersistentVolumeClaim had no name")
	noClass   = rejection("PersistentVolumeClaim had no pv name and storageClass name")
	unbound   = rejection("PersistentVolume had no name")
)

func rejection(reason string) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason).WithPlugin(Name)
}

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, h fwk.Handle, _ config.Features) (fwk.Plugin, error) {
	objects := h.SharedInformerFactory()
	return &VolumeZone{
		claims:  objects.Core().V1().PersistentVolumeClaims().Lister(),
		volumes: objects.Core().V1().PersistentVolumes().Lister(),
		classes: objects.Storage().V1().StorageClasses().Lister(),
		nodes:   nodeclasses.New(h, describe),
		state:   podvolumes.StateOf(h),
	}, nil
}

// Name is the plugin's name.
func (*VolumeZone) Name() string { return Name }

// SignPod signs the volumes.
func (*VolumeZone) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return podvolumes.Sign(pod), nil
}

// filterKey is the key of the pod's places in the cycle state.
const filterKey fwk.StateKey = "PreFilter" + Name

// PreFilter reads where the volumes of the pod's claims are.
func (pl *VolumeZone) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if len(pod.Spec.Volumes) == 0 {
		return nil, skip
	}
	all, status := pl.placesOf(pod)
	switch {
	case status != nil:
		return nil, status
	case len(all) == 0:
		return nil, skip
	}
	state.Write(filterKey, all)
	return nil, nil
}

// placesOf returns the places of all volumes of a pod's claims, or the status that rejects the pod.
func (pl *VolumeZone) placesOf(pod *v1.Pod) (places, *fwk.Status) {
	var all places
	for name := range podvolumes.Claims(pod) {
		if name == "" {
			return nil, noName
		}
		claim, err := pl.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
		if err != nil {
			return nil, missing(err)
		}
		if claim.Spec.VolumeName == "" {
			if status := pl.checkUnbound(claim); status != nil {
				return nil, status
			}
			continue
		}
		pv, err := pl.volumes.Get(claim.Spec.VolumeName)
		if err != nil {
			return nil, missing(err)
		}
		all = append(all, placesOfVolume(pv)...)
	}
	return all, nil
}

// checkUnbound rejects the pod of an unbound claim unless its class waits for the pod to be scheduled.
func (pl *VolumeZone) checkUnbound(claim *v1.PersistentVolumeClaim) *fwk.Status {
	name := volume.GetPersistentVolumeClaimClass(claim)
	if name == "" {
		return noClass
	}
	class, err := pl.classes.Get(name)
	switch {
	case err != nil:
		return missing(err)
	case class.VolumeBindingMode == nil:
		return rejection(fmt.Sprintf("VolumeBindingMode not set for StorageClass %q", name))
	case *class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer:
		return unbound
	}
	return nil
}

func missing(err error) *fwk.Status {
	if apierrors.IsNotFound(err) {
		return rejection(err.Error())
	}
	return fwk.AsStatus(err)
}

// PreFilterExtensions is nil: no other pod matters.
func (*VolumeZone) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter rejects a node outside the zones and regions of the pod's volumes. Without PreFilter's state it reads the volumes.
func (pl *VolumeZone) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	all, err := framework.ReadState[places](state, filterKey)
	if err != nil {
		var status *fwk.Status
		if all, status = pl.placesOf(pod); status != nil {
			return status
		}
	}
	if !all.include(node.Node().Labels) {
		return otherZone
	}
	return nil
}
