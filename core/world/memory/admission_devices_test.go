package memory_test

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/core/world/memory"
)

func wantRejected(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want one with %q", err, text)
	}
}

func TestAdmission_DevicesGetDefaults(t *testing.T) {
	s := newScene(t, memory.Options{})
	claim := deviceClaim("r")
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "p", UID: "1"}}
	made := create(s, claim)
	if e := made.Spec.Devices.Requests[0].Exactly; e.Count != 1 || e.AllocationMode != resourcev1.DeviceAllocationModeExactCount {
		t.Errorf("the claim requests %+v, want one device", e)
	}
	if len(made.Status.ReservedFor) > 0 {
		t.Errorf("a new claim has the status %+v, want none", made.Status)
	}
	rule := create(s, &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: resourcev1alpha3.DeviceTaintRuleSpec{
		Taint: resourcev1alpha3.DeviceTaint{Key: "a", Effect: resourcev1alpha3.DeviceTaintEffectNoSchedule},
	}})
	if at := rule.Spec.Taint.TimeAdded; at == nil || !at.Time.Equal(dawn) {
		t.Errorf("the rule's taint was added at %v, want %v", at, dawn)
	}
}

// Schedulers rely on what does not change.
func TestAdmission_SpecsStay(t *testing.T) {
	s := newScene(t, memory.Options{})
	template := create(s, gpuTemplate("one")).DeepCopy()
	template.Spec.Spec.Devices.Requests[0].Name = "other"
	_, err := s.Update(template)
	wantRejected(t, err, "field is immutable")

	claim := create(s, deviceClaim("r")).DeepCopy()
	claim.Spec.Devices.Requests[0].Exactly.Count = 2
	_, err = s.Update(claim)
	wantRejected(t, err, "spec: Invalid value")

	create(s, mk.Workload("w", mk.Gang("g", 2)))
	_, err = s.Update(mk.Workload("w", mk.Gang("g", 3)))
	wantRejected(t, err, "podGroups: Invalid value")
}

func TestAdmission_ClaimStatus(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, deviceClaim("r"))
	pod := create(s, mk.Pod("p").Obj())
	s.must(allocate(s.Cluster, "r", "n1", []string{"gpu-0"}, pod))
	claim := must[*resourcev1.ResourceClaim](t)(s.Get(world.ResourceClaim, "default", "r"))

	other := claim.DeepCopy()
	other.Status.Allocation.Devices.Results[0].Device = "gpu-1"
	_, err := s.UpdateStatus(other)
	wantRejected(t, err, "status.allocation: Invalid value")

	prepared := claim.DeepCopy()
	prepared.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: gpus, Pool: "n1", Device: "gpu-0"}}
	prepared = must[*resourcev1.ResourceClaim](t)(s.UpdateStatus(prepared)).DeepCopy()
	prepared.Status.Allocation, prepared.Status.ReservedFor = nil, nil
	if free := must[*resourcev1.ResourceClaim](t)(s.UpdateStatus(prepared)); free.Status.Devices != nil {
		t.Errorf("a claim without an allocation has the devices %v, want none", free.Status.Devices)
	}
}

// Only namespaces with a label may request devices that others use.
// Shows DRA-29.
func TestAdmission_AdminAccess(t *testing.T) {
	s := newScene(t, memory.Options{})
	admin := func(namespace string) *resourcev1.ResourceClaim {
		claim := deviceClaim("r")
		claim.Namespace, claim.Spec.Devices.Requests[0].Exactly.AdminAccess = namespace, ptr(true)
		return claim
	}
	_, err := s.Create(admin("default"))
	wantRejected(t, err, "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace")
	create(s, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ops", Labels: map[string]string{resourcev1.DRAAdminNamespaceLabelKey: "true"}}})
	create(s, admin("ops"))

	claim := create(s, deviceClaim("r")).DeepCopy()
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
		{Request: "gpu", Driver: gpus, Pool: "n1", Device: "gpu-0", AdminAccess: ptr(true)},
	}}}
	_, err = s.UpdateStatus(claim)
	wantRejected(t, err, "status.allocation.devices.results[0].adminAccess: Forbidden")
}

