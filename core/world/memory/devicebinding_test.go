package memory_test

import (
	"fmt"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
)

const (
	attached = gpus + "/attached"
	broken   = gpus + "/broken"
)

// allocateBinding allocates a device that waits for its driver.
func (s *scene) allocateBinding(claim string) {
	s.t.Helper()
	next := must[*resourcev1.ResourceClaim](s.t)(s.Get(world.ResourceClaim, "default", claim)).DeepCopy()
	next.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
		{Request: "gpu", Driver: gpus, Pool: "far", Device: "a", BindingConditions: []string{attached}, BindingFailureConditions: []string{broken}},
		{Request: "gpu", Driver: gpus, Pool: "near", Device: "b"},
	}}}
	must[*resourcev1.ResourceClaim](s.t)(s.UpdateStatus(next))
}

// conditions are those of a claim's devices.
func (s *scene) conditions(claim string) string {
	s.t.Helper()
	text := ""
	for _, d := range must[*resourcev1.ResourceClaim](s.t)(s.Get(world.ResourceClaim, "default", claim)).Status.Devices {
		for _, c := range d.Conditions {
			text += fmt.Sprintf("%s: %s=%s ", d.Device, c.Type, c.Status)
		}
	}
	return text
}

// Shows DRA-59.
func TestDeviceBinding_DriverSetsConditions(t *testing.T) {
	s := newScene(t, memory.Options{Latency: memory.Latency{Attach: memory.Delay{Base: 10 * time.Second}}})
	create(s, deviceClaim("r"))
	s.allocateBinding("r")
	wants := func(after time.Duration, want string) {
		t.Helper()
		if s.pass(after); s.conditions("r") != want {
			t.Errorf("the conditions are %q, want %q", s.conditions("r"), want)
		}
	}
	free := func() {
		next := must[*resourcev1.ResourceClaim](t)(s.Get(world.ResourceClaim, "default", "r")).DeepCopy()
		next.Status.Allocation = nil
		must[*resourcev1.ResourceClaim](t)(s.UpdateStatus(next))
	}
	wants(9*time.Second, "")
	wants(time.Second, "a: gpu.example.com/attached=True ")

	free()
	s.FailBinding(gpus, time.Minute)
	s.allocateBinding("r")
	wants(30*time.Second, "a: gpu.example.com/broken=True ")

	free()
	s.HangBinding(gpus, time.Hour)
	s.allocateBinding("r")
	wants(50*time.Minute, "")
	wants(10*time.Minute, "a: gpu.example.com/attached=True ")

	free()
	s.allocateBinding("r")
	free() // before the driver is done
	wants(time.Minute, "")
	if at, ok := s.NextAt(); ok {
		t.Errorf("something happens at %v, want rest", at)
	}
}
