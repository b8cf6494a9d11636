package dynamicresources

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// PreBindPreFlight says whether there is anything to write.
func (*DynamicResources) PreBindPreFlight(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	c, err := readCycle(state)
	switch {
	case err != nil:
		return nil, fwk.AsStatus(err)
	case c.claims.empty():
		return nil, skip
	}
	return &fwk.PreBindPreFlightResult{AllowParallel: true}, nil
}

// PreBind fails: the plugin waits by inputs, which only Orrery's engine gives it.
func (*DynamicResources) PreBind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return fwk.AsStatus(errors.New("reserving claims: the plugin works in steps, which its host does not take"))
}

// PreBindStep reserves the claims, one after the other, and waits until their devices are ready.
func (pl *DynamicResources) PreBindStep(state fwk.CycleState, pod *v1.Pod, node string, now time.Time, outcome *world.Outcome) framework.PreBindStep {
	before, err := framework.ReadState[*reserved](state, reservedKey)
	if err != nil {
		return failed(err)
	}
	r := before.copy()
	state.Write(reservedKey, r)
	if outcome != nil {
		if err := pl.writeDone(r, pod, now, outcome); err != nil {
			return failed(err)
		}
	}
	for ; r.written < len(r.writes); r.written++ {
		if step := pl.nextWrite(r, pod, node, now); step != nil {
			return *step
		}
	}
	return pl.awaitDevices(r, pod, node, now)
}

// copy returns a copy that a step may change.
func (r *reserved) copy() *reserved {
	twin := *r
	twin.claims = append([]reservation(nil), r.claims...)
	return &twin
}

func failed(err error) framework.PreBindStep { return framework.PreBindStep{Status: fwk.AsStatus(err)} }

// nextWrite is the step of the next write; nil if it needs none.
func (pl *DynamicResources) nextWrite(r *reserved, pod *v1.Pod, node string, now time.Time) *framework.PreBindStep {
	w := r.writes[r.written]
	one, ref := &r.claims[w.claim], world.PodRefOf(pod)
	switch w.what {
	case create:
		one.claim, one.created = pl.named(one.claim), true
		return &framework.PreBindStep{Action: world.CreateResourceClaim{Pod: ref, Node: node, Claim: one.claim}}
	case reserve:
		one.asked = true
		act := pl.reservation(one, pod, now)
		act.Node = node
		return &framework.PreBindStep{Action: act}
	case tell:
		return &framework.PreBindStep{Action: world.PatchStatus{Pod: ref, ExtendedResources: &v1.PodExtendedResourceClaimStatus{
			ResourceClaimName: one.claim.Name, RequestMappings: r.mappings,
		}}}
	}
	return pl.awaitImplicit(r, one, now)
}

// reservation is the write that reserves a claim.
func (pl *DynamicResources) reservation(one *reservation, pod *v1.Pod, now time.Time) world.ReserveResourceClaim {
	act := world.ReserveResourceClaim{Pod: world.PodRefOf(pod), Claim: world.ObjectRefOf(one.claim), Allocation: one.allocation}
	if pl.bindingConditions {
		stamp := metav1.NewTime(now)
		act.AllocatedAt = &stamp
	}
	return act
}

// writeDone takes in the outcome of the last write.
func (pl *DynamicResources) writeDone(r *reserved, pod *v1.Pod, now time.Time, outcome *world.Outcome) error {
	w := r.writes[r.written]
	one := &r.claims[w.claim]
	if !outcome.OK() {
		return pl.writeFailed(one, pod, w.what, outcome)
	}
	if r.written++; w.what != reserve {
		return nil
	}
	one.asked = false
	if one.implicit {
		one.claim = allocated(one.claim, one.allocation) // it stays in flight until it can be read
		return nil
	}
	pl.assume(one, pl.reservation(one, pod, now), outcome.Version)
	return nil
}

// assume assumes what was written to a claim. If the claim has changed in a way that the write does not fit, it stays in flight
// until the store shows what was written.
func (pl *DynamicResources) assume(one *reservation, act world.ReserveResourceClaim, version string) {
	if claim := pl.devices.Claim(one.claim.Namespace, one.claim.Name); claim != nil {
		if next, err := act.Apply(claim); err == nil && pl.devices.Assume(next, version) == nil {
			one.claim = next
			pl.devices.RemoveInFlight(one.inFlight)
			return
		}
	}
	pl.devices.Abandon(one.inFlight)
	pl.devices.Settle(act.Claim, version)
	one.inFlight = ""
}

// writeFailed takes in that a write failed. If it may have been made all the same, Unreserve undoes it, and the claim stays in
// flight until then. So does an implicit claim that has its devices.
func (pl *DynamicResources) writeFailed(one *reservation, pod *v1.Pod, what stage, outcome *world.Outcome) error {
	err := errors.New(outcome.Message)
	switch what {
	case create:
		one.created = outcome.Uncertain()
		return fmt.Errorf("create claim for extended resources %s/: %w", pod.Namespace, err)
	case tell:
		return fmt.Errorf("update pod %s/%s ExtendedResourceClaimStatus: %w", pod.Namespace, pod.Name, err)
	}
	if one.asked = outcome.Uncertain(); !one.asked {
		pl.devices.GiveUp(one.inFlight)
	}
	return err
}
