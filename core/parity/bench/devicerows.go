package main

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/testing/mk/kinds"
	"orrery/core/world"
)

// deviceRows are the workloads with claims for devices of upstream's scheduler_perf, and admin access. Each pod has a claim
// that was made of a template.
var deviceRows = []row{
	{
		name: "device claims", pods: devicePods, slow: true, pod: withDeviceClaim, bound: oneMore(withDeviceClaim), deleteEvery: 2,
		objects: []world.Object{gpuClass()}, onNode: gpus(4), claim: func(b *mk.ResourceClaimBuilder) { b.Request(deviceRequest, gpu, 1) },
	},
	{
		name: "device selectors", pods: devicePods, slow: true, pod: withDeviceClaim, bound: oneMore(withDeviceClaim),
		objects: []world.Object{gpuClass()}, onNode: gpus(4), claim: func(b *mk.ResourceClaimBuilder) {
			b.Request(deviceRequest, gpu, 1, `device.attributes["`+gpuDriver+`"].model == "H100" &&
				device.capacity["`+gpuDriver+`"].memory.compareTo(quantity("1Gi")) >= 0`)
		},
	},
	{
		name: "partitionable devices", pods: 24, slow: true, pod: withDeviceClaim,
		objects: append([]world.Object{gpuClass()}, partitioned()...), claim: func(b *mk.ResourceClaimBuilder) {
			b.Request(deviceRequest, gpu, 2).Matching("example.com/gpu", deviceRequest)
		},
	},
	{
		name: "admin access", pods: devicePods, slow: true, pod: withDeviceClaim, objects: []world.Object{gpuClass()}, onNode: gpus(5),
		claim: func(b *mk.ResourceClaimBuilder) {
			b.All(deviceRequest, gpu).Obj().Spec.Devices.Requests[0].Exactly.AdminAccess = ptr.To(true)
		},
	},
	{
		name: "fallback lists", pods: devicePods, slow: true, pod: withDeviceClaim, onNode: gpus(5),
		objects: []world.Object{gpuClass(), mk.DeviceClass("none", `device.driver == "none.example.com"`)},
		claim:   func(b *mk.ResourceClaimBuilder) { b.First(deviceRequest, "none", gpu) },
	},
	{
		name: "extended resources", pods: devicePods, slow: true, objects: extendedClasses(), onNode: gpus(5),
		pod: func(i int) *mk.PodBuilder { return kinds.Plain(i).Request(v1.ResourceName(extendedName(i)), "1") },
	},
}

const (
	// devicePods is how many pods a run schedules.
	devicePods = 200

	gpu           = "gpu"
	gpuDriver     = "gpu.example.com"
	deviceRequest = "devices"
	perNode       = 10 // devices
	// extendedResources is how many there are, so few that the warm-up of any run has pods of each.
	extendedResources = 2
	// partitionedGPUs is the number of devices that all nodes reach, and can be had in parts.
	partitionedGPUs = 30
)

// withDeviceClaim is a small pod with a claim of its own for devices.
func withDeviceClaim(i int) *mk.PodBuilder {
	b := kinds.Plain(i)
	b.Obj().Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "devices", ResourceClaimTemplateName: ptr.To("devices")}}
	b.Obj().Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "devices", ResourceClaimName: ptr.To(claimName(i))}}
	return b
}

// claimsOf lists the names of a pod's claims for devices.
func claimsOf(pod *v1.Pod) []string {
	var names []string
	for i := range pod.Status.ResourceClaimStatuses {
		names = append(names, *pod.Status.ResourceClaimStatuses[i].ResourceClaimName)
	}
	return names
}

// deviceClaim returns a pod's claim. A pod that is on a node has the first device there.
func (c testCase) deviceClaim(pod *v1.Pod, name string) *resourcev1.ResourceClaim {
	b := mk.ResourceClaim(name)
	c.claim(b)
	if pod.Spec.NodeName != "" {
		b.Allocated(pod.Spec.NodeName, deviceRequest, gpuDriver, pod.Spec.NodeName, gpuName(0)).ReservedFor(pod.Name)
	}
	b.Obj().OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}}
	return b.Obj()
}

func gpuClass() world.Object { return mk.DeviceClass(gpu, `device.driver == "`+gpuDriver+`"`) }

func gpuName(i int) string { return fmt.Sprintf("gpu-%d", i) }

// gpus returns a node's devices, and the claims without pods that have some of them.
func gpus(taken int) func(node string) []world.Object {
	return func(node string) []world.Object {
		b := mk.ResourceSlice(node+"-gpus", gpuDriver, node).Node(node)
		objects := []world.Object{b.Obj()}
		for i := range perNode {
			b.Devices(gpuName(i)).Attribute("family", gpu).Attribute("model", []string{"A100", "H100"}[i%2])
			device := &b.Obj().Spec.Devices[i]
			device.Attributes["driverVersion"] = resourcev1.DeviceAttribute{VersionValue: ptr.To("1.2.3")}
			device.Attributes["example.com/numa"] = resourcev1.DeviceAttribute{IntValue: ptr.To(int64(i))}
			device.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("1Gi")}}
			if i < perNode-taken {
				continue
			}
			objects = append(objects, mk.ResourceClaim(fmt.Sprintf("taken-%s-%d", node, i)).Request(deviceRequest, gpu, 1).
				Allocated(node, deviceRequest, gpuDriver, node, gpuName(i)).Obj())
		}
		return objects
	}
}

// partitioned returns GPUs that all nodes reach. Each has four parts, which can be had in pairs, too; one pair is taken.
func partitioned() []world.Object {
	var all []world.Object
	for i := range partitionedGPUs {
		pool := fmt.Sprintf("gpu-%d", i)
		counters := mk.ResourceSlice(pool+"-counters", gpuDriver, pool).AllNodes().Pool(1, 2).Obj()
		counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "parts", Counters: oneOf(0, 1, 2, 3)}}
		parts := mk.ResourceSlice(pool+"-parts", gpuDriver, pool).AllNodes().Pool(1, 2)
		for _, uses := range [][]int{{0, 1}, {2, 3}, {0}, {1}, {2}, {3}} {
			parts.Devices(fmt.Sprint("parts", uses[0], "to", uses[len(uses)-1]))
			device := &parts.Obj().Spec.Devices[len(parts.Obj().Spec.Devices)-1]
			device.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"example.com/gpu": {IntValue: ptr.To(int64(i))}}
			device.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "parts", Counters: oneOf(uses...)}}
		}
		taken := mk.ResourceClaim("taken-"+pool).Request(deviceRequest, gpu, 1).
			Allocated("", deviceRequest, gpuDriver, pool, parts.Obj().Spec.Devices[0].Name).Obj()
		taken.Status.Allocation.NodeSelector = nil
		all = append(all, counters, parts.Obj(), taken)
	}
	return all
}

func oneOf(counters ...int) map[string]resourcev1.Counter {
	all := map[string]resourcev1.Counter{}
	for _, i := range counters {
		all["part"+strconv.Itoa(i)] = resourcev1.Counter{Value: resource.MustParse("1")}
	}
	return all
}

// extendedClasses returns classes, each with its extended resource.
func extendedClasses() []world.Object {
	var all []world.Object
	for i := range extendedResources {
		class := mk.DeviceClass(fmt.Sprint(gpu, i), `device.driver == "`+gpuDriver+`"`)
		class.Spec.ExtendedResourceName = ptr.To(extendedName(i))
		all = append(all, class)
	}
	return all
}

func extendedName(i int) string { return fmt.Sprintf("example.com/gpu-%d", i%extendedResources) }
