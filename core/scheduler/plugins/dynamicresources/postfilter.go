package dynamicresources

import (
	"context"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// What PostFilter says.
const (
	ReasonNothingToDeallocate = "no new claims to deallocate"
	ReasonDeallocated         = "deallocation of ResourceClaim completed"
	ReasonClaimDeleted        = "deletion of ResourceClaim completed"
	ReasonStillUnschedulable  = "still not schedulable"
)

// PostFilter takes the devices of one claim away that kept the pod from some node, unless other pods use the claim, so that
// the next attempt can allocate others. The change of the claim requeues the pod.
func (pl *DynamicResources) PostFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	c, err := readCycle(state)
	switch {
	case err != nil:
		return nil, fwk.AsStatus(err)
	case c.claims.empty():
		return nil, pl.nothingDone(ReasonNothingToDeallocate)
	}
	for _, i := range slices.Sorted(maps.Keys(c.unavailable)) {
		if claim := c.claims.all[i]; claim != c.claims.implicit && usedOnlyBy(claim, pod) {
			pl.emitter.Emit(world.DeallocateResourceClaim{Pod: world.PodRefOf(pod), Claim: world.ObjectRefOf(claim)}, Name)
			return nil, unschedulable(ReasonDeallocated)
		}
	}
	if implicit := c.claims.implicit; implicit != nil && !isTemporary(implicit) {
		pl.emitter.Emit(world.DeleteResourceClaim{Pod: world.PodRefOf(pod), Claim: world.ObjectRefOf(implicit)}, Name)
		return nil, unschedulable(ReasonClaimDeleted)
	}
	return nil, pl.nothingDone(ReasonStillUnschedulable)
}

// nothingDone says that no claim was taken its devices, and up to 1.36 why.
func (pl *DynamicResources) nothingDone(why string) *fwk.Status {
	if pl.quiet {
		return fwk.NewStatus(fwk.Unschedulable).WithPlugin(Name)
	}
	return unschedulable(why)
}

func usedOnlyBy(claim *resourcev1.ResourceClaim, pod *v1.Pod) bool {
	users := claim.Status.ReservedFor
	return len(users) == 0 || len(users) == 1 && users[0].UID == pod.UID
}

func unschedulable(reason string) *fwk.Status {
	return fwk.NewStatus(fwk.Unschedulable, reason).WithPlugin(Name)
}

// EffectDone takes in what became of a write that undoes another. It retries a pod for which a claim could not be deallocated or
// deleted: no change of the claim will requeue it.
func (pl *DynamicResources) EffectDone(_ world.EffectID, act world.Action, outcome world.Outcome) {
	pl.undone(act, outcome)
	if outcome.OK() {
		return
	}
	switch act.(type) {
	case world.DeallocateResourceClaim, world.DeleteResourceClaim:
		ref := world.PodOf(act)
		if pod, err := pl.pods.Pods(ref.Namespace).Get(ref.Name); err == nil && pod.UID == ref.UID {
			pl.activator.Activate(klog.Logger{}, map[string]*v1.Pod{pod.Name: pod})
		}
	}
}
