package framework

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// ProfileName is the scheduler name that pods ask for.
func (p *Profile) ProfileName() string { return p.name }

// SnapshotSharedLister is the engine's snapshot of the nodes; it changes only between scheduling cycles.
func (p *Profile) SnapshotSharedLister() fwk.SharedLister { return p.around.Snapshot }

// ClientSet talks to the cluster; nil in worlds that have none.
func (p *Profile) ClientSet() clientset.Interface { return p.around.Client }

// KubeConfig is how to reach the cluster; nil in worlds that have none.
func (p *Profile) KubeConfig() *restclient.Config { return p.around.KubeConfig }

// EventRecorder announces Kubernetes events in the profile's name.
func (p *Profile) EventRecorder() events.EventRecorder { return p.around.Events }

// SharedInformerFactory serves every other kind of object.
func (p *Profile) SharedInformerFactory() informers.SharedInformerFactory { return p.around.Informers }

// SharedDRAManager serves resource claims, slices and device classes.
func (p *Profile) SharedDRAManager() fwk.SharedDRAManager { return p.around.DRA }

// SharedCSIManager serves CSINodes.
func (p *Profile) SharedCSIManager() fwk.CSIManager { return p.around.CSI }

// WorkloadManager serves pod groups.
func (p *Profile) WorkloadManager() fwk.WorkloadManager { return p.around.Workloads }

// Extenders are the webhooks that have a say beside the plugins.
func (p *Profile) Extenders() []fwk.Extender { return p.around.Extenders }

// Parallelizer does the work in order, on the calling goroutine.
func (p *Profile) Parallelizer() fwk.Parallelizer { return sequential{} }

// APIDispatcher is nil: a plugin that wants an API call to be made without waiting for it uses [Actor].
func (p *Profile) APIDispatcher() fwk.APIDispatcher { return nil }

// APICacher is nil, like APIDispatcher.
func (p *Profile) APICacher() fwk.APICacher { return nil }

// Act passes a plugin's wish on to the engine. See [Actor].
func (p *Profile) Act(act world.Act, plugin string) world.EffectID {
	if p.around.Actor == nil {
		return 0
	}
	return p.around.Actor.Act(act, plugin)
}

// Draw leaves a choice to the engine's seed. See [Dice].
func (p *Profile) Draw(n int) int {
	if p.around.Dice == nil {
		return 0
	}
	return p.around.Dice.Draw(n)
}

// WaitingPods is the list of pods that Permit plugins let wait.
func (p *Profile) WaitingPods() *WaitingPods { return p.around.Waiting }

// IterateOverWaitingPods visits the waiting pods in order of entry.
func (p *Profile) IterateOverWaitingPods(visit func(fwk.WaitingPod)) { p.around.Waiting.Each(visit) }

// GetWaitingPod finds a waiting pod; nil if it does not wait.
func (p *Profile) GetWaitingPod(uid types.UID) fwk.WaitingPod { return p.around.Waiting.Get(uid) }

// RejectWaitingPod ends a pod's waiting because it is gone, and tells whether it was waiting at all.
func (p *Profile) RejectWaitingPod(uid types.UID) bool {
	waiting := p.around.Waiting.Get(uid)
	if waiting == nil {
		return false
	}
	waiting.Reject("", "removed")
	return true
}