// With a gate off its field is dropped, unless it is stored already.
// Shows DRA-21 and DRA-28.
func TestAdmission_DeviceGates(t *testing.T) {
	admin := deviceClaim("r")
	admin.Spec.Devices.Requests[0].Exactly.AdminAccess = ptr(true)
	template := gpuTemplate("r")
	template.Spec.Spec.Devices.Requests[0].Exactly.AdminAccess = ptr(true)
	for name, tt := range map[string]struct {
		off            admission.DeviceGatesOff
		access, status bool // whether they are stored
	}{
		"all on":                           {admission.DeviceGatesOff{}, true, true},
		"DRAAdminAccess off":               {admission.DeviceGatesOff{AdminAccess: true}, false, true},
		"DRAResourceClaimDeviceStatus off": {admission.DeviceGatesOff{ClaimDeviceStatus: true}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, memory.Options{DeviceGatesOff: tt.off})
			ns := must[*v1.Namespace](t)(s.Get(world.Namespace, "", "default")).DeepCopy()
			ns.Labels = map[string]string{resourcev1.DRAAdminNamespaceLabelKey: "true"}
			must[*v1.Namespace](t)(s.Update(ns))
			claim := create(s, admin.DeepCopy()).DeepCopy()
			result := resourcev1.DeviceRequestAllocationResult{Request: "gpu", Driver: gpus, Pool: "n1", Device: "gpu-0", AdminAccess: ptr(true)}
			claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{result}}}
			claim.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: gpus, Pool: "n1", Device: "gpu-0"}}
			stored := must[*resourcev1.ResourceClaim](t)(s.UpdateStatus(claim))
			for what, there := range map[string]bool{
				"a claim's request": stored.Spec.Devices.Requests[0].Exactly.AdminAccess != nil,
				"an allocation":     stored.Status.Allocation.Devices.Results[0].AdminAccess != nil,
				"a template":        create(s, template.DeepCopy()).Spec.Spec.Devices.Requests[0].Exactly.AdminAccess != nil,
			} {
				if there != tt.access {
					t.Errorf("adminAccess of %s is stored: %t, want %t", what, there, tt.access)
				}
			}
			if there := len(stored.Status.Devices) > 0; there != tt.status {
				t.Errorf("the status of devices is stored: %t, want %t", there, tt.status)
			}

			used := admin.DeepCopy()
			used.Name, used.Status = "used", claim.Status
			admission.Default(used, metav1.Time{})
			s.must(s.Load(used)) // written when the gates were on
			used = must[*resourcev1.ResourceClaim](t)(s.Get(world.ResourceClaim, "default", "used")).DeepCopy()
			used.Labels = map[string]string{"touched": "yes"}
			must[*resourcev1.ResourceClaim](t)(s.Update(used))
			used.ResourceVersion = ""
			used = must[*resourcev1.ResourceClaim](t)(s.UpdateStatus(used))
			if used.Spec.Devices.Requests[0].Exactly.AdminAccess == nil || used.Status.Allocation.Devices.Results[0].AdminAccess == nil || len(used.Status.Devices) == 0 {
				t.Errorf("what was stored is dropped: %+v", used)
			}
		})
	}
}

// A template whose claim is rejected is tried again, and its pod gets an event.
func TestClaimController_RejectedClaim(t *testing.T) {
	s := newScene(t, memory.Options{})
	template := gpuTemplate("one")
	template.Spec.Spec.Devices.Requests[0].Exactly.AdminAccess = ptr(true)
	s.must(s.Load(template)) // written when the namespace had the label
	create(s, usingTemplate(mk.Pod("p").Obj(), "one"))
	s.pass(time.Second)
	if events := s.Events(); len(events) != 1 || !strings.Contains(events[0].Note, "adminAccess: Forbidden") {
		t.Errorf("the events are %v, want one that says why", events)
	}
	ns := must[*v1.Namespace](t)(s.Get(world.Namespace, "", "default")).DeepCopy()
	ns.Labels = map[string]string{resourcev1.DRAAdminNamespaceLabelKey: "true"}
	must[*v1.Namespace](t)(s.Update(ns))
	s.pass(time.Minute)
	s.wantsState("resourceclaim p-gpu-*", world.ResourceClaim)
}
