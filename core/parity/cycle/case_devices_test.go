package cycle

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// deviceObjects has the objects of devices that a case creates, or that a change is about.
type deviceObjects struct {
	Classes []*resourcev1.DeviceClass   `json:"deviceClasses,omitempty"`
	Slices  []*resourcev1.ResourceSlice `json:"resourceSlices,omitempty"`
	Claims  []*resourcev1.ResourceClaim `json:"resourceClaims,omitempty"`
}

func (d *deviceObjects) objects() (list []world.Object) {
	list = appendAll(list, d.Classes)
	list = appendAll(list, d.Slices)
	return appendAll(list, d.Claims)
}

const gpuDriver, nicDriver = "gpu.example.com", "nic.example.com"

var (
	deviceClasses = map[string]string{
		"any": "true", "gpu": `device.driver == "gpu.example.com"`, "nic": `device.driver == "nic.example.com"`,
		"big": `device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "big"`,
	}
	deviceClassNames = []string{"any", "gpu", "gpu", "gpu", "nic", "big"}
	deviceSelectors  = []string{`device.driver == "gpu.example.com"`, `device.attributes["example.com"].numa == 0`, "device."}
	deviceTaintKeys  = []string{"hot", "old"}
)

// deviceClaimCount is the number of claims that pods share.
const deviceClaimCount = 6

// deviceGates draws the gates of devices, but those of what kube-scheduler names by chance, waits for on goroutines, or reports by a
// client of its own.
func (g *generator) deviceGates(on map[string]bool) {
	if !g.about[deviceClaims] {
		return
	}
	on["DRAConsumableCapacity"], on["DRAPartitionableDevices"] = g.oneIn(3), g.oneIn(3)
	on["DRADeviceTaints"] = g.oneIn(2)
	if g.oneIn(6) {
		on["DRAPrioritizedList"] = false
	}
	if g.oneIn(6) {
		on["DRAAdminAccess"] = false
	}
}

// addDevices adds what drivers publish, and claims.
func (g *generator) addDevices() {
	if !g.often(deviceClaims, 20) {
		return
	}
	d := &g.c.Devices
	for _, name := range []string{"any", "gpu", "nic", "big"} {
		if !g.oneIn(12) {
			d.Classes = append(d.Classes, mk.DeviceClass(name, deviceClasses[name]))
		}
	}
	for _, node := range g.c.Nodes[:min(len(g.c.Nodes), 10)] {
		if !g.oneIn(4) {
			d.Slices = append(d.Slices, g.slices(gpuDriver, node.Name)...)
		}
		if g.oneIn(4) {
			d.Slices = append(d.Slices, g.slices(nicDriver, node.Name)...)
		}
	}
	if g.oneIn(3) {
		d.Slices = append(d.Slices, g.sharedSlice())
	}
	for i := range deviceClaimCount {
		d.Claims = append(d.Claims, g.deviceClaim(fmt.Sprint("devices-", i)))
	}
	g.c.Refused = append(g.c.Refused, some(g, 12, "devices-0", "devices-1")...)
}

// slices draws the pool of a driver on a node: one slice with devices, and perhaps one with the counters that they share.
func (g *generator) slices(driver, node string) []*resourcev1.ResourceSlice {
	counters := g.c.Gates["DRAPartitionableDevices"] && g.oneIn(2)
	count := int64(1)
	if counters {
		count = 2
	}
	name := node + "-" + driver
	b := mk.ResourceSlice(name, driver, node).Pool(1, count).Node(node)
	slice := b.Obj()
	for i := range 1 + g.IntN(4) {
		slice.Spec.Devices = append(slice.Spec.Devices, g.device(fmt.Sprint("device-", i), counters))
	}
	if !counters || g.oneIn(12) { // else the pool is incomplete
		return []*resourcev1.ResourceSlice{slice}
	}
	shared := mk.ResourceSlice(name+"-counters", driver, node).Pool(1, count).Node(node).Obj()
	shared.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("8Gi")}}}}
	return []*resourcev1.ResourceSlice{slice, shared}
}

// sharedSlice draws devices that several nodes reach.
func (g *generator) sharedSlice() *resourcev1.ResourceSlice {
	slice := mk.ResourceSlice("shared", nicDriver, "shared").Pool(1, 1).AllNodes().Obj()
	if g.oneIn(2) {
		slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{pick(g, zones...)}}},
		}}}
	}
	for i := range 1 + g.IntN(3) {
		slice.Spec.Devices = append(slice.Spec.Devices, g.device(fmt.Sprint("device-", i), false))
	}
	return slice
}

func (g *generator) device(name string, counted bool) resourcev1.Device {
	d := resourcev1.Device{Name: name, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
		"example.com/numa": {IntValue: ptr.To(int64(g.IntN(2)))},
	}}
	if !g.oneIn(20) { // else the class "big" fails on it
		d.Attributes["model"] = resourcev1.DeviceAttribute{StringValue: ptr.To(pick(g, "big", "small"))}
	}
	if g.c.Gates["DRAConsumableCapacity"] {
		d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(pick(g, "4Gi", "8Gi"))}}
		d.AllowMultipleAllocations = ptr.To(g.oneIn(2))
	}
	if counted {
		d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(pick(g, "4Gi", "6Gi"))}}}}
	}
	if g.c.Gates["DRADeviceTaints"] && g.oneIn(4) {
		d.Taints = []resourcev1.DeviceTaint{{Key: pick(g, deviceTaintKeys...), Effect: pick(g, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute)}}
	}
	return d
}

