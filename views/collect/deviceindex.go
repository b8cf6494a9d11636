package collect

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// deviceIndex keeps devices by pool and claims in the order of their list, and what their states depend on. A refresh costs only
// the pools and claims that have changed since the last one. The first ones read everything, some thousand objects each.
type deviceIndex struct {
	engine     *engine.Engine
	marks      [len(deviceKinds)]uint64 // up to where the changes of a kind were read
	generation uint64                   // of the engine's devices
	stamp      uint64                   // counts refreshes that found changes
	unread     deviceNames              // what is still to be read

	slices map[string]*resourcev1.ResourceSlice // with the taints of rules
	pools  map[poolID]*devicePool
	rows   []*poolRow // of all pools
	// unordered says that pools came, went, or have other rows.
	unordered bool

	claims objectOrder[*deviceClaim]
	// holders are the claims that have a device, users the pods that name a claim, claimsOf the claims that a pod names.
	holders         map[deviceID][]*deviceClaim
	users, claimsOf map[types.NamespacedName][]types.NamespacedName
	// undecided are the claims that were in flight or assumed, inFlight those that are in flight, as they will be written.
	undecided []types.NamespacedName
	inFlight  map[types.NamespacedName]*resourcev1.ResourceClaim

	summary deviceSummary
	// evicting are the devices that evicted pods when everything was read.
	evicting evictingDevices
	kept     int // rows that are kept with their devices
}

// poolID names a pool, deviceID a device.
type (
	poolID   struct{ driver, pool string }
	deviceID struct {
		poolID
		device string
	}
)

// deviceKinds are the kinds whose changes the index reads, in the order in which it reads everything: a claim's state depends on
// pods and slices.
var deviceKinds = [...]world.Kind{usingPod: world.Pod, aRule: world.DeviceTaintRule, aSlice: world.ResourceSlice, aDeviceClaim: world.ResourceClaim}

// deviceNames are names of objects by kind.
type deviceNames [len(deviceKinds)][]types.NamespacedName

// The kinds by their place in deviceKinds.
const (
	usingPod = iota
	aRule
	aSlice
	aDeviceClaim
)

// follow refreshes the index if the cluster has, or had, any devices or claims for them, or if a pane shows them. It reports whether
// it did. A model calls it once, so that it reads one part.
func (x *deviceIndex) follow(e *engine.Engine, open views.PaneID) bool {
	if x.engine != e && e.Store().Len(world.ResourceSlice) == 0 && e.Store().Len(world.ResourceClaim) == 0 &&
		open != views.DevicesPane && open != views.DeviceClaimsPane {
		return false
	}
	x.refresh(e)
	return true
}

// refresh brings the index up to date with an engine.
func (x *deviceIndex) refresh(e *engine.Engine) {
	if x.engine != e {
		*x = deviceIndex{engine: e}
	}
	changes := e.Profile(e.Profiles()[0])
	var names deviceNames
	all, changed := false, false
	for i, kind := range deviceKinds {
		var known bool
		names[i], x.marks[i], known = changes.ObjectChanges(kind, x.marks[i])
		all = all || !known
		changed = changed || len(names[i]) > 0
	}
	if g := e.Devices().Generation(); all || g != x.generation {
		x.generation, changed = g, true
		x.readUndecided(&names)
	}
	switch {
	case all:
		x.readAll()
	case changed:
		x.read(&names, false)
	}
	if part, some := x.unread.take(maxRead); some {
		x.read(&part, true)
	} else if !all && !changed {
		return
	}
	x.stamp++
	x.orderRows()
	if !x.reading() {
		x.evicting = x.evictingNow()
	}
}

// reading reports whether something is still to be read.
func (x *deviceIndex) reading() bool {
	return slices.ContainsFunc(x.unread[:], func(names []types.NamespacedName) bool { return len(names) > 0 })
}

// take takes out the first names, and reports whether there were any.
func (n *deviceNames) take(most int) (part deviceNames, some bool) {
	for i := range n {
		part[i], n[i] = n[i][:min(most, len(n[i]))], n[i][min(most, len(n[i])):]
		most -= len(part[i])
		some = some || len(part[i]) > 0
	}
	return part, some
}

// readAll begins to read every object.
func (x *deviceIndex) readAll() {
	fresh := deviceIndex{
		engine: x.engine, marks: x.marks, generation: x.generation, stamp: x.stamp, undecided: x.undecided, inFlight: x.inFlight, evicting: x.evicting,
		slices: map[string]*resourcev1.ResourceSlice{}, pools: map[poolID]*devicePool{}, holders: map[deviceID][]*deviceClaim{},
		summary: deviceSummary{models: map[modelID]*modelTotal{}, evicting: map[*poolRow]struct{}{}}, users: map[types.NamespacedName][]types.NamespacedName{}, claimsOf: map[types.NamespacedName][]types.NamespacedName{},
	}
	for i, kind := range deviceKinds {
		for o := range x.engine.Store().Objects(kind) {
			fresh.unread[i] = append(fresh.unread[i], types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()})
		}
	}
	for _, name := range fresh.undecided {
		if x.engine.Devices().StoredClaim(name.Namespace, name.Name) == nil {
			fresh.unread[aDeviceClaim] = append(fresh.unread[aDeviceClaim], name)
		}
	}
	*x = fresh
}

