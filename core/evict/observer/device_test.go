package observer_test

import (
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1 "k8s.io/api/policy/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// eviction is an eviction of a pod in the default namespace.
func eviction(pod string) *policyv1.Eviction {
	return &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: pod}}
}

// slice is a pool of one device on n1.
func slice() *resourcev1.ResourceSlice {
	return &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "slice"},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: "dra.example.com", NodeName: ptr("n1"), Pool: resourcev1.ResourcePool{Name: "pool", ResourceSliceCount: 1},
			Devices: []resourcev1.Device{{Name: "gpu"}},
		},
	}
}

// claim is a claim without an allocation.
func claim(name string) *resourcev1.ResourceClaim {
	return mk.ResourceClaim(name).Request("gpu", "gpus", 1).Obj()
}

// claiming is a pod on n1 that uses the claim with the pod's name.
func claiming(name string) *v1.Pod {
	pod := mk.Pod(name).Node("n1").Obj()
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}
	return pod
}

// reserve allocates the device to a claim and reserves the claim for the pod with the claim's name.
func (s *simulation) reserve(name string) {
	s.t.Helper()
	o, err := s.Get(world.ResourceClaim, "default", name)
	if err != nil {
		s.t.Fatal(err)
	}
	c := o.(*resourcev1.ResourceClaim).DeepCopy()
	c.Status = resourcev1.ResourceClaimStatus{
		Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{{Request: "gpu", Driver: "dra.example.com", Pool: "pool", Device: "gpu"}},
		}},
		ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: name, UID: s.Pod("default", name).UID}},
	}
	if _, err := s.UpdateStatus(c); err != nil {
		s.t.Fatal(err)
	}
}

// deviceRule taints the driver's devices with NoExecute from a time since noon.
func deviceRule(at time.Duration) *resourcev1alpha3.DeviceTaintRule {
	return &resourcev1alpha3.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{Name: "broken"},
		Spec: resourcev1alpha3.DeviceTaintRuleSpec{
			DeviceSelector: &resourcev1alpha3.DeviceTaintSelector{Driver: ptr("dra.example.com")},
			Taint:          resourcev1alpha3.DeviceTaint{Key: "broken", Effect: resourcev1alpha3.DeviceTaintEffectNoExecute, TimeAdded: &metav1.Time{Time: noon.Add(at)}},
		},
	}
}
