package shortage

import (
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"orrery/core/safe/plural"
)

// Trouble is why a device does not do for a request.
type Trouble string

// The troubles. With one of the first four the device would not do if it were free, either.
const (
	TroubleClass      Trouble = "classSelector"
	TroubleSelector   Trouble = "selector"
	TroubleExpression Trouble = "expressionError"
	TroubleGate       Trouble = "featureGate"
	TroublePool       Trouble = "pool"
	TroubleTaint      Trouble = "taint"
	TroubleTaken      Trouble = "taken"
	TroubleCapacity   Trouble = "capacity"
	TroubleCounters   Trouble = "counters"
	TroubleReach      Trouble = "reach" // it does, on other nodes
)

// matches reports whether the selectors allow a device with the trouble.
func (t Trouble) matches() bool {
	switch t {
	case TroubleClass, TroubleSelector, TroubleExpression, TroubleGate:
		return false
	}
	return true
}

// deviceVerdict is whether a device does for a request, and if not, why.
type deviceVerdict struct {
	known   bool
	trouble Trouble // empty if it does
	detail  string  // what other devices with the same trouble share: an expression, a taint, a counter
	value   string  // what the device has instead
}

// usable reports whether the device does.
func (v *deviceVerdict) usable() bool { return v.trouble == "" }

// verdict is the reason why a device does not serve a request, whatever the node.
func (in *Inspection) verdict(r *Request, d *poolDevice) *deviceVerdict {
	if d.verdicts == nil {
		d.verdicts = make([]deviceVerdict, len(in.requests))
	}
	v := &d.verdicts[r.index]
	if !v.known {
		*v = in.evaluate(r, d)
		v.known = true
	}
	return v
}

// evaluate checks what can be changed least first: a device that is taken and that the selector does not match is no use when it
// is free.
func (in *Inspection) evaluate(r *Request, d *poolDevice) deviceVerdict {
	if gate := in.gateOf(d); gate != "" {
		return deviceVerdict{trouble: TroubleGate, detail: gate}
	}
	if class := in.Devices.Class(r.Class); class != nil {
		if v, fails := in.selects(TroubleClass, class.Spec.Selectors, d); fails {
			return v
		}
	}
	if v, fails := in.selects(TroubleSelector, r.selectors, d); fails {
		return v
	}
	if taint := in.untolerated(r, d); taint != "" {
		return deviceVerdict{trouble: TroubleTaint, detail: taint}
	}
	if !r.admin && len(in.takers(d)) > 0 {
		return deviceVerdict{trouble: TroubleTaken}
	}
	if in.inventory.features.ConsumableCapacity {
		if short := in.shortCapacity(r, d); short != nil {
			return deviceVerdict{trouble: TroubleCapacity, detail: short.name, value: short.says}
		}
	}
	if short := in.shortCounter(d); short != nil {
		return deviceVerdict{trouble: TroubleCounters, detail: short.name, value: short.says}
	}
	return deviceVerdict{}
}

// gateOf names the feature gate that the device needs and that is off.
func (in *Inspection) gateOf(d *poolDevice) string {
	switch features := in.inventory.features; {
	case !features.DeviceBindingAndStatus && len(d.BindingConditions) > 0:
		return "DRADeviceBindingConditions"
	case !features.PartitionableDevices && len(d.ConsumesCounters) > 0:
		return "DRAPartitionableDevices"
	}
	return ""
}

// selects evaluates the selectors up to the first that does not match.
func (in *Inspection) selects(trouble Trouble, selectors []resourcev1.DeviceSelector, d *poolDevice) (deviceVerdict, bool) {
	for i := range selectors {
		if selectors[i].CEL == nil {
			continue
		}
		x := in.expressions.of(selectors[i].CEL.Expression)
		switch said := in.expressions.matches(x, d); {
		case said.problem != "":
			return deviceVerdict{trouble: TroubleExpression, detail: x.text, value: said.problem}, true
		case !said.matches:
			return deviceVerdict{trouble: trouble, detail: x.text, value: x.values(d)}, true
		}
	}
	return deviceVerdict{}, false
}

// untolerated is the first taint that keeps the request from the device; empty if there is none.
func (in *Inspection) untolerated(r *Request, d *poolDevice) string {
	if !in.inventory.features.DeviceTaints {
		return ""
	}
	for _, taint := range d.Taints {
		if taint.Effect == resourcev1.DeviceTaintEffectNoSchedule || taint.Effect == resourcev1.DeviceTaintEffectNoExecute {
			if !r.tolerates(taint) {
				return taintText(taint)
			}
		}
	}
	return ""
}

func (r *Request) tolerates(taint resourcev1.DeviceTaint) bool {
	for i := range r.tolerations {
		if resourceclaim.ToleratesTaint(r.tolerations[i], taint) {
			return true
		}
	}
	return false
}

// taintText is a taint as kubectl writes those of nodes.
func taintText(t resourcev1.DeviceTaint) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	return text + ":" + string(t.Effect)
}

// takers are the claims that have the device for themselves.
func (in *Inspection) takers(d *poolDevice) []*holder {
	var takers []*holder
	for _, holder := range in.inventory.holders[d.id] {
		if !in.inventory.features.ConsumableCapacity || !holder.shares {
			takers = append(takers, holder)
		}
	}
	return takers
}

// says is a verdict on one device in words.
func (in *Inspection) says(r *Request, d *poolDevice, v *deviceVerdict) string {
	switch shares := len(in.inventory.holders[d.id]); {
	case v.trouble == TroubleCapacity || v.trouble == TroubleCounters:
		return v.value
	case !v.usable():
		group := reasonGroup{trouble: v.trouble, detail: v.detail, devices: 1, values: map[string]int{}, taken: []*poolDevice{d}}
		if v.value != "" {
			group.values[v.value] = 1
		}
		return in.clause(&Reason{}, r, &group)
	case ptr.Deref(d.AllowMultipleAllocations, false) && shares > 0:
		return "does: it is shared with " + plural.Count(shares, "claim")
	}
	return "is free"
}

// failing is the first selector that cannot be evaluated; empty if all can.
func (in *Inspection) failing(selectors []resourcev1.DeviceSelector) string {
	for i := range selectors {
		if selectors[i].CEL == nil { // no API server stores it, and the allocator panics on it
			return fmt.Sprintf("selector #%d has no CEL expression", i)
		}
		x := in.expressions.of(selectors[i].CEL.Expression)
		if problem := in.problemOf(x); problem != "" {
			return fmt.Sprintf("the selector %s cannot be evaluated: %s", shownExpression(x.text), problem)
		}
	}
	return ""
}

// problemOf is why an expression cannot be compiled, or be evaluated on some device; empty if it can.
func (in *Inspection) problemOf(x *expression) string {
	if x.problem != "" {
		return x.problem
	}
	for d := range in.inventory.all {
		if said := in.expressions.matches(x, d); said.problem != "" {
			return said.problem + ", on " + d.id.short()
		}
	}
	return ""
}