// deviceClaim draws a claim without devices. All are of the first namespace.
func (g *generator) deviceClaim(name string) *resourcev1.ResourceClaim {
	claim := mk.ResourceClaim(name).Obj()
	claim.ObjectMeta = objectMeta(namespaces[0], name)
	spec := &claim.Spec.Devices
	for i := range pick(g, 1, 1, 1, 2) {
		spec.Requests = append(spec.Requests, g.deviceRequest(fmt.Sprint("r", i)))
	}
	if g.oneIn(5) {
		numa := resourcev1.FullyQualifiedName("example.com/numa")
		spec.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &numa}}
	}
	return claim
}

func (g *generator) deviceRequest(name string) resourcev1.DeviceRequest {
	one := resourcev1.ExactDeviceRequest{DeviceClassName: pick(g, deviceClassNames...), AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: pick[int64](g, 1, 1, 1, 2)}
	if g.oneIn(4) {
		one.Selectors = mk.DeviceClass("", pick(g, deviceSelectors[:2]...)).Spec.Selectors
	}
	if g.oneIn(40) {
		one.Selectors = mk.DeviceClass("", deviceSelectors[2]).Spec.Selectors
	}
	if g.oneIn(4) {
		one.Tolerations = []resourcev1.DeviceToleration{{Key: pick(g, deviceTaintKeys...), Operator: resourcev1.DeviceTolerationOpExists}}
	}
	if g.c.Gates["DRAConsumableCapacity"] && g.oneIn(3) {
		one.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(pick(g, "1Gi", "3Gi", "6Gi"))}}
	}
	if g.oneIn(10) && !g.c.Gates["DRAPartitionableDevices"] { // kube-scheduler panics on all devices that consume counters
		one.AllocationMode, one.Count = resourcev1.DeviceAllocationModeAll, 0
	}
	if g.oneIn(4) {
		list := resourcev1.DeviceRequest{Name: name}
		for i, class := range []string{pick(g, deviceClassNames...), one.DeviceClassName} {
			list.FirstAvailable = append(list.FirstAvailable, resourcev1.DeviceSubRequest{
				Name: fmt.Sprint("s", i), DeviceClassName: class, Selectors: one.Selectors, Tolerations: one.Tolerations,
				Capacity: one.Capacity, AllocationMode: one.AllocationMode, Count: one.Count,
			})
		}
		return list
	}
	if g.oneIn(15) {
		one.AdminAccess = ptr.To(true)
	}
	return resourcev1.DeviceRequest{Name: name, Exactly: &one}
}

// claimDevices gives a pending pod claims that other pods may name, too; at times one that does not exist.
func (g *generator) claimDevices(pod *v1.Pod) {
	if len(g.c.Devices.Claims) == 0 || pod.Namespace != namespaces[0] || g.oneIn(3) {
		return
	}
	first := g.IntN(deviceClaimCount)
	for i := range pick(g, 1, 1, 1, 2) {
		name := fmt.Sprint("devices-", (first+i)%deviceClaimCount)
		if g.oneIn(30) {
			name = "devices-missing"
		}
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: name, ResourceClaimName: &name})
	}
}

// holdDevice gives a bound pod the first device of its node's pool, with a claim of its own.
func (g *generator) holdDevice(pod *v1.Pod) {
	if len(g.c.Devices.Claims) == 0 || pod.Namespace != namespaces[0] || !g.oneIn(3) {
		return
	}
	name := "devices-of-" + pod.Name
	claim := mk.ResourceClaim(name).Request("r0", "gpu", 1).Allocated(pod.Spec.NodeName, "r0", gpuDriver, pod.Spec.NodeName, fmt.Sprint("device-", g.IntN(4))).Obj()
	claim.ObjectMeta = objectMeta(namespaces[0], name)
	claim.Finalizers = []string{resourcev1.Finalizer}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
	for _, other := range g.c.Devices.Claims { // no device has two owners
		if got := other.Status.Allocation; got != nil && got.Devices.Results[0].Pool == pod.Spec.NodeName && got.Devices.Results[0].Device == claim.Status.Allocation.Devices.Results[0].Device {
			return
		}
	}
	g.c.Devices.Claims = append(g.c.Devices.Claims, claim)
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: name, ResourceClaimName: &name}}
}

// deviceChange draws a change of devices.
func (g *generator) deviceChange() clusterChange {
	d := &deviceObjects{}
	switch g.IntN(6) {
	case 0:
		name := pick(g, deviceClassNames...)
		d.Classes = append(d.Classes, mk.DeviceClass(name, deviceClasses[name]))
	case 1:
		d.Claims = append(d.Claims, g.deviceClaim(fmt.Sprint("devices-", g.IntN(deviceClaimCount))))
	default:
		if len(g.c.Nodes) > 0 {
			slice := g.slices(pick(g, gpuDriver, gpuDriver, nicDriver), pick(g, g.c.Nodes...).Name)[0]
			for _, other := range g.c.Devices.Slices {
				// Where slices disagree on how many they are, kube-scheduler takes the first by the order of a map.
				if other.Spec.Driver == slice.Spec.Driver && other.Spec.Pool.Name == slice.Spec.Pool.Name && other.Name != slice.Name {
					slice.Spec.Pool.ResourceSliceCount = other.Spec.Pool.ResourceSliceCount
				}
			}
			d.Slices = append(d.Slices, slice)
		}
	}
	return clusterChange{Devices: d, Drops: g.oneIn(5)}
}
