package framework

import (
	"context"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// ProfileName is the profile's name, which pods have in spec.schedulerName.
func (p *Profile) ProfileName() string { return p.name }

// SnapshotSharedLister is the engine's snapshot of the nodes; it changes only between scheduling cycles.
func (p *Profile) SnapshotSharedLister() fwk.SharedLister { return p.deps.Snapshot }

// ClientSet talks to the cluster; nil in worlds that have none.
func (p *Profile) ClientSet() clientset.Interface { return p.deps.Client }

// KubeConfig is how to reach the cluster; nil in worlds that have none.
func (p *Profile) KubeConfig() *restclient.Config { return p.deps.KubeConfig }

// EventRecorder emits Kubernetes events in the profile's name.
func (p *Profile) EventRecorder() events.EventRecorderLogger { return p.deps.Events }

// SharedInformerFactory serves every other kind of object.
func (p *Profile) SharedInformerFactory() informers.SharedInformerFactory { return p.deps.Informers }

// SharedDRAManager serves resource claims, slices and device classes.
func (p *Profile) SharedDRAManager() fwk.SharedDRAManager { return p.deps.DRA }

// SharedCSIManager serves CSINodes.
func (p *Profile) SharedCSIManager() fwk.CSIManager { return p.deps.CSI }

// PodGroupManager is nil: the pod groups of later releases, whose gate is refused, are none of the cluster's.
func (p *Profile) PodGroupManager() fwk.PodGroupManager { return nil }

// MutableSnapshotSharedLister is the same snapshot, in which nothing can be changed: only the cycle of a pod group changes one.
func (p *Profile) MutableSnapshotSharedLister() fwk.MutableSnapshotSharedLister {
	return unchangeable{p.deps.Snapshot}
}

// unchangeable is a snapshot that a plugin may read.
type unchangeable struct{ fwk.SharedLister }

var errUnchangeable = errors.New("changing the snapshot: that is done in the cycle of a pod group only, and there is none here")

func (unchangeable) StartMutations() error                        { return errUnchangeable }
func (unchangeable) EndMutations() error                          { return errUnchangeable }
func (unchangeable) AddPod(fwk.PodInfo, string) error             { return errUnchangeable }
func (unchangeable) RemovePod(klog.Logger, *v1.Pod, string) error { return errUnchangeable }

// GetPodInPreBind is nil: a plugin ends the binding of a pod through [MemoryPreemption].
func (p *Profile) GetPodInPreBind(types.UID) fwk.PodInPreBind { return nil }

// AddPodInPreBind and RemovePodInPreBind do nothing: the engine knows which pods it binds.
func (p *Profile) AddPodInPreBind(types.UID, context.CancelCauseFunc) {}

// RemovePodInPreBind is described at AddPodInPreBind.
func (p *Profile) RemovePodInPreBind(types.UID) {}

// Extenders are the webhooks that filter and score beside the plugins.
func (p *Profile) Extenders() []fwk.Extender { return p.deps.Extenders }

// Parallelizer runs the pieces in order, on the calling goroutine.
func (p *Profile) Parallelizer() fwk.Parallelizer { return sequential{} }

// APIDispatcher is nil: a plugin requests an API call without waiting for it through [Emitter].
func (p *Profile) APIDispatcher() fwk.APIDispatcher { return nil }

// APICacher is nil, like APIDispatcher.
func (p *Profile) APICacher() fwk.APICacher { return nil }

// Emit passes a plugin's effect to the engine. See [Emitter].
func (p *Profile) Emit(act world.Action, plugin string) world.EffectID {
	if p.deps.Emitter == nil {
		return 0
	}
	return p.deps.Emitter.Emit(act, plugin)
}

// IntN is a random number from the engine's seed. See [Rand].
func (p *Profile) IntN(n int) int {
	if p.deps.Rand == nil {
		return 0
	}
	return p.deps.Rand.IntN(n)
}

// Now is the engine's time. Without an engine it is the zero time. See [Clock].
func (p *Profile) Now() time.Time {
	if p.deps.Clock == nil {
		return time.Time{}
	}
	return p.deps.Clock.Now()
}

// PreemptInMemory preempts a pod that is not bound yet. See [MemoryPreemption].
func (p *Profile) PreemptInMemory(uid types.UID, plugin string) bool {
	return p.deps.Memory != nil && p.deps.Memory.PreemptInMemory(uid, plugin)
}

// ActivateAfterCycle activates a pod later. See [MemoryPreemption].
func (p *Profile) ActivateAfterCycle(pod *v1.Pod) {
	if p.deps.Memory != nil {
		p.deps.Memory.ActivateAfterCycle(pod)
	}
}

// Volumes is the engine's state of volumes and claims. See [VolumeState].
func (p *Profile) Volumes() *volumes.State { return p.deps.Volumes }

// Devices is the engine's state of devices. See [DeviceState].
func (p *Profile) Devices() *devices.State { return p.deps.Devices }

// Gangs is the engine's state of pod groups. See [GangState].
func (p *Profile) Gangs() *gangs.State { return p.deps.Gangs }

// ObjectChanges is which objects changed. Without an engine, any object may have. See [ObjectChanges].
func (p *Profile) ObjectChanges(kind world.Kind, since uint64) (names []types.NamespacedName, now uint64, known bool) {
	if p.deps.Changes == nil {
		return nil, 0, false
	}
	return p.deps.Changes.ObjectChanges(kind, since)
}

// WaitingPods is the list of pods that wait for Permit plugins.
func (p *Profile) WaitingPods() *WaitingPods { return p.deps.Waiting }

// IterateOverWaitingPods visits the waiting pods in order of entry.
func (p *Profile) IterateOverWaitingPods(visit func(fwk.WaitingPod)) { p.deps.Waiting.Each(visit) }

// GetWaitingPod finds a waiting pod; nil if the pod is not waiting.
func (p *Profile) GetWaitingPod(uid types.UID) fwk.WaitingPod { return p.deps.Waiting.Get(uid) }

// RejectWaitingPod rejects a waiting pod because it was removed, and reports whether it was waiting.
func (p *Profile) RejectWaitingPod(uid types.UID) bool {
	waiting := p.deps.Waiting.Get(uid)
	if waiting == nil {
		return false
	}
	waiting.Reject("", "removed")
	return true
}
