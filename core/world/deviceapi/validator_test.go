package deviceapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
)

func ptr[T any](v T) *T { return &v }

func texts(wrong field.ErrorList) []string {
	var all []string
	for _, err := range wrong {
		all = append(all, err.Error())
	}
	return all
}

func wants(t *testing.T, got field.ErrorList, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("the errors are (-want +got):\n%s", diff)
	}
}

func claim(change func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c", UID: "1", ResourceVersion: "1"}}
	c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"}}}
	deviceapi.Default(c, metav1.Time{})
	change(c)
	return c
}

func selecting(expression string) *resourcev1.ResourceClaim {
	return claim(func(c *resourcev1.ResourceClaim) {
		c.Spec.Devices.Requests[0].Exactly.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}
	})
}

func TestCreate_Claims(t *testing.T) {
	const requests = "spec.devices.requests"
	for name, row := range map[string]struct {
		change func(*resourcev1.ResourceClaim)
		want   []string
	}{
		"a valid one": {func(*resourcev1.ResourceClaim) {}, nil},
		"no request": {func(c *resourcev1.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly = nil
		}, []string{requests + "[0]: Required value: exactly one of `exactly` or `firstAvailable` is required"}},
		"two requests of a name": {func(c *resourcev1.ResourceClaim) {
			c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, c.Spec.Devices.Requests[0])
		}, []string{requests + `[1]: Duplicate value: "gpu"`}},
		"33 requests": {func(c *resourcev1.ResourceClaim) {
			for i := range 32 {
				more := c.Spec.Devices.Requests[0]
				more.Name = fmt.Sprint("r", i)
				c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, more)
			}
		}, []string{requests + ": Too many: 33: must have at most 32 items"}},
		"a count of all": {func(c *resourcev1.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.AllocationMode = resourcev1.DeviceAllocationModeAll
		}, []string{requests + "[0].exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'"}},
		"a constraint of another request": {func(c *resourcev1.ResourceClaim) {
			c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{Requests: []string{"cpu"}, MatchAttribute: ptr(resourcev1.FullyQualifiedName("model"))}}
		}, []string{
			`spec.devices.constraints[0].requests[0]: Invalid value: "cpu": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
			`spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash`,
		}},
		"a toleration without an operator": {func(c *resourcev1.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.Tolerations = []resourcev1.DeviceToleration{{Key: "a"}}
		}, []string{requests + "[0].exactly.tolerations[0].operator: Required value"}},
	} {
		t.Run(name, func(t *testing.T) {
			var v deviceapi.Validator
			wants(t, v.Create(claim(row.change)), row.want...)
		})
	}
}

// Expressions that are wrong, long, deep or costly each get one error, which does not come from running them.
func TestCreate_HostileSelectors(t *testing.T) {
	attribute := "device.attributes['gpu.example.com'].model"
	for name, row := range map[string]struct{ expression, want string }{
		"one that does not compile": {attribute + " ==", "compilation failed: ERROR: <input>:1:"},
		"one that is no condition":  {"1 + 1", "must evaluate to bool or the unknown type, not int"},
		"one with an unknown name":  {"node.name == 'a'", "undeclared reference to 'node'"},
		"one that is too long":      {strings.Repeat(" ", 10<<10) + "true", "may not be more than 10240 bytes"},
		"deep brackets":             {strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000), "recursion"},
		"loops in loops": {
			strings.Repeat("[1,2,3,4,5,6,7,8,9,10].all(x, ", 8) + attribute + " == 'a'" + strings.Repeat(")", 8), "too complex, exceeds cost limit",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var v deviceapi.Validator
			for range 2 { // the second time from memory
				if got := texts(v.Create(selecting(row.expression))); len(got) != 1 || !strings.Contains(got[0], row.want) {
					t.Errorf("the errors are %q, want one with %q", got, row.want)
				}
			}
		})
	}
}

func TestUpdate_KeepsSpec(t *testing.T) {
	var v deviceapi.Validator
	old := claim(func(*resourcev1.ResourceClaim) {})
	wants(t, v.Update(claim(func(c *resourcev1.ResourceClaim) { c.Labels = map[string]string{"a": "b"} }), old))
	changed := texts(v.Update(claim(func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.Count = 2 }), old))
	if len(changed) != 1 || !strings.HasSuffix(changed[0], "field is immutable") {
		t.Errorf("the errors are %q, want that the spec is immutable", changed)
	}
	doomed := claim(func(c *resourcev1.ResourceClaim) { c.DeletionTimestamp = &metav1.Time{} })
	wants(t, v.Update(claim(func(c *resourcev1.ResourceClaim) {
		c.DeletionTimestamp, c.Finalizers = doomed.DeletionTimestamp, []string{resourcev1.Finalizer}
	}), doomed), `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"resource.kubernetes.io/delete-protection"}`)
}

func allocated(c *resourcev1.ResourceClaim) {
	c.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
		{Request: "gpu", Driver: "gpu.example.com", Pool: "n1", Device: "gpu-0"},
	}}}
}

func reserve(c *resourcev1.ResourceClaim, n int) {
	for i := range n {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
			Resource: "pods", Name: "p", UID: types.UID(fmt.Sprint(i)),
		})
	}
}

func TestUpdateStatus_Claims(t *testing.T) {
	for name, row := range map[string]struct {
		old, changed func(*resourcev1.ResourceClaim)
		want         []string
	}{
		"an allocation": {func(*resourcev1.ResourceClaim) {}, allocated, nil},
		"none any more": {allocated, func(*resourcev1.ResourceClaim) {}, nil},
		"another one": {allocated, func(c *resourcev1.ResourceClaim) {
			allocated(c)
			c.Status.Allocation.Devices.Results[0].Device = "gpu-1"
		}, []string{"status.allocation: field is immutable"}},
		"a reservation without an allocation": {func(*resourcev1.ResourceClaim) {}, func(c *resourcev1.ResourceClaim) { reserve(c, 1) }, []string{
			"status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
		}},
		"256 reservations": {allocated, func(c *resourcev1.ResourceClaim) { allocated(c); reserve(c, 256) }, nil},
		"257 reservations": {allocated, func(c *resourcev1.ResourceClaim) { allocated(c); reserve(c, 257) }, []string{
			"status.reservedFor: Too many: 257: must have at most 256 items",
		}},
		"a reservation of a claim that is being deleted": {allocated, func(c *resourcev1.ResourceClaim) {
			allocated(c)
			reserve(c, 1)
			c.DeletionTimestamp = &metav1.Time{}
		}, []string{
			"metadata.deletionTimestamp: field is immutable",
			"status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
		}},
		"a device of another request": {func(*resourcev1.ResourceClaim) {}, func(c *resourcev1.ResourceClaim) {
			allocated(c)
			c.Status.Allocation.Devices.Results[0].Request = "cpu"
		}, []string{
			`status.allocation.devices.results[0].request: Invalid value: "cpu": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var v deviceapi.Validator
			var got []string
			for _, err := range v.UpdateStatus(claim(row.changed), claim(row.old)) {
				if strings.HasSuffix(err.Detail, "immutable") { // the value is large
					got = append(got, err.Field+": "+err.Detail)
				} else {
					got = append(got, err.Error())
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("the errors are (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutStale_DropsFreedDevices(t *testing.T) {
	old, changed := claim(allocated), claim(func(*resourcev1.ResourceClaim) {})
	changed.Status.Devices = []resourcev1.AllocatedDeviceStatus{
		{Driver: "gpu.example.com", Pool: "n1", Device: "gpu-0"}, {Driver: "gpu.example.com", Pool: "n1", Device: "gpu-1"},
	}
	if left := deviceapi.WithoutStale(&changed.Status, &old.Status); len(left) != 1 || left[0].Device != "gpu-1" {
		t.Errorf("%v is left, want gpu-1, which was not allocated before", left)
	}
}

func TestDefault_TaintsGetTheTime(t *testing.T) {
	now, earlier := metav1.Unix(100, 0), metav1.Unix(50, 0)
	slice := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Devices: []resourcev1.Device{
		{Taints: []resourcev1.DeviceTaint{{Key: "a"}, {Key: "b", TimeAdded: &earlier}}},
	}}}
	rule := &resourcev1alpha3.DeviceTaintRule{}
	deviceapi.Default(slice, now)
	deviceapi.Default(rule, now)
	taints := slice.Spec.Devices[0].Taints
	if !taints[0].TimeAdded.Equal(&now) || !taints[1].TimeAdded.Equal(&earlier) || !rule.Spec.Taint.TimeAdded.Equal(&now) {
		t.Errorf("the times are %v, %v and %v, want %v, %v and %v", taints[0].TimeAdded, taints[1].TimeAdded, rule.Spec.Taint.TimeAdded, now, earlier, now)
	}
}

