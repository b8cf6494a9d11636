package dynamicresources

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

const (
	// readTimeout is how long a binding waits until the claim that it created can be read.
	readTimeout = 120 * time.Second
	// pollInterval is how often kube-scheduler looks whether the time of a claim is over.
	pollInterval = 5 * time.Second
)

// awaitImplicit waits until the implicit claim can be read, with its devices: until then they are taken as those of a claim in
// flight. It is no failure if that takes too long.
func (pl *DynamicResources) awaitImplicit(r *reserved, one *reservation, now time.Time) *framework.PreBindStep {
	stored := pl.devices.StoredClaim(one.claim.Namespace, one.claim.Name)
	if r.deadline.IsZero() {
		r.deadline = now.Add(readTimeout)
	}
	if read := stored != nil && stored.Status.Allocation != nil; read || !now.Before(r.deadline) {
		if read {
			one.claim = stored
		}
		pl.devices.RemoveInFlight(one.inFlight)
		r.deadline = time.Time{}
		return nil
	}
	return &framework.PreBindStep{Wait: &framework.ObjectWait{Objects: []framework.ObjectKey{keyOf(one)}, Until: r.deadline}}
}

func keyOf(one *reservation) framework.ObjectKey {
	return framework.ObjectKey{Kind: world.ResourceClaim, Namespace: one.claim.Namespace, Name: one.claim.Name}
}

// awaitDevices waits until all devices are ready for the pod. Without binding conditions (KEP-5007) they are.
func (pl *DynamicResources) awaitDevices(r *reserved, pod *v1.Pod, node string, now time.Time) framework.PreBindStep {
	if !pl.bindingConditions || !r.hasConditions() {
		return framework.PreBindStep{}
	}
	switch {
	case r.deadline.IsZero():
		pl.events.Eventf(pod, nil, v1.EventTypeNormal, "BindingConditionsPending", "Scheduling", "waiting for binding conditions for device on node %s", node)
		r.deadline = now.Add(pl.bindingTimeout)
	case !now.Before(r.deadline):
		return failed(errors.New(pl.words.timeout))
	}
	ready, err := pl.readyPod(r, pod, now)
	switch {
	case err != nil:
		return failed(err)
	case ready:
		return framework.PreBindStep{}
	}
	wait := &framework.ObjectWait{Until: pl.nextLook(r, now)}
	for i := range r.claims {
		wait.Objects = append(wait.Objects, keyOf(&r.claims[i]))
	}
	return framework.PreBindStep{Wait: wait}
}

func (r *reserved) hasConditions() bool {
	for i := range r.claims {
		if hasConditions(r.claims[i].claim) {
			return true
		}
	}
	return false
}

// nextLook is when the wait ends if no claim changes: at the deadline, or when kube-scheduler would notice that the time of a
// claim is over, which was allocated in an earlier attempt.
func (pl *DynamicResources) nextLook(r *reserved, now time.Time) time.Time {
	until := r.deadline
	for i := range r.claims {
		deadline, limited := pl.bindingDeadline(r.claims[i].claim)
		if !limited || !deadline.Before(r.deadline) {
			continue
		}
		began := r.deadline.Add(-pl.bindingTimeout)
		look := began.Add((max(0, deadline.Sub(began))/pollInterval + 1) * pollInterval)
		if look.After(now) && look.Before(until) {
			until = look
		}
	}
	return until
}
