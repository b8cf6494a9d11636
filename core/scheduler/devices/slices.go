package devices

import (
	"cmp"
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// sliceList has the slices as an allocator gets them.
type sliceList struct {
	rules   []*resourcev1alpha3.DeviceTaintRule  // by name; empty unless they have an effect
	tainted map[string]*resourcev1.ResourceSlice // the slices that rules add taints to, with them
	all     []*resourcev1.ResourceSlice          // by name; nil if it has to be made
}

func newSlices() sliceList { return sliceList{tainted: map[string]*resourcev1.ResourceSlice{}} }

func (l *sliceList) fork() sliceList { return sliceList{l.rules, maps.Clone(l.tainted), l.all} }

// changed takes in a change of a slice.
func (l *sliceList) changed(d store.Delta) {
	l.all = nil
	if is, ok := d.New.(*resourcev1.ResourceSlice); ok {
		l.taint(is)
	} else if was, ok := d.Old.(*resourcev1.ResourceSlice); ok {
		delete(l.tainted, was.Name)
	}
}

// sliceChanged takes in a change of a slice.
func (s *State) sliceChanged(d store.Delta) {
	s.slices.changed(d)
	was, _ := d.Old.(*resourcev1.ResourceSlice)
	is, _ := d.New.(*resourcev1.ResourceSlice)
	if is != nil {
		is = cmp.Or(s.slices.tainted[is.Name], is)
	}
	s.replaceSlices([]SliceChange{{was, is}})
}

// replaceSlices has pools with the taints of rules that their slices have by now.
func (s *State) replaceSlices(changes []SliceChange) {
	for _, change := range changes {
		if s.index != nil {
			s.index.replace(change.Old, change.New)
		}
	}
}

// SliceChange is a slice before and after a change of its taints.
type SliceChange struct{ Old, New *resourcev1.ResourceSlice }

// rulesChanged reads the rules anew, without those that lack a selector if they need one, and applies them to all slices. It returns the
// slices whose taints changed, by name.
func (l *sliceList) rulesChanged(s store.View, needSelector bool) []SliceChange {
	before := l.tainted
	l.all, l.rules, l.tainted = nil, nil, map[string]*resourcev1.ResourceSlice{}
	for object := range s.Objects(world.DeviceTaintRule) {
		if rule, ok := object.(*resourcev1alpha3.DeviceTaintRule); ok && !(needSelector && rule.Spec.DeviceSelector == nil) {
			l.rules = append(l.rules, rule)
		}
	}
	var changes []SliceChange
	for object := range s.Objects(world.ResourceSlice) {
		slice, ok := object.(*resourcev1.ResourceSlice)
		if !ok {
			continue
		}
		l.taint(slice)
		was, is := cmp.Or(before[slice.Name], slice), cmp.Or(l.tainted[slice.Name], slice)
		if !slices.EqualFunc(was.Spec.Devices, is.Spec.Devices, sameTaints) {
			changes = append(changes, SliceChange{was, is})
		} else if was != slice {
			l.tainted[slice.Name] = was
		}
	}
	return changes
}

func sameTaints(a, b resourcev1.Device) bool { return equality.Semantic.DeepEqual(a.Taints, b.Taints) }

// taint keeps a slice with the taints of rules, if any applies.
func (l *sliceList) taint(slice *resourcev1.ResourceSlice) {
	if with := withTaints(slice, l.rules); with != slice {
		l.tainted[slice.Name] = with
		return
	}
	delete(l.tainted, slice.Name)
}

// Slices returns all slices, by name, with the taints of DeviceTaintRules. It must not be changed.
func (s *State) Slices() []*resourcev1.ResourceSlice {
	l := &s.slices
	if l.all != nil {
		return l.all
	}
	l.all = make([]*resourcev1.ResourceSlice, 0, s.store.Len(world.ResourceSlice))
	for object := range s.store.Objects(world.ResourceSlice) {
		slice, ok := object.(*resourcev1.ResourceSlice)
		if !ok {
			continue
		}
		if with := l.tainted[slice.Name]; with != nil {
			slice = with
		}
		l.all = append(l.all, slice)
	}
	return l.all
}

// Slice returns a slice with the taints of DeviceTaintRules, or nil. It stays the same one until the slice changes,
// or the taints that rules add to any.
func (s *State) Slice(name string) *resourcev1.ResourceSlice {
	if with := s.slices.tainted[name]; with != nil {
		return with
	}
	slice, _ := s.store.Object(world.ResourceSlice, "", name).(*resourcev1.ResourceSlice)
	return slice
}

// RulesOn returns the rules that taint a device, by name.
func (s *State) RulesOn(slice *resourcev1.ResourceSlice, device string) []*resourcev1alpha3.DeviceTaintRule {
	var on []*resourcev1alpha3.DeviceTaintRule
	for _, rule := range s.slices.rules {
		if selects(rule.Spec.DeviceSelector, slice, device) {
			on = append(on, rule)
		}
	}
	return on
}

// withTaints returns a slice with the taints of the rules that select any of its devices. A rule without a selector selects
// all devices.
func withTaints(slice *resourcev1.ResourceSlice, rules []*resourcev1alpha3.DeviceTaintRule) *resourcev1.ResourceSlice {
	with := slice
	for _, rule := range rules {
		for i := range slice.Spec.Devices {
			if !selects(rule.Spec.DeviceSelector, slice, slice.Spec.Devices[i].Name) {
				continue
			}
			if with == slice {
				twin := *slice
				twin.Spec.Devices = slices.Clone(slice.Spec.Devices)
				with = &twin
			}
			taint := rule.Spec.Taint
			with.Spec.Devices[i].Taints = append(slices.Clip(with.Spec.Devices[i].Taints), resourcev1.DeviceTaint{
				Key: taint.Key, Value: taint.Value, Effect: resourcev1.DeviceTaintEffect(taint.Effect), TimeAdded: taint.TimeAdded,
			})
		}
	}
	return with
}

func selects(selector *resourcev1alpha3.DeviceTaintSelector, slice *resourcev1.ResourceSlice, device string) bool {
	is := func(want *string, value string) bool { return want == nil || *want == value }
	return selector == nil ||
		is(selector.Driver, slice.Spec.Driver) && is(selector.Pool, slice.Spec.Pool.Name) && is(selector.Device, device)
}
