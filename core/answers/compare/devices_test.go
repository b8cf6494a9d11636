package compare_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/compare"
	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func changeOf(at int, op world.Op, o world.Object) world.Input {
	return world.Input{At: seconds(at), Event: world.Changed{Op: op, Object: o}}
}

// withGPU returns a pod with a claim made from a template, and its claim.
func withGPU(name, cpu string) (*v1.Pod, *resourcev1.ResourceClaim) {
	p, made, template := pod(name, cpu), name+"-gpu", "gpu"
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &template}}
	p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &made}}
	claim := mk.ResourceClaim(made).Request("gpu", "gpu", 1).Obj()
	claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(p, v1.SchemeGroupVersion.WithKind("Pod"))}
	return p, claim
}

// gpus is a cluster of two nodes with one device each.
func gpus() []world.Input {
	return []world.Input{
		changeOf(0, world.Added, mk.Node("big").CPU("8").Memory("64Gi").Pods("110").Obj()),
		changeOf(0, world.Added, mk.Node("small").CPU("3").Memory("6Gi").Pods("110").Obj()),
		changeOf(0, world.Added, mk.DeviceClass("gpu")),
		changeOf(0, world.Added, mk.ResourceSlice("big", "gpu.example.com", "big").Node("big").Devices("a").Obj()),
		changeOf(0, world.Added, mk.ResourceSlice("small", "gpu.example.com", "small").Node("small").Devices("b").Obj()),
	}
}

// The recorded scheduler gave the first pod the device of the big node. A configuration that decides otherwise has it for the
// pod that fits nowhere else: what was recorded of the claims is no part of the workload.
func TestTraces_IgnoresRecordedDevices(t *testing.T) {
	first, claim := withGPU("first", "2")
	second, later := withGPU("second", "6")
	allocated := *claim
	allocated.Status = mk.ResourceClaim("").Allocated("big", "gpu", "gpu.example.com", "big", "a").ReservedFor("first").Obj().Status
	onBig := *first
	onBig.Spec.NodeName = "big"
	late := *first // its claim is known after the pod
	late.Status.ResourceClaimStatuses = nil
	file := traceOf(t, append(gpus(), arrival(1, &late), changeOf(1, world.Added, claim), changeOf(1, world.Modified, first),
		changeOf(2, world.Modified, &allocated), changeOf(2, world.Modified, &onBig),
		changeOf(4, world.Added, later), arrival(4, second))...)
	c := compared(t, file, compare.Options{}, strategy(t, "MostAllocated"))
	if got := c.Results[0]; got.Placements != 2 {
		t.Errorf("%d pods are placed, want the first on the small node and the second on the big one", got.Placements)
	}
}

// A pod that ends gives its devices to the next one, at the time of the recording; a claim that is shared waits for the last.
func TestTraces_ReleasesDevices(t *testing.T) {
	first, claim := withGPU("first", "1")
	second, later := withGPU("second", "1")
	shared := mk.ResourceClaim("shared").Request("gpu", "gpu", 1).Obj()
	ada, bob := pod("ada", "1"), pod("bob", "1")
	for _, p := range []*v1.Pod{ada, bob} {
		p.Spec.ResourceClaims = mk.Pod("").ResourceClaim("shared").Obj().Spec.ResourceClaims
	}
	third, last := withGPU("third", "1")
	fourth, latest := withGPU("fourth", "1")
	file := traceOf(t, append(gpus(), changeOf(1, world.Added, claim), arrival(1, first), changeOf(1, world.Added, shared), arrival(1, ada), arrival(1, bob),
		changeOf(2, world.Added, later), arrival(2, second), changeOf(2, world.Added, last), arrival(2, third),
		changeOf(9, world.Deleted, first), changeOf(9, world.Deleted, claim),
		changeOf(12, world.Added, latest), arrival(12, fourth), changeOf(20, world.Deleted, ada), changeOf(30, world.Deleted, bob))...)
	c := compared(t, file, compare.Options{}, strategy(t, "MostAllocated"))
	if got := c.Results[0]; got.Placements != 5 {
		t.Errorf("%d pods are placed, want five, for the fourth with a claim of its own waits", got.Placements)
	}
	full := compared(t, file, compare.Options{Fill: true}, strategy(t, "MostAllocated"))
	if got := full.Results[0]; got.Placements != 3 {
		t.Errorf("%d pods are placed where none goes, want those with the two devices: three", got.Placements)
	}
}

// A pod that is preempted comes back with a claim of its own.
func TestTraces_PreemptedPodClaimsAgain(t *testing.T) {
	low, claim := withGPU("low", "6")
	yes := true
	low.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "low", UID: "low", Controller: &yes}}
	high := pod("high", "6")
	priority := int32(100)
	high.Spec.Priority = &priority
	other := mk.Node("other").CPU("8").Memory("64Gi").Pods("110").Obj()
	file := traceOf(t, append(gpus(), changeOf(1, world.Added, claim), arrival(1, low), arrival(5, high),
		changeOf(9, world.Added, other), changeOf(9, world.Added, mk.ResourceSlice("other", "gpu.example.com", "other").Node("other").Devices("c").Obj()))...)
	c := compared(t, file, compare.Options{}, strategy(t, "MostAllocated"))
	if got := c.Results[0]; got.Preemptions != 1 || got.Placements != 3 {
		t.Errorf("%d placements, %d preemptions; want three, for the victim is placed again", got.Placements, got.Preemptions)
	}
}

// A claim that the engine made for a pod's extended resources goes with the pod, and its device is free.
func TestTraces_ReleasesExtendedResources(t *testing.T) {
	features, err := config.ParseFeatureFlag("DRAExtendedResource=true")
	if err != nil {
		t.Fatal(err)
	}
	name := "example.com/gpu"
	class := mk.DeviceClass("gpu")
	class.Spec.ExtendedResourceName = &name
	first, second := mk.Pod("first").CPU("1").Request(v1.ResourceName(name), "1").Obj(), mk.Pod("second").CPU("1").Request(v1.ResourceName(name), "1").Obj()
	file := traceOf(t, changeOf(0, world.Added, mk.Node("n").CPU("8").Memory("64Gi").Pods("110").Obj()), changeOf(0, world.Added, class),
		changeOf(0, world.Added, mk.ResourceSlice("n", "gpu.example.com", "n").Node("n").Devices("a").Obj()),
		arrival(1, first), arrival(2, second), changeOf(9, world.Deleted, first))
	c := compared(t, file, compare.Options{}, compare.Configuration{Name: "extended", Config: config.Default(features)})
	if got := c.Results[0]; got.Placements != 2 {
		t.Errorf("%d pods are placed, want both, one after the other", got.Placements)
	}
}
