package device

import (
	"cmp"
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
)

// poolID names a pool of a driver, and deviceID a device of it.
type (
	poolID   struct{ driver, pool string }
	deviceID struct {
		poolID
		device string
	}
)

func (d deviceID) String() string { return d.driver + "/" + d.pool + "/" + d.device }

func poolOf(s *resourcev1.ResourceSlice) poolID { return poolID{s.Spec.Driver, s.Spec.Pool.Name} }

func allocated(r *resourcev1.DeviceRequestAllocationResult) deviceID {
	return deviceID{poolID{r.Driver, r.Pool}, r.Device}
}

// pools holds the slices of each pool, by name.
type pools map[poolID][]*resourcev1.ResourceSlice

func (p pools) clone() pools {
	f := maps.Clone(p)
	for id, list := range f {
		f[id] = slices.Clone(list)
	}
	return f
}

func bySliceName(a, b *resourcev1.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) }

func (p pools) remove(s *resourcev1.ResourceSlice) {
	id := poolOf(s)
	if at, found := slices.BinarySearchFunc(p[id], s, bySliceName); found {
		p[id] = slices.Delete(p[id], at, at+1)
	}
	if len(p[id]) == 0 {
		delete(p, id)
	}
}

func (p pools) add(s *resourcev1.ResourceSlice) {
	id := poolOf(s)
	at, _ := slices.BinarySearchFunc(p[id], s, bySliceName)
	p[id] = slices.Insert(p[id], at, s)
}

// each calls visit for every device of a pool's newest generation, until visit stops it.
func (p pools) each(id poolID, visit func(*resourcev1.ResourceSlice, *resourcev1.Device) bool) {
	list := p[id]
	if len(list) == 0 {
		return
	}
	newest := slices.MaxFunc(list, func(a, b *resourcev1.ResourceSlice) int {
		return cmp.Compare(a.Spec.Pool.Generation, b.Spec.Pool.Generation)
	}).Spec.Pool.Generation
	for _, s := range list {
		if s.Spec.Pool.Generation != newest {
			continue
		}
		for i := range s.Spec.Devices {
			if !visit(s, &s.Spec.Devices[i]) {
				return
			}
		}
	}
}

// find returns a device and its slice.
func (p pools) find(id deviceID) (slice *resourcev1.ResourceSlice, device *resourcev1.Device) {
	p.each(id.poolID, func(s *resourcev1.ResourceSlice, d *resourcev1.Device) bool {
		if d.Name == id.device {
			slice, device = s, d
		}
		return device == nil
	})
	return slice, device
}

// reason is a taint that evicts pods, and its source.
type reason struct {
	rule   ruleKey // of the rule; empty for a taint that is in a slice
	slice  string
	device deviceID // the device in the slice, and the taint's index in its list
	index  int
	taint  string // for people
}

func (r reason) compare(o reason) int {
	switch { // rules come first
	case r.rule.name != "" && o.rule.name == "":
		return -1
	case r.rule.name == "" && o.rule.name != "":
		return 1
	}
	return cmp.Or(cmp.Compare(r.rule.name, o.rule.name), cmp.Compare(r.device.driver, o.device.driver),
		cmp.Compare(r.device.pool, o.device.pool), cmp.Compare(r.device.device, o.device.device), cmp.Compare(r.index, o.index))
}

func (r reason) String() string {
	if r.rule.name != "" {
		return r.taint + " by rule " + r.rule.name
	}
	return r.taint + " on " + r.device.String()
}

// noExecuteTaints returns the NoExecute taints of a pool, by device.
func (p pools) noExecuteTaints(id poolID) map[string][]resourcev1.DeviceTaint {
	taints := map[string][]resourcev1.DeviceTaint{}
	p.each(id, func(_ *resourcev1.ResourceSlice, d *resourcev1.Device) bool {
		for i := range d.Taints {
			if d.Taints[i].Effect == resourcev1.DeviceTaintEffectNoExecute {
				taints[d.Name] = append(taints[d.Name], d.Taints[i])
			}
		}
		return true
	})
	return taints
}

func sameTaints(a, b map[string][]resourcev1.DeviceTaint) bool {
	return equality.Semantic.DeepEqual(a, b)
}

// selects reports whether a rule puts its taint on a device. Without a selector it selects none.
func selects(r *resourcev1alpha3.DeviceTaintRule, d deviceID) bool {
	s := r.Spec.DeviceSelector
	return s != nil && (s.Driver == nil || *s.Driver == d.driver) && (s.Pool == nil || *s.Pool == d.pool) &&
		(s.Device == nil || *s.Device == d.device)
}

// taintText formats a taint as kubectl does.
func taintText(t *resourcev1.DeviceTaint) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	return text + ":" + string(t.Effect)
}
