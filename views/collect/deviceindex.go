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

// deviceIndex keeps devices by pool and claims in the order of their list, and what their states depend on.
type deviceIndex struct {
	changeFeed
	generation uint64 // of the engine's devices

	slices map[string]*resourcev1.ResourceSlice // with the taints of rules
	pools  map[poolID]*devicePool
	rows   []*poolRow // of all pools
	// unordered means that pools came, went, or have other rows.
	unordered bool

	claims  objectOrder[*deviceClaim]
	holders map[deviceID][]*deviceClaim // the claims that have a device
	users   claimUsers
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

// deviceKinds are the kinds whose changes the index reads.
var deviceKinds = []world.Kind{world.Pod, world.DeviceTaintRule, world.ResourceSlice, world.ResourceClaim}

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
		*x = deviceIndex{changeFeed: newChangeFeed(e, deviceKinds...)}
	}
	changed, known := x.next()
	if g := e.Devices().Generation(); !known || g != x.generation {
		x.generation = g
		x.readUndecided(&changed)
	}
	if !x.feed(x, changed, known) {
		return
	}
	x.orderRows()
	if !x.reading() {
		x.evicting = x.evictingNow()
	}
}

// readAll begins to read every object.
func (x *deviceIndex) readAll() {
	*x = deviceIndex{
		changeFeed: x.changeFeed, generation: x.generation, undecided: x.undecided, inFlight: x.inFlight, evicting: x.evicting,
		slices: map[string]*resourcev1.ResourceSlice{}, pools: map[poolID]*devicePool{}, holders: map[deviceID][]*deviceClaim{},
		summary: deviceSummary{models: map[modelID]*modelTotal{}, evicting: map[*poolRow]struct{}{}}, users: newClaimUsers(x.engine),
	}
	x.startOver(deviceKinds...)
	for _, name := range x.undecided {
		if x.engine.Devices().StoredClaim(name.Namespace, name.Name) == nil {
			x.unread.add(world.ResourceClaim, name)
		}
	}
}

// readUndecided adds the claims that are in flight or assumed, and those that were, to the changed ones.
func (x *deviceIndex) readUndecided(changed *names) {
	changed.add(world.ResourceClaim, x.undecided...)
	x.undecided, x.inFlight = x.engine.Devices().AssumedClaims(), map[types.NamespacedName]*resourcev1.ResourceClaim{}
	for _, claim := range x.engine.Devices().InFlightClaims() {
		name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
		if x.engine.Devices().Claim(name.Namespace, name.Name) == nil {
			name.Name = string(claim.UID) // an implicit claim, which has a name once it is created
		}
		x.inFlight[name] = claim
		x.undecided = append(x.undecided, name)
	}
	changed.add(world.ResourceClaim, x.undecided...)
}

// dirtyDevices are the pools and claims whose state has to be found again.
type dirtyDevices struct {
	claims map[types.NamespacedName]struct{}
	// published are pools whose devices have changed, held those whose holders have.
	published, held map[poolID]struct{}
	// first means that everything is read for the first time: claims are read after what they depend on, if they exist.
	first bool
}

func (x *deviceIndex) dirtyClaim(name types.NamespacedName, d *dirtyDevices) {
	if !d.first || x.engine.Devices().StoredClaim(name.Namespace, name.Name) == nil {
		d.claims[name] = struct{}{}
	}
}

// read takes in the objects of these names.
func (x *deviceIndex) read(changed names, first bool) {
	d := dirtyDevices{map[types.NamespacedName]struct{}{}, map[poolID]struct{}{}, map[poolID]struct{}{}, first}
	for _, name := range changed[world.Pod] {
		x.podChanged(name, &d)
	}
	for _, name := range changed[world.ResourceSlice] {
		x.sliceChanged(name.Name, &d)
	}
	if len(changed[world.DeviceTaintRule]) > 0 && !first {
		for name := range x.slices {
			x.sliceChanged(name, &d)
		}
	}
	for id := range d.published {
		x.publish(id, &d)
	}
	for _, name := range changed[world.ResourceClaim] {
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
	x.users.change(name, claims, func(claim types.NamespacedName) { x.dirtyClaim(claim, d) })
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