// readUndecided adds the claims that are in flight or assumed, and those that were, to the changed ones.
func (x *deviceIndex) readUndecided(names *deviceNames) {
	changed := names[aDeviceClaim]
	changed = append(changed[:len(changed):len(changed)], x.undecided...)
	x.undecided, x.inFlight = x.engine.Devices().AssumedClaims(), map[types.NamespacedName]*resourcev1.ResourceClaim{}
	for _, claim := range x.engine.Devices().InFlightClaims() {
		name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
		if x.engine.Devices().Claim(name.Namespace, name.Name) == nil {
			name.Name = string(claim.UID) // an implicit claim, which has a name once it is created
		}
		x.inFlight[name] = claim
		x.undecided = append(x.undecided, name)
	}
	names[aDeviceClaim] = append(changed, x.undecided...)
}

// dirtyDevices are the pools and claims whose state has to be found again.
type dirtyDevices struct {
	claims map[types.NamespacedName]struct{}
	// published are pools whose devices have changed, held those whose holders have.
	published, held map[poolID]struct{}
	// first says that everything is read for the first time: claims are read after what they depend on, if they exist.
	first bool
}

func (x *deviceIndex) dirtyClaim(name types.NamespacedName, d *dirtyDevices) {
	if !d.first || x.engine.Devices().StoredClaim(name.Namespace, name.Name) == nil {
		d.claims[name] = struct{}{}
	}
}

// read takes in the objects of these names.
func (x *deviceIndex) read(names *deviceNames, first bool) {
	d := dirtyDevices{map[types.NamespacedName]struct{}{}, map[poolID]struct{}{}, map[poolID]struct{}{}, first}
	for _, name := range names[usingPod] {
		x.podChanged(name, &d)
	}
	for _, name := range names[aSlice] {
		x.sliceChanged(name.Name, &d)
	}
	if len(names[aRule]) > 0 && !first {
		for name := range x.slices {
			x.sliceChanged(name, &d)
		}
	}
	for id := range d.published {
		x.publish(id, &d)
	}
	for _, name := range names[aDeviceClaim] {
		d.claims[name] = struct{}{}
	}
	x.claims.begin(len(d.claims))
	for name := range d.claims {
		x.claimChanged(name, &d)
	}
	x.claims.end()
	for id := range d.held {
		if pool := x.pools[id]; pool != nil {
			x.restate(pool)
		}
	}
}

// podChanged takes in which claims a pod names.
func (x *deviceIndex) podChanged(name types.NamespacedName, d *dirtyDevices) {
	var claims []types.NamespacedName
	if pod := x.engine.Store().Pod(name.Namespace, name.Name); pod != nil {
		claims = claimsNamedBy(pod)
	}
	for _, claim := range x.claimsOf[name] {
		x.dirtyClaim(claim, d)
		dropName(x.users, claim, name)
	}
	delete(x.claimsOf, name)
	for _, claim := range claims {
		x.dirtyClaim(claim, d)
		if !slices.Contains(x.users[claim], name) {
			x.users[claim] = append(x.users[claim], name)
		}
	}
	if len(claims) > 0 {
		x.claimsOf[name] = claims
	}
}

// claimsNamedBy are the claims that a pod names. One that is not made of its template yet has a name that no claim can have.
func claimsNamedBy(pod *v1.Pod) []types.NamespacedName {
	var claims []types.NamespacedName
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		switch {
		case err != nil:
			claims = append(claims, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name + unmade + pod.Spec.ResourceClaims[i].Name})
		case name != nil:
			claims = append(claims, types.NamespacedName{Namespace: pod.Namespace, Name: *name})
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		claims = append(claims, types.NamespacedName{Namespace: pod.Namespace, Name: extended.ResourceClaimName})
	}
	return claims
}

// unmade stands between the names of a pod and of its claim that is not made yet.
const unmade = ": "

// sliceChanged takes in a slice, or its taints, if they have changed.
func (x *deviceIndex) sliceChanged(name string, d *dirtyDevices) {
	was, is := x.slices[name], x.engine.Devices().Slice(name)
	if was == is {
		return
	}
	if was != nil {
		id := poolID{was.Spec.Driver, was.Spec.Pool.Name}
		pool := x.pools[id]
		pool.slices = slices.DeleteFunc(pool.slices, func(s string) bool { return s == name })
		delete(x.slices, name)
		d.published[id] = struct{}{}
	}
	if is == nil {
		return
	}
	id := poolID{is.Spec.Driver, is.Spec.Pool.Name}
	pool := x.pools[id]
	if pool == nil {
		pool = &devicePool{id: id}
		x.pools[id] = pool
	}
	at, _ := slices.BinarySearch(pool.slices, name)
	pool.slices = slices.Insert(pool.slices, at, name)
	x.slices[name] = is
	d.published[id] = struct{}{}
}
