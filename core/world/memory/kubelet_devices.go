package memory

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/world"
)

// A kubelet starts a pod once the drivers of its node have prepared the devices of its claims. A pod ends once they have taken
// the preparation back, so while a driver is away no pod with its devices ends.

// canPrepareDevices reports whether the devices of a pod's claims can be prepared on its node.
func (c *Cluster) canPrepareDevices(pod *v1.Pod) bool {
	err := c.prepareDevices(pod)
	if err != nil {
		c.eventOn(pod, v1.EventTypeWarning, "FailedPrepareDynamicResources",
			fmt.Sprintf("Failed to prepare dynamic resources: prepare dynamic resources: %v", err), "kubelet")
	}
	return err == nil
}

func (c *Cluster) prepareDevices(pod *v1.Pod) error {
	for _, ref := range claimReferences(pod) {
		name, generated, err := resourceclaim.Name(pod, &ref)
		if err != nil {
			return err
		}
		if name == nil {
			continue
		}
		o, err := c.Get(world.ResourceClaim, pod.Namespace, *name)
		if err != nil {
			return fmt.Errorf("fetch ResourceClaim %s: %w", *name, err)
		}
		claim := o.(*resourcev1.ResourceClaim)
		if generated {
			if err := resourceclaim.IsForPod(pod, claim, false); err != nil {
				return err
			}
		}
		if err := c.prepareClaim(pod, claim); err != nil {
			return err
		}
	}
	return nil
}

// claimReferences are those of a pod's spec, and that to the claim that a scheduler made for its extended resources.
func claimReferences(pod *v1.Pod) []v1.PodResourceClaim {
	extended := pod.Status.ExtendedResourceClaimStatus
	if extended == nil {
		return pod.Spec.ResourceClaims
	}
	return append(slices.Clip(pod.Spec.ResourceClaims), v1.PodResourceClaim{ResourceClaimName: &extended.ResourceClaimName})
}

func (c *Cluster) prepareClaim(pod *v1.Pod, claim *resourcev1.ResourceClaim) error {
	switch {
	case !resourceclaim.IsReservedForPod(pod, claim, false):
		return fmt.Errorf("pod %s (%s) is not allowed to use ResourceClaim %s (%s)", pod.Name, pod.UID, claim.Name, claim.UID)
	case claim.Status.Allocation == nil:
		return fmt.Errorf("ResourceClaim %s: not allocated", claim.Name)
	}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		if _, stopped := c.devices.stopped[deviceDriver{results[i].Driver, pod.Spec.NodeName}]; stopped {
			return fmt.Errorf("DRA driver %s is not registered", results[i].Driver)
		}
	}
	if why := c.driverRejects(claim.Status.Allocation, pod.Spec.NodeName); why != "" {
		return fmt.Errorf("NodePrepareResources failed for ResourceClaim %s: %s", claim.Name, why)
	}
	return nil
}

// driverRejects is why a driver cannot prepare an allocation on a node, empty if it can.
func (c *Cluster) driverRejects(a *resourcev1.AllocationResult, on string) string {
	node := c.Node(on)
	if a.NodeSelector != nil {
		selector, err := nodeaffinity.NewNodeSelector(a.NodeSelector)
		if err != nil || node == nil || !selector.Match(node) {
			return "node " + on + " does not reach the allocated devices"
		}
	}
	for i := range a.Devices.Results {
		r := &a.Devices.Results[i]
		pool, known := c.Devices(r.Driver, on, r.Pool)
		if !known {
			pool, known = c.Devices(r.Driver, "", r.Pool)
		}
		there := func(d resourcev1.Device) bool { return d.Name == r.Device }
		if known && !slices.ContainsFunc(pool.Devices, there) {
			return fmt.Sprintf("there is no device %s in pool %s", r.Device, r.Pool)
		}
	}
	return ""
}

// isHeldByDriver reports whether a pod cannot end, as a driver that is away prepared a device for it alone.
func (c *Cluster) isHeldByDriver(pod *v1.Pod) bool {
	if !c.pods[pod.UID].started || isTerminal(pod) || len(c.devices.stopped) == 0 {
		return false
	}
	for _, key := range deviceClaimsOf(pod) {
		claim := c.deviceClaimAt(key)
		if claim == nil || claim.Status.Allocation == nil {
			continue
		}
		stopped := slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
			_, stopped := c.devices.stopped[deviceDriver{r.Driver, pod.Spec.NodeName}]
			return stopped
		})
		if stopped && !c.sharesClaim(pod, claim) {
			return true
		}
	}
	return false
}

// sharesClaim reports whether another pod on a pod's node has a claim's devices, too.
func (c *Cluster) sharesClaim(pod *v1.Pod, claim *resourcev1.ResourceClaim) bool {
	return slices.ContainsFunc(c.devices.users[keyOf(claim)], func(name string) bool {
		other := c.Pod(claim.Namespace, name)
		return name != pod.Name && other.Spec.NodeName == pod.Spec.NodeName && c.pods[other.UID].started && !isTerminal(other)
	})
}

// retryPodsOn makes the kubelet of a node, or every kubelet, look again at the pods that wait.
func (c *Cluster) retryPodsOn(node string) {
	if node == "" {
		for _, o := range c.List(world.Node) {
			c.retryPodsOn(o.GetName())
		}
		return
	}
	if n := c.nodes[node]; n != nil {
		for _, key := range n.pods {
			c.retryPod(c.podAt(key))
		}
	}
}

// driverReturned is a kubelet's reaction to a driver that it registers again.
type driverReturned struct{ node string }

func (d driverReturned) fire(c *Cluster) {
	if c.nodes[d.node] == nil {
		return
	}
	c.retryPodsOn(d.node)
	due := func(t time.Time) bool { return !t.IsZero() && !t.After(c.now) }
	for _, key := range c.nodes[d.node].pods {
		pod := c.podAt(key)
		state := c.pods[pod.UID]
		if !state.started {
			continue
		}
		if due(state.endsAt) {
			c.schedulePodEvent(pod, podEnds, c.now)
		}
		if state.eviction != nil && due(state.evictedAt) {
			c.schedulePodEvent(pod, podEvicted, c.now)
		}
		if due(state.stopsAt) {
			c.schedulePodEvent(pod, podStops, c.now)
		}
	}
}
