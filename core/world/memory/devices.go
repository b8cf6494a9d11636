package memory

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/world"
)

// devices holds the indexes of dynamic resource allocation. Slices of names are sorted and immutable.
type devices struct {
	// users are the pods that refer to a ResourceClaim, whether it exists or not.
	users map[types.NamespacedName][]string
	// templateUsers are the pods that refer to a ResourceClaimTemplate.
	templateUsers map[types.NamespacedName]map[types.NamespacedName]struct{}
	// slices are the ResourceSlices of a pool, onNode those of a node.
	slices map[devicePoolKey][]string
	onNode map[string][]string
	// pools are what drivers publish.
	pools map[devicePoolKey]devicePool
	// stopped is when a driver went away.
	stopped map[deviceDriver]time.Time
	// binding holds the claims whose devices a driver is binding. bindingHungUntil and bindingFailsUntil are the ends of faults.
	binding                             map[types.UID]struct{}
	bindingHungUntil, bindingFailsUntil map[string]time.Time
}

func newDevices() devices {
	return devices{
		users: map[types.NamespacedName][]string{}, templateUsers: map[types.NamespacedName]map[types.NamespacedName]struct{}{},
		slices: map[devicePoolKey][]string{}, onNode: map[string][]string{},
		pools: map[devicePoolKey]devicePool{}, stopped: map[deviceDriver]time.Time{}, binding: map[types.UID]struct{}{},
		bindingHungUntil: map[string]time.Time{}, bindingFailsUntil: map[string]time.Time{},
	}
}

func (d *devices) clone() devices {
	return devices{
		users: maps.Clone(d.users), templateUsers: cloneSets(d.templateUsers), slices: maps.Clone(d.slices),
		onNode: maps.Clone(d.onNode), pools: maps.Clone(d.pools), stopped: maps.Clone(d.stopped),
		binding: maps.Clone(d.binding), bindingHungUntil: maps.Clone(d.bindingHungUntil), bindingFailsUntil: maps.Clone(d.bindingFailsUntil),
	}
}

// indexSlice updates the slices of a pool and of a node.
func (d *devices) indexSlice(before, after *resourcev1.ResourceSlice) {
	if before != nil && after != nil && poolOf(before) == poolOf(after) {
		return
	}
	if before != nil {
		removeName(d.slices, poolOf(before), before.Name)
		removeName(d.onNode, poolOf(before).node, before.Name)
	}
	if after != nil {
		insertName(d.slices, poolOf(after), after.Name)
		if node := poolOf(after).node; node != "" {
			insertName(d.onNode, node, after.Name)
		}
	}
}

// poolOf returns the pool that a slice is of.
func poolOf(slice *resourcev1.ResourceSlice) devicePoolKey {
	key := devicePoolKey{driver: slice.Spec.Driver, pool: slice.Spec.Pool.Name}
	if slice.Spec.NodeName != nil {
		key.node = *slice.Spec.NodeName
	}
	return key
}

// indexPod updates the users of claims and templates.
func (d *devices) indexPod(before, after *v1.Pod) {
	was, is := deviceClaimsOf(before), deviceClaimsOf(after)
	if !slices.Equal(was, is) {
		for _, key := range was {
			removeName(d.users, key, before.Name)
		}
		for _, key := range is {
			insertName(d.users, key, after.Name)
		}
	}
	switch {
	case before == nil && after != nil:
		for _, key := range claimTemplatesOf(after) {
			insertMember(d.templateUsers, key, keyOf(after))
		}
	case before != nil && after == nil:
		for _, key := range claimTemplatesOf(before) {
			removeMember(d.templateUsers, key, keyOf(before))
		}
	}
}

// deviceClaimsOf returns the ResourceClaims that a pod refers to, as far as their names are known.
func deviceClaimsOf(pod *v1.Pod) []types.NamespacedName {
	if pod == nil {
		return nil
	}
	var all []types.NamespacedName
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err == nil && name != nil {
			all = append(all, types.NamespacedName{Namespace: pod.Namespace, Name: *name})
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		all = append(all, types.NamespacedName{Namespace: pod.Namespace, Name: extended.ResourceClaimName})
	}
	return all
}

