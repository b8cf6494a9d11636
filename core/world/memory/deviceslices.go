package memory

import (
	"cmp"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"orrery/core/world"
)

// A driver brings the slices of a pool up to date as the library of drivers does: it deletes those with other devices than it
// wants, then updates the rest, then creates what is missing. More than one write needs a new generation.

// sliceChange is one write of a driver: of a new slice without old, a deletion without changed.
type sliceChange struct{ old, changed *resourcev1.ResourceSlice }

func comparePools(a, b devicePoolKey) int {
	return cmp.Or(cmp.Compare(a.driver, b.driver), cmp.Compare(a.node, b.node), cmp.Compare(a.pool, b.pool))
}

// enqueuePool makes a driver look at its slices of a pool. One that is publishing them does so when it has finished.
func (c *Cluster) enqueuePool(key devicePoolKey) {
	known, ok := c.devices.pools[key]
	if !ok || known.publishing || !c.runs(deviceDriver{key.driver, key.node}) {
		return
	}
	known.publishing = true
	c.devices.pools[key] = known
	c.schedule(c.now.Add(c.latency.delay(c.options.Latency.Publish)), poolSync{key})
}

// poolSync is a driver's next write for a pool.
type poolSync struct{ key devicePoolKey }

func (s poolSync) fire(c *Cluster) {
	known := c.devices.pools[s.key]
	if !known.publishing {
		return
	}
	if len(known.changes) == 0 {
		known.changes = c.planPool(&known.DevicePool)
	}
	known.publishing = len(known.changes) > 0 && c.runs(deviceDriver{s.key.driver, s.key.node})
	if known.publishing {
		switch err := c.writeSlice(known.changes[0]); {
		case err == nil:
			known.changes = known.changes[1:]
		case apierrors.IsConflict(err), apierrors.IsNotFound(err): // someone else has changed the slice
			known.changes = nil
		default:
			known.publishing = false
		}
	}
	if known.publishing {
		c.schedule(c.now.Add(c.latency.delay(c.options.Latency.Publish)), s)
	} else {
		known.changes = nil
	}
	c.devices.pools[s.key] = known
}

func (c *Cluster) writeSlice(change sliceChange) error {
	var err error
	switch {
	case change.old == nil:
		_, err = c.Create(change.changed)
	case change.changed != nil:
		_, err = c.Update(change.changed)
	default:
		err = c.Delete(world.ResourceSlice, "", change.old.Name, metav1.DeleteOptions{})
	}
	return err
}

// planPool returns the writes that make the slices of a pool what its driver wants.
func (c *Cluster) planPool(p *DevicePool) []sliceChange {
	current, obsolete := c.slicesOfPool(p.key())
	contents := p.contents()
	match := matchSlices(current, contents)
	for _, slice := range current {
		if !slices.Contains(match, slice) {
			obsolete = append(obsolete, slice)
		}
	}
	generation := int64(0)
	if len(current) > 0 {
		generation = current[0].Spec.Pool.Generation
	}
	writes := c.sliceWrites(p, contents, match, generation)
	if len(writes) > 1 || len(writes) == 1 && writes[0].old == nil {
		writes = c.sliceWrites(p, contents, match, generation+1)
	}
	var plan []sliceChange
	for _, slice := range obsolete {
		plan = append(plan, sliceChange{old: slice})
	}
	return append(plan, writes...)
}

// slicesOfPool returns the slices of a pool: those of the newest generation, and the older ones.
func (c *Cluster) slicesOfPool(key devicePoolKey) (current, obsolete []*resourcev1.ResourceSlice) {
	newest := int64(0)
	for _, name := range c.devices.slices[key] {
		newest = max(newest, c.sliceAt(name).Spec.Pool.Generation)
	}
	for _, name := range c.devices.slices[key] {
		if slice := c.sliceAt(name); slice.Spec.Pool.Generation == newest {
			current = append(current, slice)
		} else {
			obsolete = append(obsolete, slice)
		}
	}
	return current, obsolete
}

// matchSlices returns, for each of the wanted contents, the slice with the same devices, nil without one. An only slice takes
// whatever an only content has.
func matchSlices(current []*resourcev1.ResourceSlice, wanted []resourceslice.Slice) []*resourcev1.ResourceSlice {
	match := make([]*resourcev1.ResourceSlice, len(wanted))
	if len(current) == 1 && len(wanted) == 1 {
		match[0] = current[0]
		return match
	}
	for _, slice := range current {
		for i := range wanted {
			if match[i] == nil && sameDevices(slice.Spec.Devices, wanted[i].Devices) {
				match[i] = slice
				break
			}
		}
	}
	return match
}

func sameDevices(a, b []resourcev1.Device) bool {
	if len(a) != len(b) {
		return false
	}
	has := make(map[string]bool, len(a))
	for i := range a {
		has[a[i].Name] = true
	}
	return !slices.ContainsFunc(b, func(d resourcev1.Device) bool { return !has[d.Name] })
}

