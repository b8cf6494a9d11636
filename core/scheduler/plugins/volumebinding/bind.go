package volumebinding

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// PreBindPreFlight says whether there is anything to bind.
func (*VolumeBinding) PreBindPreFlight(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	if _, err := state.Read(reservedKey); err != nil {
		return nil, skip
	}
	return &fwk.PreBindPreFlightResult{AllowParallel: true}, nil
}

// PreBind fails: the plugin waits by inputs, which only Orrery's engine gives it.
func (*VolumeBinding) PreBind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return fwk.AsStatus(errors.New("binding volumes: the plugin works in steps, which its host does not take"))
}

// PreBindStep writes the volumes, then the claims, one after the other, and waits until every claim is bound.
func (pl *VolumeBinding) PreBindStep(state fwk.CycleState, pod *v1.Pod, node string, now time.Time, outcome *world.Outcome) framework.PreBindStep {
	before, err := framework.ReadState[*reserved](state, reservedKey)
	if err != nil {
		return pl.failed(err)
	}
	r := *before
	if outcome != nil {
		if !outcome.OK() {
			return pl.failed(errors.New(outcome.Message))
		}
		r.written++
	}
	action := r.nextWrite(world.PodRefOf(pod), node)
	if action == nil && r.deadline.IsZero() {
		r.deadline = now.Add(pl.timeout)
	}
	state.Write(reservedKey, &r)
	if action != nil {
		return framework.PreBindStep{Action: action}
	}
	bound, err := pl.allBound(&r, pod, node)
	switch {
	case err == nil && bound:
		return framework.PreBindStep{}
	case err == nil && !now.Before(r.deadline):
		err = context.DeadlineExceeded
	}
	if err != nil {
		return pl.failed(fmt.Errorf("binding volumes: %w", err))
	}
	return framework.PreBindStep{Wait: &framework.ObjectWait{Objects: pl.awaited(&r, pod, node), Until: r.deadline}}
}

func (pl *VolumeBinding) failed(err error) framework.PreBindStep {
	pl.volumes.Errors.Bind++
	return framework.PreBindStep{Status: fwk.AsStatus(err)}
}

// nextWrite is the next effect; nil if everything is written. It skips what needs no change.
func (r *reserved) nextWrite(pod world.PodRef, node string) world.Action {
	for ; r.written < len(r.volumes); r.written++ {
		if w := &r.volumes[r.written]; w.needed() {
			return world.ClaimVolume{
				Pod: pod, Node: node, Volume: world.ObjectRefOf(w.assumed), Claim: world.ObjectRefOf(w.claim),
				ByController: byController(w.assumed) && !byController(w.stored),
			}
		}
	}
	if i := r.written - len(r.volumes); i < len(r.claims) {
		return world.SelectNode{Pod: pod, Node: node, Claim: world.ObjectRefOf(r.claims[i].chosen)}
	}
	return nil
}

// awaited names the objects whose changes may bring the binding on.
func (pl *VolumeBinding) awaited(r *reserved, pod *v1.Pod, node string) []framework.ObjectKey {
	keys := []framework.ObjectKey{
		{Kind: world.Pod, Namespace: pod.Namespace, Name: pod.Name},
		{Kind: world.Node, Name: node},
		{Kind: world.CSINode, Name: node},
	}
	claim := func(c *v1.PersistentVolumeClaim) {
		keys = append(keys, framework.ObjectKey{Kind: world.PersistentVolumeClaim, Namespace: c.Namespace, Name: c.Name})
	}
	pv := func(name string) { keys = append(keys, framework.ObjectKey{Kind: world.PersistentVolume, Name: name}) }
	for _, w := range r.volumes {
		pv(w.assumed.Name)
		claim(w.claim)
	}
	for _, w := range r.claims {
		claim(w.chosen)
		if now := pl.volumes.StoredClaim(w.chosen.Namespace, w.chosen.Name); now != nil && now.Spec.VolumeName != "" {
			pv(now.Spec.VolumeName)
		}
	}
	return keys
}
