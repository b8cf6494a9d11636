package diagnose

import (
	"fmt"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"orrery/core/safe/plural"
)

// DeviceTrouble is why a device does not do for a request.
type DeviceTrouble string

// The troubles. With one of the first four the device would not do if it were free, either.
const (
	TroubleClass      DeviceTrouble = "classSelector"
	TroubleSelector   DeviceTrouble = "selector"
	TroubleExpression DeviceTrouble = "expressionError"
	TroubleGate       DeviceTrouble = "featureGate"
	TroublePool       DeviceTrouble = "pool"
	TroubleTaint      DeviceTrouble = "taint"
	TroubleTaken      DeviceTrouble = "taken"
	TroubleCapacity   DeviceTrouble = "capacity"
	TroubleCounters   DeviceTrouble = "counters"
	TroubleReach      DeviceTrouble = "reach" // it does, on other nodes
)

// matches reports whether the selectors allow a device with the trouble.
func (t DeviceTrouble) matches() bool {
	switch t {
	case TroubleClass, TroubleSelector, TroubleExpression, TroubleGate:
		return false
	}
	return true
}

// deviceVerdict is whether a device does for a request, and if not, why.
type deviceVerdict struct {
	known   bool
	trouble DeviceTrouble // empty if it does
	detail  string        // what other devices with the same trouble share: an expression, a taint, a counter
	value   string        // what the device has instead
}

// usable reports whether the device does.
func (v *deviceVerdict) usable() bool { return v.trouble == "" }

// verdict is the reason why a device does not serve a request, whatever the node.
func (w *deviceWhy) verdict(r *DeviceRequest, d *poolDevice) *deviceVerdict {
	if d.verdicts == nil {
		d.verdicts = make([]deviceVerdict, len(w.requests))
	}
	v := &d.verdicts[r.index]
	if !v.known {
		*v = w.evaluate(r, d)
		v.known = true
	}
	return v
}

// evaluate checks what can be changed least first: a device that is taken and that the selector does not match is no use when it
// is free.
func (w *deviceWhy) evaluate(r *DeviceRequest, d *poolDevice) deviceVerdict {
	if gate := w.gateOf(d); gate != "" {
		return deviceVerdict{trouble: TroubleGate, detail: gate}
	}
	if class := w.engine.Devices().Class(r.Class); class != nil {
		if v, fails := w.selects(TroubleClass, class.Spec.Selectors, d); fails {
			return v
		}
	}
	if v, fails := w.selects(TroubleSelector, r.selectors, d); fails {
		return v
	}
	if taint := w.untolerated(r, d); taint != "" {
		return deviceVerdict{trouble: TroubleTaint, detail: taint}
	}
	if !r.admin && len(w.takers(d)) > 0 {
		return deviceVerdict{trouble: TroubleTaken}
	}
	if w.inventory.features.ConsumableCapacity {
		if short := w.shortCapacity(r, d); short != nil {
			return deviceVerdict{trouble: TroubleCapacity, detail: short.name, value: short.says}
		}
	}
	if short := w.shortCounter(d); short != nil {
		return deviceVerdict{trouble: TroubleCounters, detail: short.name, value: short.says}
	}
	return deviceVerdict{}
}

// gateOf names the feature gate that the device needs and that is off.
func (w *deviceWhy) gateOf(d *poolDevice) string {
	switch features := w.inventory.features; {
	case !features.DeviceBindingAndStatus && len(d.BindingConditions) > 0:
		return "DRADeviceBindingConditions"
	case !features.PartitionableDevices && len(d.ConsumesCounters) > 0:
		return "DRAPartitionableDevices"
	}
	return ""
}

// selects evaluates the selectors up to the first that does not match.
func (w *deviceWhy) selects(trouble DeviceTrouble, selectors []resourcev1.DeviceSelector, d *poolDevice) (deviceVerdict, bool) {
	for i := range selectors {
		if selectors[i].CEL == nil {
			continue
		}
		x := w.expressions.of(selectors[i].CEL.Expression)
		switch said := w.expressions.matches(x, d); {
		case said.problem != "":
			return deviceVerdict{trouble: TroubleExpression, detail: x.text, value: said.problem}, true
		case !said.matches:
			return deviceVerdict{trouble: trouble, detail: x.text, value: x.values(d)}, true
		}
	}
	return deviceVerdict{}, false
}

// untolerated is the first taint that keeps the request from the device; empty if there is none.
func (w *deviceWhy) untolerated(r *DeviceRequest, d *poolDevice) string {
	if !w.inventory.features.DeviceTaints {
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

func (r *DeviceRequest) tolerates(taint resourcev1.DeviceTaint) bool {
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
func (w *deviceWhy) takers(d *poolDevice) []*deviceHolder {
	var takers []*deviceHolder
	for _, holder := range w.inventory.holders[d.id] {
		if !w.inventory.features.ConsumableCapacity || holder.consumed == nil {
			takers = append(takers, holder)
		}
	}
	return takers
}

// says is a verdict on one device in words.
func (w *deviceWhy) says(r *DeviceRequest, d *poolDevice, v *deviceVerdict) string {
	switch v.trouble {
	case TroubleTaken:
		holder := w.takers(d)[0].describe(d.id)
		return "is taken by " + holder.text(w.priority)
	case TroubleClass:
		return fmt.Sprintf("does not match class %s: %s is false: %s", r.Class, shownExpression(v.detail), v.value)
	case TroubleSelector:
		return strings.TrimSuffix(fmt.Sprintf("does not match the selector: %s is false: %s", shownExpression(v.detail), v.value), ": ")
	case TroubleExpression:
		return fmt.Sprintf("cannot be checked: %s: %s", shownExpression(v.detail), v.value)
	case TroubleGate:
		return "needs the feature gate " + v.detail + ", which is off"
	case TroubleTaint:
		return "is tainted " + v.detail + ", which the request does not tolerate"
	case TroubleCapacity, TroubleCounters:
		return v.value
	}
	if ptr.Deref(d.AllowMultipleAllocations, false) && len(w.inventory.holders[d.id]) > 0 {
		return "does: it is shared with " + plural.Count(len(w.inventory.holders[d.id]), "claim")
	}
	return "is free"
}