// sliceWrites returns the updates of matching slices that differ, and the creation of the missing ones.
func (c *Cluster) sliceWrites(p *DevicePool, contents []resourceslice.Slice, match []*resourcev1.ResourceSlice, generation int64) []sliceChange {
	var updates, creations []sliceChange
	for i := range contents {
		spec := p.spec(&contents[i], resourcev1.ResourcePool{
			Name: p.Name, Generation: generation, ResourceSliceCount: int64(len(contents)),
		})
		old := match[i]
		if old == nil {
			creations = append(creations, sliceChange{changed: c.newSlice(p, spec)})
			continue
		}
		spec.Devices = withTaintTimes(spec.Devices, old.Spec.Devices)
		if !sameSlice(&spec, &old.Spec) {
			next := *old
			next.Spec = spec
			updates = append(updates, sliceChange{old, &next})
		}
	}
	return append(updates, creations...)
}

func sameSlice(a, b *resourcev1.ResourceSliceSpec) bool {
	return resourceslice.DevicesDeepEqual(a.Devices, b.Devices) && a.Pool == b.Pool &&
		equality.Semantic.DeepEqual(a.NodeSelector, b.NodeSelector) && equality.Semantic.DeepEqual(a.AllNodes, b.AllNodes) &&
		equality.Semantic.DeepEqual(a.SharedCounters, b.SharedCounters) &&
		equality.Semantic.DeepEqual(a.PerDeviceNodeSelection, b.PerDeviceNodeSelection)
}

// withTaintTimes returns devices whose taints have the times of the same taints before.
func withTaintTimes(devices, before []resourcev1.Device) []resourcev1.Device {
	devices = slices.Clone(devices)
	for i := range devices {
		if len(devices[i].Taints) == 0 {
			continue
		}
		devices[i].Taints = slices.Clone(devices[i].Taints)
		for j := range devices[i].Taints {
			if t := &devices[i].Taints[j]; t.TimeAdded == nil {
				t.TimeAdded = taintTime(before, devices[i].Name, t)
			}
		}
	}
	return devices
}

func taintTime(devices []resourcev1.Device, device string, t *resourcev1.DeviceTaint) *metav1.Time {
	for i := range devices {
		if devices[i].Name != device {
			continue
		}
		for _, had := range devices[i].Taints {
			if had.Key == t.Key && had.Value == t.Value && had.Effect == t.Effect {
				return had.TimeAdded
			}
		}
	}
	return nil
}

// newSlice returns a slice that goes with the pool's node.
func (c *Cluster) newSlice(p *DevicePool, spec resourcev1.ResourceSliceSpec) *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{GenerateName: p.Driver + "-"}, Spec: spec}
	if node := c.Node(p.Node); node != nil {
		controller := true
		slice.GenerateName = p.Node + "-" + slice.GenerateName
		slice.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: string(world.Node), Name: node.Name, UID: node.UID, Controller: &controller,
		}}
	}
	return slice
}

// contents splits a pool into slices: its devices, and the counters that they share.
func (p *DevicePool) contents() []resourceslice.Slice {
	var all []resourceslice.Slice
	for some := range slices.Chunk(p.Devices, p.perSlice()) {
		slice := resourceslice.Slice{Devices: some}
		if slices.ContainsFunc(p.Devices, hasNodes) {
			yes := true
			slice.PerDeviceNodeSelection = &yes
		}
		all = append(all, slice)
	}
	for some := range slices.Chunk(p.Counters, resourcev1.ResourceSliceMaxCounterSets) {
		all = append(all, resourceslice.Slice{SharedCounters: some})
	}
	if len(all) == 0 {
		return []resourceslice.Slice{{}} // it tells that there is no device
	}
	return all
}

func hasNodes(d resourcev1.Device) bool {
	return d.NodeName != nil || d.NodeSelector != nil || d.AllNodes != nil
}

func (p *DevicePool) perSlice() int {
	switch {
	case p.PerSlice > 0:
		return p.PerSlice
	case slices.ContainsFunc(p.Devices, func(d resourcev1.Device) bool { return len(d.Taints)+len(d.ConsumesCounters) > 0 }):
		return resourcev1.ResourceSliceMaxDevicesWithAdvancedFeatures
	}
	return resourcev1.ResourceSliceMaxDevices
}

// spec returns the spec of a slice with some of a pool's devices. Exactly one field says which nodes reach them.
func (p *DevicePool) spec(content *resourceslice.Slice, pool resourcev1.ResourcePool) resourcev1.ResourceSliceSpec {
	spec := resourcev1.ResourceSliceSpec{
		Driver: p.Driver, Pool: pool, Devices: content.Devices, SharedCounters: content.SharedCounters,
		PerDeviceNodeSelection: content.PerDeviceNodeSelection,
	}
	all := true
	switch {
	case p.Node != "":
		spec.NodeName = &p.Node
	case content.PerDeviceNodeSelection != nil:
	case p.Nodes != nil:
		spec.NodeSelector = p.Nodes
	default:
		spec.AllNodes = &all
	}
	return spec
}