// Shows DRA-34.
func TestCreate_CountersApartFromDevices(t *testing.T) {
	devices := []resourcev1.Device{{Name: "a"}}
	counters := []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("8Gi")}}}}
	for name, row := range map[string]struct {
		devices  []resourcev1.Device
		counters []resourcev1.CounterSet
		want     []string
	}{
		"devices alone":     {devices, nil, nil},
		"counters alone":    {nil, counters, nil},
		"both in one slice": {devices, counters, []string{`spec: Invalid value: "": only one of ` + "`sharedCounters` or `devices` is allowed"}},
	} {
		t.Run(name, func(t *testing.T) {
			slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: resourcev1.ResourceSliceSpec{
				Driver: "d.example.com", Pool: resourcev1.ResourcePool{Name: "p", ResourceSliceCount: 2}, AllNodes: ptr(true),
				Devices: row.devices, SharedCounters: row.counters,
			}}
			if diff := cmp.Diff(row.want, texts((&deviceapi.Validator{}).Create(slice))); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// Shows DRA-09.
func TestPod_Claims(t *testing.T) {
	pod := &v1.Pod{Spec: v1.PodSpec{
		ResourceClaims: []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: ptr("c")}, {Name: "gpu"}},
		Containers:     []v1.Container{{Resources: v1.ResourceRequirements{Claims: []v1.ResourceClaim{{Name: "gpu"}, {Name: "cpu"}}}}},
	}}
	got := texts(deviceapi.Pod(pod, field.NewPath("spec")))
	for i, want := range []string{
		`spec.resourceClaims[1].name: Duplicate value: "gpu"`, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
		`spec.containers[0].resources.claims[1]: Not found: "cpu": must be one of the names in pod.spec.resourceClaims: gpu`,
	} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Fatalf("the errors are %q, want %q there", got, want)
		}
	}
}
