package nodevolumelimits

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/objects/csimigration"
	"orrery/core/scheduler/framework"
)

// ReasonExceeded rejects a node on which a driver cannot attach the pod's volumes.
const ReasonExceeded = "node(s) exceed max volume count"

var (
	skip     = fwk.NewStatus(fwk.Skip)
	exceeded = fwk.NewStatus(fwk.Unschedulable, ReasonExceeded).WithPlugin(Name)
)

// request is the volumes of the pod to be scheduled, on a node of each scope.
type request [csimigration.Scopes]struct {
	volumes   []volumeID // each once, in the order of the pod's
	rejection *fwk.Status
}

// filterKey is the key of the request in the cycle state.
const filterKey fwk.StateKey = "PreFilter" + Name

// Clone returns the request itself: nothing changes it.
func (r *request) Clone() fwk.StateData { return r }

// PreFilter reads the pod's volumes, and what has changed on the nodes.
func (pl *NodeVolumeLimits) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if !hasCountable(pod) {
		return nil, skip
	}
	if pl.index != nil {
		pl.index.sync(len(nodes))
	}
	state.Write(filterKey, pl.requestOf(pod))
	return nil, nil
}

// hasCountable reports whether a pod has a volume that may count on some node.
func hasCountable(pod *v1.Pod) bool {
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil || csimigration.PluginOfInline(v) != "" {
			return true
		}
	}
	return false
}

func (pl *NodeVolumeLimits) requestOf(pod *v1.Pod) *request {
	r := &request{}
	for scope := range csimigration.Scope(csimigration.Scopes) {
		on := &r[scope]
		volumes := reading{objects: pl.objects, scope: scope, found: func(id volumeID) {
			if !slices.Contains(on.volumes, id) {
				on.volumes = append(on.volumes, id)
			}
		}}
		if err := volumes.pod(pod, true); apierrors.IsNotFound(err) {
			on.rejection = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, err.Error()).WithPlugin(Name)
		} else if err != nil {
			on.rejection = fwk.AsStatus(err)
		}
	}
	return r
}

// PreFilterExtensions is nil: a node that pods are added to or removed from is measured by its pods.
func (*NodeVolumeLimits) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter rejects a node on which the pod's volumes would exceed a driver's limit. Without PreFilter's state it reads everything.
func (pl *NodeVolumeLimits) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	wanted, err := framework.ReadState[*request](state, filterKey)
	if err == nil && pl.index != nil {
		return pl.verdict(wanted, pl.index.usageOf(node))
	}
	if err != nil {
		wanted = pl.requestOf(pod)
	}
	attached := listAttachments(pl.objects.attachments).onNode[node.Node().Name]
	return pl.verdict(wanted, pl.objects.measure(node, attached, nil))
}

func (pl *NodeVolumeLimits) verdict(wanted *request, u *usage) *fwk.Status {
	on := &wanted[u.scope]
	switch {
	case on.rejection != nil:
		return on.rejection
	case len(on.volumes) == 0:
		return nil
	}
	if status := pl.checkInstalled(on.volumes, u); status != nil {
		return status
	}
	switch {
	case u.failure != nil:
		return u.failure
	case u.exceeds(on.volumes):
		return exceeded
	}
	return nil
}

// checkInstalled rejects a node without a driver of the pod, from 1.36 on only if the CSIDriver asks for that. A driver without a CSIDriver
// object may be none of CSI. It does nothing without the gate VolumeLimitScaling (KEP-5030).
func (pl *NodeVolumeLimits) checkInstalled(volumes []volumeID, u *usage) *fwk.Status {
	if pl.drivers == nil {
		return nil
	}
	for _, id := range volumes {
		driver, err := pl.drivers.Get(id.driver)
		if err != nil || pl.optIn && !ptr.Deref(driver.Spec.PreventPodSchedulingIfMissing, false) {
			continue
		}
		if !u.installed(id.driver) {
			return fwk.NewStatus(fwk.Unschedulable, id.driver+" CSI driver is not installed on the node").WithPlugin(Name)
		}
	}
	return nil
}
