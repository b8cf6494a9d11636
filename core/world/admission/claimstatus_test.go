package admission_test

import (
	"fmt"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/testing/mk"
	"orrery/core/world/admission"
)

func claim(change func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
	c := mk.ResourceClaim("c").Request("gpu", "gpu", 1).Obj()
	c.Status = resourcev1.ResourceClaimStatus{}
	change(c)
	return c
}

func allocated(c *resourcev1.ResourceClaim) {
	c.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
		{Request: "gpu", Driver: "gpu.example.com", Pool: "n1", Device: "gpu-0"},
	}}}
}

func reserve(c *resourcev1.ResourceClaim, n int) {
	for i := range n {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: "p", UID: types.UID(fmt.Sprint(i))})
	}
}

func TestRefusedClaimStatus(t *testing.T) {
	none := func(*resourcev1.ResourceClaim) {}
	for name, row := range map[string]struct {
		old, changed func(*resourcev1.ResourceClaim)
		want         string
	}{
		"an allocation": {none, allocated, ""},
		"none any more": {allocated, none, ""},
		"another one": {allocated, func(c *resourcev1.ResourceClaim) {
			allocated(c)
			c.Status.Allocation.Devices.Results[0].Device = "gpu-1"
		}, "field is immutable"},
		"a reservation without an allocation": {none, func(c *resourcev1.ResourceClaim) { reserve(c, 1) }, "may not be specified when `allocated` is not set"},
		"256 reservations":                    {allocated, func(c *resourcev1.ResourceClaim) { allocated(c); reserve(c, 256) }, ""},
		"257 reservations":                    {allocated, func(c *resourcev1.ResourceClaim) { allocated(c); reserve(c, 257) }, "must have at most 256 items"},
		"a reservation of a claim that is being deleted": {allocated, func(c *resourcev1.ResourceClaim) {
			allocated(c)
			reserve(c, 1)
			c.DeletionTimestamp = &metav1.Time{}
		}, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"},
	} {
		t.Run(name, func(t *testing.T) {
			errs := admission.RefusedClaimStatus(claim(row.changed), &claim(row.old).Status)
			if (row.want == "") != (len(errs) == 0) || row.want != "" && !strings.Contains(errs.ToAggregate().Error(), row.want) {
				t.Errorf("errors %v, want %q", errs, row.want)
			}
		})
	}
}

func TestWithoutStale_DropsFreedDevices(t *testing.T) {
	old, changed := claim(allocated), claim(func(*resourcev1.ResourceClaim) {})
	changed.Status.Devices = []resourcev1.AllocatedDeviceStatus{
		{Driver: "gpu.example.com", Pool: "n1", Device: "gpu-0"}, {Driver: "gpu.example.com", Pool: "n1", Device: "gpu-1"},
	}
	if left := admission.WithoutStale(&changed.Status, &old.Status); len(left) != 1 || left[0].Device != "gpu-1" {
		t.Errorf("%v is left, want gpu-1, which was not allocated before", left)
	}
}
