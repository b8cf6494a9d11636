package allocate

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"unique"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"
)

// PoolID names a pool: drivers may have pools of the same name.
type PoolID struct{ Driver, Pool unique.Handle[string] }

// PoolOf is the pool of a slice.
func PoolOf(slice *resourcev1.ResourceSlice) PoolID {
	return PoolID{unique.Make(slice.Spec.Driver), unique.Make(slice.Spec.Pool.Name)}
}

// Compare orders pools by driver and name.
func (id PoolID) Compare(other PoolID) int {
	if id.Driver != other.Driver {
		return strings.Compare(id.Driver.Value(), other.Driver.Value())
	}
	return strings.Compare(id.Pool.Value(), other.Pool.Value())
}

func (id PoolID) String() string { return id.Driver.Value() + "/" + id.Pool.Value() }

// DeviceID names a device.
type DeviceID struct {
	PoolID
	Device unique.Handle[string]
}

// MakeDeviceID returns the ID of a device.
func MakeDeviceID(driver, pool, device string) DeviceID {
	return DeviceID{PoolID{unique.Make(driver), unique.Make(pool)}, unique.Make(device)}
}

func (id DeviceID) String() string { return id.PoolID.String() + "/" + id.Device.Value() }

// Profile is everything of a device that selectors read. Devices of the same profile match the same selectors.
type Profile unique.Handle[string]

// Slice is a slice with what an allocation needs of it again and again.
type Slice struct {
	*resourcev1.ResourceSlice
	Pool       PoolID
	devices    []deviceFacts
	nodes      nodeMatcher // of the slice
	each       []nodeMatcher
	conditions bool // whether any device has binding conditions, even an empty list of them
}

type deviceFacts struct {
	id         DeviceID
	profile    Profile
	capacities []resourcev1.QualifiedName // sorted
}

// Prepare reads a slice, which must not change after.
func Prepare(slice *resourcev1.ResourceSlice) *Slice {
	spec := &slice.Spec
	s := &Slice{ResourceSlice: slice, Pool: PoolOf(slice), devices: make([]deviceFacts, len(spec.Devices))}
	s.nodes = newNodeMatcher(spec.NodeName, spec.AllNodes, spec.NodeSelector)
	if s.perDevice() {
		s.each = make([]nodeMatcher, len(spec.Devices))
	}
	for i := range spec.Devices {
		device := &spec.Devices[i]
		s.devices[i] = deviceFacts{
			DeviceID{s.Pool, unique.Make(device.Name)}, profileOf(spec.Driver, device), slices.Sorted(maps.Keys(device.Capacity)),
		}
		s.conditions = s.conditions || device.BindingConditions != nil
		if s.each != nil {
			s.each[i] = newNodeMatcher(device.NodeName, device.AllNodes, device.NodeSelector)
		}
	}
	return s
}

// PrepareAll reads slices.
func PrepareAll(all []*resourcev1.ResourceSlice) []*Slice {
	prepared := make([]*Slice, len(all))
	for i := range all {
		prepared[i] = Prepare(all[i])
	}
	return prepared
}

// perDevice reports whether each device says which nodes reach it.
func (s *Slice) perDevice() bool { return ptr.Deref(s.Spec.PerDeviceNodeSelection, false) }

// profileOf encodes what selectors read of a device: attributes and capacity by name.
func profileOf(driver string, device *resourcev1.Device) Profile {
	text := func(to []byte, s string) []byte { return append(binary.AppendUvarint(to, uint64(len(s))), s...) }
	key := text(nil, driver)
	key = append(key, flag(ptr.Deref(device.AllowMultipleAllocations, false)))
	for _, name := range slices.Sorted(maps.Keys(device.Attributes)) {
		attribute := device.Attributes[name]
		key = text(append(key, 'a'), string(name))
		switch {
		case attribute.IntValue != nil:
			key = binary.AppendVarint(append(key, 'i'), *attribute.IntValue)
		case attribute.BoolValue != nil:
			key = append(key, 'b', flag(*attribute.BoolValue))
		case attribute.StringValue != nil:
			key = text(append(key, 's'), *attribute.StringValue)
		case attribute.VersionValue != nil:
			key = text(append(key, 'v'), *attribute.VersionValue)
		default:
			key = append(key, '?')
		}
	}
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		value := device.Capacity[name].Value
		key = text(append(key, 'c'), string(name))
		key = text(key, value.String())
	}
	return Profile(unique.Make(string(key)))
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// nodeMatcher selects the nodes that reach a slice or device: one by name, all, or those that a selector matches.
type nodeMatcher struct {
	name     string
	all      bool
	selector *v1.NodeSelector
	compiled *nodeaffinity.NodeSelector
	err      error
}

func newNodeMatcher(name *string, all *bool, selector *v1.NodeSelector) nodeMatcher {
	m := nodeMatcher{name: ptr.Deref(name, ""), all: ptr.Deref(all, false), selector: selector}
	if m.name == "" && !m.all && selector != nil {
		m.compiled, m.err = nodeaffinity.NewNodeSelector(selector)
	}
	return m
}

// NodeMatches reports whether a node reaches devices that are for one by name, for all, or for those that a selector matches.
func NodeMatches(node *v1.Node, name *string, all *bool, selector *v1.NodeSelector) (bool, error) {
	m := newNodeMatcher(name, all, selector)
	return m.matches(node)
}

// selects reports whether the matcher names any nodes at all.
func (m *nodeMatcher) selects() bool { return m.name != "" || m.all || m.selector != nil }

func (m *nodeMatcher) matches(node *v1.Node) (bool, error) {
	switch {
	case m.name != "":
		return node.Name == m.name, nil
	case m.all:
		return true, nil
	case m.err != nil:
		return false, nodeSelectorError{m.selector, m.err}
	case m.compiled != nil:
		return m.compiled.Match(node), nil
	}
	return false, nil
}

// nodeSelectorError is the error of a node selector that cannot be read.
type nodeSelectorError struct {
	selector *v1.NodeSelector
	err      error
}

func (e nodeSelectorError) Error() string {
	return "failed to parse node selector " + e.selector.String() + ": " + e.err.Error()
}

func (e nodeSelectorError) Unwrap() error { return e.err }
