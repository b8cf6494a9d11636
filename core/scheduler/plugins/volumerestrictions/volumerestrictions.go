// Package volumerestrictions keeps two pods from using one disk, or one claim, that only one of them may use.
//
//	an inline disk                  no pod on the node has the same disk: Filter, node by node
//	a claim of mode ReadWriteOncePod  no pod on any node uses the claim: counted in PreFilter (KEP-2485)
//
// A disk is the same by its name or ID, whatever the namespaces of the pods. GCE persistent disks, iSCSI targets and Ceph RBD
// images can be shared if both pods only read; an EBS volume never can.
//
// The count of conflicting claims rejects every node alike. Preemption lowers it by the victims on the node that it tries, so a
// node on which the other user of the claim runs is a candidate. Victims are compared by the name of the claim alone, as in
// kube-scheduler: a victim of another namespace with a claim of that name lowers the count too.
//
// A pod without such disks whose claims no other pod uses skips Filter, and then nominated pods with its claims are not counted.
package volumerestrictions

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/volumes"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.VolumeRestrictions

// VolumeRestrictions is the plugin.
type VolumeRestrictions struct {
	claims corelisters.PersistentVolumeClaimLister
	nodes  fwk.SharedLister
	state  *volumes.State // for explanations; nil if the handle has none
}

var (
	_ fwk.PreFilterPlugin     = (*VolumeRestrictions)(nil)
	_ fwk.PreFilterExtensions = (*VolumeRestrictions)(nil)
	_ fwk.FilterPlugin        = (*VolumeRestrictions)(nil)
	_ fwk.EnqueueExtensions   = (*VolumeRestrictions)(nil)
	_ fwk.SignPlugin          = (*VolumeRestrictions)(nil)
)

// The reasons of rejections.
const (
	ReasonDiskInUse  = "node(s) had no available disk"
	ReasonClaimInUse = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)

var (
	skip       = fwk.NewStatus(fwk.Skip)
	diskInUse  = fwk.NewStatus(fwk.Unschedulable, ReasonDiskInUse).WithPlugin(Name)
	claimInUse = fwk.NewStatus(fwk.Unschedulable, ReasonClaimInUse).WithPlugin(Name)
)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, h fwk.Handle, _ config.Features) (fwk.Plugin, error) {
	return &VolumeRestrictions{
		claims: h.SharedInformerFactory().Core().V1().PersistentVolumeClaims().Lister(),
		nodes:  h.SnapshotSharedLister(),
		state:  podvolumes.StateOf(h),
	}, nil
}

// Name is the plugin's name.
func (*VolumeRestrictions) Name() string { return Name }

// SignPod signs the volumes.
func (*VolumeRestrictions) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return podvolumes.Sign(pod), nil
}

// exclusiveClaims are the claims of a pod that no other pod may use, by name, and how often scheduled pods use them.
type exclusiveClaims struct {
	names []string
	users int
}

// filterKey is the key of the exclusive claims in the cycle state.
const filterKey fwk.StateKey = "PreFilter" + Name

// Clone copies the count. The names never change.
func (c *exclusiveClaims) Clone() fwk.StateData { return &exclusiveClaims{c.names, c.users} }

// usedBy is how many of a pod's volumes use one of the claims.
func (c *exclusiveClaims) usedBy(pod *v1.Pod) int {
	uses := 0
	for name := range podvolumes.Claims(pod) {
		if slices.Contains(c.names, name) {
			uses++
		}
	}
	return uses
}

// PreFilter rejects a pod whose claim does not exist, and counts the exclusive claims that are in use.
func (pl *VolumeRestrictions) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if len(pod.Spec.Volumes) == 0 {
		return nil, skip
	}
	claims, err := pl.exclusiveClaimsOf(pod)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, err.Error()).WithPlugin(Name)
	case err != nil:
		return nil, fwk.AsStatus(err)
	case claims.users == 0 && !hasDisk(pod):
		return nil, skip
	}
	state.Write(filterKey, claims)
	return nil, nil
}

func (pl *VolumeRestrictions) exclusiveClaimsOf(pod *v1.Pod) (*exclusiveClaims, error) {
	claims := &exclusiveClaims{}
	for name := range podvolumes.Claims(pod) {
		claim, err := pl.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(claim.Spec.AccessModes, v1.ReadWriteOncePod) && !slices.Contains(claims.names, name) {
			claims.names = append(claims.names, name)
			if pl.nodes.StorageInfos().IsPVCUsedByPods(pod.Namespace + "/" + name) {
				claims.users++
			}
		}
	}
	return claims, nil
}

// PreFilterExtensions is the plugin.
func (pl *VolumeRestrictions) PreFilterExtensions() fwk.PreFilterExtensions { return pl }

// AddPod counts the claims of a nominated pod.
func (*VolumeRestrictions) AddPod(_ context.Context, state fwk.CycleState, _ *v1.Pod, added fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	return count(state, added, 1)
}

// RemovePod takes the claims of a victim off the count.
func (*VolumeRestrictions) RemovePod(_ context.Context, state fwk.CycleState, _ *v1.Pod, removed fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	return count(state, removed, -1)
}

func count(state fwk.CycleState, info fwk.PodInfo, sign int) *fwk.Status {
	claims, err := claimsIn(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	claims.users += sign * claims.usedBy(info.GetPod())
	return nil
}

func claimsIn(state fwk.CycleState) (*exclusiveClaims, error) {
	claims, err := framework.ReadState[*exclusiveClaims](state, filterKey)
	if err != nil {
		return nil, fmt.Errorf("reading %q from cycleState: %w", filterKey, err)
	}
	return claims, nil
}

// Filter rejects a node with a pod that has one of the pod's disks, and every node while an exclusive claim is in use.
func (*VolumeRestrictions) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if hasDisk(pod) && conflictWithAny(pod, node.GetPods()) {
		return diskInUse
	}
	claims, err := claimsIn(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if claims.users > 0 {
		return claimInUse
	}
	return nil
}

func conflictWithAny(pod *v1.Pod, others []fwk.PodInfo) bool {
	for _, other := range others {
		if conflict(pod, other.GetPod()) != nil {
			return true
		}
	}
	return false
}
