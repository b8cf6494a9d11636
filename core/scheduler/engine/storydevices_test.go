package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// driver is the driver of all devices in stories.
const driver = "gpu.example.com"

// newDevices starts an object about devices, to be changed by key=value arguments. A slice is the only one of its pool, which
// has its name.
func newDevices(kind, name string) world.Object {
	switch kind {
	case "slice":
		return mk.ResourceSlice(name, driver, name).Obj()
	case "devices":
		return mk.ResourceClaim(name).Obj()
	case "rule":
		return &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1alpha3.DeviceTaintRuleSpec{
			Taint: resourcev1alpha3.DeviceTaint{Key: name, Effect: resourcev1alpha3.DeviceTaintEffectNoSchedule},
		}}
	}
	return mk.DeviceClass(name)
}

func (s *storyRun) changeDevices(o world.Object, key, value string) {
	switch o := o.(type) {
	case *resourcev1.ResourceSlice:
		s.changeSlice(o, key, value)
	case *resourcev1.DeviceClass:
		o.Spec.ExtendedResourceName = &value
	case *resourcev1alpha3.DeviceTaintRule:
		o.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{Device: &value}
	case *resourcev1.ResourceClaim:
		s.changeDeviceClaim(o, key, value)
	}
}

func (s *storyRun) changeSlice(slice *resourcev1.ResourceSlice, key, value string) {
	switch key {
	case "node":
		slice.Spec.NodeName = &value
	case "has": // names of devices, with commas
		slice.Spec.Devices = mk.ResourceSlice("", "", "").Devices(strings.Split(value, ",")...).Obj().Spec.Devices
	case "attached": // the condition that the devices need before a pod is bound
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].BindingConditions, slice.Spec.Devices[i].BindingFailureConditions = []string{value}, []string{"failed"}
		}
	default:
		s.t.Fatalf("unknown key %q of a slice", key)
	}
}

func (s *storyRun) changeDeviceClaim(claim *resourcev1.ResourceClaim, key, value string) {
	switch key {
	case "one": // a class
		claim.Spec = mk.ResourceClaim("").Request("gpu", value, 1).Obj().Spec
	case "says": // a condition of all its devices
		claim.Status.Devices = nil
		for _, result := range claim.Status.Allocation.Devices.Results {
			claim.Status.Devices = append(claim.Status.Devices, resourcev1.AllocatedDeviceStatus{
				Driver: result.Driver, Pool: result.Pool, Device: result.Device,
				Conditions: []metav1.Condition{{Type: value, Status: metav1.ConditionTrue, Reason: "Test", Message: "in a story"}},
			})
		}
	case "users": // none
		claim.Status.ReservedFor = nil
	case "free": // its devices
		claim.Status = resourcev1.ResourceClaimStatus{}
	default:
		s.t.Fatalf("unknown key %q of a claim for devices", key)
	}
}

// deviceState logs the devices that are taken, and how many claims are not yet read back.
func (p *player) deviceState() {
	var taken []string
	for id := range p.Devices().Allocated().Devices {
		taken = append(taken, id.Pool.Value()+"/"+id.Device.Value())
	}
	slices.SortFunc(taken, cmp.Compare[string])
	inFlight, abandoned, assumed := p.Devices().Pending()
	p.logf("taken %v; %d in flight, %d assumed", taken, inFlight, assumed)
	if abandoned > 0 {
		p.logf("%d of them abandoned", abandoned)
	}
}

func deviceEffectText(act world.Action) string {
	switch a := act.(type) {
	case world.ReserveResourceClaim:
		devices := ""
		if a.Allocation != nil {
			for _, result := range a.Allocation.Devices.Results {
				devices += " " + result.Pool + "/" + result.Device
			}
		}
		return fmt.Sprintf("reserve %s for %s:%s", a.Claim.Name, a.Pod.Name, devices)
	case world.UnreserveResourceClaim:
		return fmt.Sprintf("unreserve %s for %s", a.Claim.Name, a.Pod.Name)
	case world.DeallocateResourceClaim:
		return fmt.Sprintf("deallocate %s for %s", a.Claim.Name, a.Pod.Name)
	case world.CreateResourceClaim:
		return fmt.Sprintf("create %s for %s", a.Claim.Name, a.Pod.Name)
	case world.DeleteResourceClaim:
		return fmt.Sprintf("delete %s of %s", a.Claim.Name, a.Pod.Name)
	}
	return ""
}
