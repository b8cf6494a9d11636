package collect

import (
	"iter"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"orrery/views"
)

// holding is a claim that has a unit's device, or one of its partitions.
type holding struct {
	claim  *deviceClaim
	result *resourcev1.DeviceRequestAllocationResult
	device published
}

// admin reports whether the claim has admin access, which takes nothing.
func (h *holding) admin() bool { return ptr.Deref(h.result.AdminAccess, false) }

// devicesOf visits the devices of a unit.
func (u *deviceUnit) devicesOf(yield func(published) bool) {
	if len(u.parts) == 0 {
		yield(u.whole)
		return
	}
	for _, part := range u.parts {
		if !yield(part) {
			return
		}
	}
}

// holdersOf visits the claims that have devices of a unit.
func (x *deviceIndex) holdersOf(u *deviceUnit) iter.Seq[*deviceClaim] {
	return func(yield func(*deviceClaim) bool) {
		for device := range u.devicesOf {
			for _, c := range x.holders[device.id()] {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// holdings visits what claims have of a unit, in the order of its devices and of the claims' names.
func (x *deviceIndex) holdings(u *deviceUnit) iter.Seq[holding] {
	return func(yield func(holding) bool) {
		for device := range u.devicesOf {
			id := device.id()
			for _, c := range x.holders[id] {
				for i, results := 0, c.results(); i < len(results); i++ {
					if resultID(&results[i]) == id && !yield(holding{c, &results[i], device}) {
						return
					}
				}
			}
		}
	}
}

// restate finds the states of a pool's units again, and counts them by row.
func (x *deviceIndex) restate(pool *devicePool) {
	for i := range pool.units {
		x.stateOf(&pool.units[i])
	}
	for _, row := range pool.rows {
		row.brief, row.whole = nil, nil
		x.summary.recount(row)
	}
}

// stateOf finds a unit's state and share.
func (x *deviceIndex) stateOf(u *deviceUnit) {
	var held, inFlight, waits, evicting, reserved, entire bool
	used := unitUse{}
	for h := range x.holdings(u) {
		if h.admin() {
			continue
		}
		held, inFlight, reserved = true, inFlight || h.claim.inFlight, reserved || h.claim.isReserved()
		waits = waits || len(awaited(h.claim.claim, h.result)) > 0
		evicting = evicting || h.claim.isReserved() && evictingTaint(h.device.device, h.result) != nil
		entire = entire || h.device == u.whole && h.result.ShareID == nil
		used.add(u, &h)
	}
	u.share = 0
	if held {
		u.share = used.share(u, entire)
	}
	shared := held && isShared(u.whole.device)
	switch {
	case evicting:
		u.state = views.DeviceEvicting
	case isTainted(u):
		u.state = views.DeviceTainted
	case !held && u.pool.missing > 0:
		u.state = views.DeviceIncomplete
	case !held:
		u.state = views.DeviceFree
	case inFlight:
		u.state = views.DeviceInFlight
	case waits:
		u.state = views.DeviceBinding
	case shared:
		u.state = views.DeviceShared
	case u.set != nil && !entire:
		u.state = views.DevicePartitioned
	case reserved:
		u.state = views.DeviceReserved
	default:
		u.state = views.DeviceAllocated
	}
}

// isShared reports whether several claims may have a device.
func isShared(d *resourcev1.Device) bool { return ptr.Deref(d.AllowMultipleAllocations, false) }

// isTainted reports whether a taint keeps claims from a unit, or from a part of it.
func isTainted(u *deviceUnit) bool {
	for device := range u.devicesOf {
		for i := range device.device.Taints {
			if keepsAway(&device.device.Taints[i]) {
				return true
			}
		}
	}
	return false
}

func keepsAway(t *resourcev1.DeviceTaint) bool {
	return t.Effect == resourcev1.DeviceTaintEffectNoSchedule || t.Effect == resourcev1.DeviceTaintEffectNoExecute
}

// unitUse sums what claims consume of a unit, by capacity or by counter.
type unitUse map[string]float64

func (n unitUse) add(u *deviceUnit, h *holding) {
	for name, amount := range h.result.ConsumedCapacity {
		n[string(name)] += amount.AsApproximateFloat64()
	}
	if u.set == nil {
		return
	}
	for i := range h.device.device.ConsumesCounters {
		if c := &h.device.device.ConsumesCounters[i]; c.CounterSet == u.set.Name {
			for name, amount := range c.Counters {
				n[name] += amount.Value.AsApproximateFloat64()
			}
		}
	}
}

// share returns the largest share of any capacity or counter. A device that only one claim may have is all of it.
func (n unitUse) share(u *deviceUnit, entire bool) float64 {
	if entire || u.set == nil && !isShared(u.whole.device) {
		return 1
	}
	most := 0.0
	for name, used := range n {
		all := u.whole.device.Capacity[resourcev1.QualifiedName(name)].Value
		if u.set != nil {
			all = u.set.Counters[name].Value
		}
		if !all.IsZero() {
			most = max(most, used/all.AsApproximateFloat64())
		}
	}
	return min(most, 1)
}