func claimTemplatesOf(pod *v1.Pod) []types.NamespacedName {
	var all []types.NamespacedName
	for i := range pod.Spec.ResourceClaims {
		if name := pod.Spec.ResourceClaims[i].ResourceClaimTemplateName; name != nil {
			all = append(all, types.NamespacedName{Namespace: pod.Namespace, Name: *name})
		}
	}
	return all
}

func (c *Cluster) deviceClaimAt(key types.NamespacedName) *resourcev1.ResourceClaim {
	claim, _ := c.objects[world.ResourceClaim][key].(*resourcev1.ResourceClaim)
	return claim
}

func (c *Cluster) sliceAt(name string) *resourcev1.ResourceSlice {
	slice, _ := c.objects[world.ResourceSlice][types.NamespacedName{Name: name}].(*resourcev1.ResourceSlice)
	return slice
}

// sliceChanged makes the driver of a changed slice look at it, and the garbage collector, if it is on no node.
func (c *Cluster) sliceChanged(old, changed *resourcev1.ResourceSlice) {
	slice := changed
	if slice == nil {
		slice = old
	}
	c.enqueuePool(poolOf(slice))
	if node := poolOf(slice).node; old == nil && node != "" && c.Node(node) == nil {
		c.enqueue(workItem{kind: world.Node, key: types.NamespacedName{Name: node}}, 0)
	}
}

// deviceClaimChanged enqueues a claim, and the pods that refer to it.
func (c *Cluster) deviceClaimChanged(old, changed *resourcev1.ResourceClaim) {
	claim := changed
	if claim == nil {
		claim = old
	} else {
		c.enqueueDeviceClaim(keyOf(claim))
		c.bindDevices(claim)
	}
	for _, name := range c.devices.users[keyOf(claim)] {
		pod := c.Pod(claim.Namespace, name)
		if c.needsClaimController(pod) {
			c.enqueuePod(pod)
		}
		c.retryPod(pod)
	}
}

// templateCreated enqueues the pods that have waited for a claim template.
func (c *Cluster) templateCreated(template world.Object) {
	for _, key := range slices.SortedFunc(maps.Keys(c.devices.templateUsers[keyOf(template)]), compareKeys) {
		if pod := c.podAt(key); c.needsClaimController(pod) {
			c.enqueuePod(pod)
		}
	}
}

// podDevicesChanged enqueues the claims of a pod that no longer needs them, and the pod if it lacks one.
func (c *Cluster) podDevicesChanged(old, changed *v1.Pod) {
	pod := changed
	if pod == nil {
		pod = old
	}
	if len(pod.Spec.ResourceClaims) == 0 && pod.Status.ExtendedResourceClaimStatus == nil {
		return
	}
	if changed == nil || isDone(pod) {
		for _, key := range deviceClaimsOf(pod) {
			if c.deviceClaimAt(key) != nil {
				c.enqueueDeviceClaim(key)
			}
		}
	}
	if changed == nil && c.dependents[pod.UID] != nil || changed != nil && c.needsClaimController(pod) {
		c.enqueuePod(pod)
	}
}

func (c *Cluster) enqueuePod(pod *v1.Pod) {
	c.enqueue(workItem{kind: world.Pod, key: keyOf(pod), uid: pod.UID}, 0)
}

func (c *Cluster) enqueueDeviceClaim(key types.NamespacedName) {
	c.enqueue(workItem{kind: world.ResourceClaim, key: key}, 0)
}

// syncDevices runs the controller of an object of dynamic resource allocation; it reports false for any other kind.
func (c *Cluster) syncDevices(e workItem) bool {
	if e.kind != world.ResourceClaim {
		return false
	}
	if claim := c.deviceClaimAt(e.key); claim != nil {
		c.syncDeviceClaim(claim)
	}
	return true
}

// isDone reports whether no container of a pod runs or ever will.
func isDone(pod *v1.Pod) bool {
	return isTerminal(pod) || pod.DeletionTimestamp != nil && pod.Spec.NodeName == ""
}
