package dynamicresources_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func claim() *mk.ResourceClaimBuilder { return mk.ResourceClaim("c") }

func user() *v1.Pod { return mk.Pod("ada").ResourceClaim("c").Obj() }

// changed returns a claim after a change.
func changed(b *mk.ResourceClaimBuilder, change func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
	change(b.Obj())
	return b.Obj()
}

// Devices without binding conditions come first, whatever their pools are called.
func TestFilter_PrefersDevicesWithoutBindingConditions(t *testing.T) {
	slow := mk.ResourceSlice("s1", driver, "a").Node("n").Devices("1").Obj()
	slow.Spec.Devices[0].BindingConditions, slow.Spec.Devices[0].BindingFailureConditions = []string{"ready"}, []string{"failed"}
	f := newFixture(t, "DRADeviceBindingConditions", mk.DeviceClass("gpu"), claim().Request("gpu", "gpu", 1).Obj(),
		slow, mk.ResourceSlice("s2", driver, "b").Node("n").Devices("2").Obj())
	if got := f.found(user(), "n"); got != "gpu=b/2" {
		t.Errorf("got %s, want gpu=b/2", got)
	}
}

func TestFilter_FindsDevices(t *testing.T) {
	for name, tt := range map[string]struct {
		gates string
		claim *resourcev1.ResourceClaim
		also  []world.Object
		node  string
		want  string
	}{
		"a device of the first pool":      {claim: claim().Request("gpu", "gpu", 1).Obj(), want: "gpu=a/1"},
		"devices of several pools":        {claim: claim().Request("gpu", "gpu", 3).Obj(), want: "gpu=a/1 gpu=a/2 gpu=b/3"},
		"more than there are":             {claim: claim().Request("gpu", "gpu", 5).Obj(), want: "UnschedulableAndUnresolvable: cannot allocate all claims"},
		"all devices":                     {claim: claim().All("gpu", "gpu").Obj(), want: "gpu=a/1 gpu=a/2 gpu=b/3 gpu=b/4"},
		"a class that selects":            {claim: claim().Request("gpu", "big", 1).Obj(), want: "gpu=b/4"},
		"an expression that selects":      {claim: claim().Request("gpu", "gpu", 1, `device.attributes["d.example.com"].model == "big"`).Obj(), want: "gpu=b/4"},
		"the first alternative":           {claim: claim().First("gpu", "big", "gpu").Obj(), want: "gpu/big=b/4"},
		"the second alternative":          {claim: claim().First("gpu", "big", "gpu").Obj(), node: "m", want: "gpu/gpu=c/5"},
		"an equal attribute":              {claim: claim().Request("x", "big", 1).Request("y", "gpu", 1).Matching("d.example.com/model", "x", "y").Obj(), want: "UnschedulableAndUnresolvable: cannot allocate all claims"},
		"with a device taken":             {claim: claim().Request("gpu", "gpu", 1).Obj(), also: []world.Object{mk.ResourceClaim("other").Allocated("n", "gpu", driver, "a", "1").Obj()}, want: "gpu=a/2"},
		"admin access to a taken device":  {claim: changed(claim().Request("gpu", "gpu", 1), func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.AdminAccess = ptr.To(true) }), also: []world.Object{mk.ResourceClaim("other").Allocated("n", "gpu", driver, "a", "1").Obj()}, want: "gpu=a/1"},
		"an incomplete pool":              {claim: claim().Request("gpu", "gpu", 1).Obj(), node: "i", also: []world.Object{mk.ResourceSlice("i", driver, "i").Node("i").Pool(1, 2).Devices("1").Obj()}, want: "UnschedulableAndUnresolvable: cannot allocate all claims"},
		"all devices of incomplete pools": {claim: claim().All("gpu", "gpu").Obj(), node: "i", also: []world.Object{mk.ResourceSlice("i", driver, "i").Node("i").Pool(1, 2).Devices("1").Obj()}, want: "Error: claim default/c, request gpu: asks for all devices, but resource pool d.example.com/i is currently being updated"},
		"an invalid pool":                 {claim: claim().Request("gpu", "gpu", 1).Obj(), node: "i", also: []world.Object{mk.ResourceSlice("i", driver, "i").Node("i").Devices("1", "1").Obj()}, want: "UnschedulableAndUnresolvable: invalid resource pools were encountered"},
		"an older generation":             {claim: claim().Request("gpu", "gpu", 1).Obj(), node: "o", also: []world.Object{mk.ResourceSlice("o1", driver, "o").Node("o").Devices("1").Obj(), mk.ResourceSlice("o2", driver, "o").Node("o").Pool(2, 1).Devices("2").Obj()}, want: "gpu=o/2"},
		"a tainted device":                {gates: "DRADeviceTaints", claim: claim().Request("gpu", "gpu", 1).Obj(), node: "t", also: []world.Object{mk.ResourceSlice("t", driver, "t").Node("t").Devices("1").Taint("broken", resourcev1.DeviceTaintEffectNoSchedule).Devices("2").Obj()}, want: "gpu=t/2"},
		"a tainted device, gate off":      {claim: claim().Request("gpu", "gpu", 1).Obj(), node: "t", also: []world.Object{mk.ResourceSlice("t", driver, "t").Node("t").Devices("1").Taint("broken", resourcev1.DeviceTaintEffectNoSchedule).Obj()}, want: "gpu=t/1"},
		"an expression that is no CEL":    {claim: claim().Request("gpu", "gpu", 1, "oops(").Obj(), want: "Error: claim default/c: selector #0: CEL compile error: compilation failed: ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>'"},
		"too many devices":                {claim: claim().Request("gpu", "gpu", 33).Obj(), want: "Error: claim default/c: number of requested devices 33 exceeds the claim limit of 32"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, tt.gates, append(append(gpus(), tt.claim), tt.also...)...)
			node := tt.node
			if node == "" {
				node = "n"
			}
			for range 2 {
				if got := f.found(user(), node); got != tt.want && (len(got) < len(tt.want) || got[:len(tt.want)] != tt.want) {
					t.Fatalf("it is %q, want %q", got, tt.want)
				}
			}
			if err := f.state.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFilter_PoolOrderOfEveryAllocator(t *testing.T) {
	for name, gates := range map[string]string{
		"stable": "-DRAAdminAccess -DRAPrioritizedList", "incubating": "", "experimental": "DRAConsumableCapacity",
	} {
		t.Run(name, func(t *testing.T) {
			objects := []world.Object{mk.DeviceClass("gpu"), claim().Request("gpu", "gpu", 1).Obj()}
			for _, pool := range []string{"f", "b", "e", "a", "d", "c"} {
				objects = append(objects, mk.ResourceSlice(pool, driver, pool).Node("n").Devices("1").Obj())
			}
			f := newFixture(t, gates, objects...)
			for range 50 {
				if got := f.found(user(), "n"); got != "gpu=a/1" {
					t.Fatalf("the device is %s, want the first pool's", got)
				}
			}
		})
	}
}

func TestPreFilter_Reasons(t *testing.T) {
	templated := func(status ...v1.PodResourceClaimStatus) *v1.Pod {
		pod := mk.Pod("ada").Obj()
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: ptr.To("template")}}
		pod.Status.ResourceClaimStatuses = status
		return pod
	}
	unset := mk.Pod("ada").Obj()
	unset.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
	const uau = "UnschedulableAndUnresolvable: "
	for name, tt := range map[string]struct {
		gates string
		pod   *v1.Pod
		claim *resourcev1.ResourceClaim
		want  string
		gated bool // whether PreEnqueue says the same
	}{
		"no claims":                     {pod: mk.Pod("ada").Obj(), want: "Skip"},
		"a claim that does not exist":   {pod: mk.Pod("ada").ResourceClaim("none").Obj(), want: uau + `could not find ResourceClaim "default/none"`, gated: true},
		"a template without a claim":    {pod: templated(), want: uau + `pod "default/ada": ResourceClaim not created yet`, gated: true},
		"no claim on purpose":           {pod: templated(v1.PodResourceClaimStatus{Name: "gpu"}), want: "Skip"},
		"a generated claim of another":  {pod: templated(v1.PodResourceClaimStatus{Name: "gpu", ResourceClaimName: ptr.To("c")}), want: uau + "ResourceClaim default/c was not created for pod default/ada (pod is not owner)", gated: true},
		"neither name nor template":     {pod: unset, want: uau + `pod "default/ada", spec.resourceClaim "gpu": none of the supported fields are set`, gated: true},
		"a claim that is being deleted": {claim: changed(claim(), func(c *resourcev1.ResourceClaim) { c.DeletionTimestamp = &metav1.Time{Time: dawn} }), want: uau + `resourceclaim "c" is being deleted`, gated: true},
		"no such class":                 {claim: claim().Request("gpu", "none", 1).Obj(), want: uau + "request gpu: device class none does not exist"},
		"no such class of a choice":     {claim: claim().First("gpu", "gpu", "none").Obj(), want: uau + "request gpu/none: device class none does not exist"},
		"a choice with the gate off":    {gates: "-DRAPrioritizedList", claim: claim().First("gpu", "gpu").Obj(), want: uau + "resource claim default/c, request gpu: has subrequests, but the DRAPrioritizedList feature is disabled"},
		"an unknown request":            {claim: changed(claim(), func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu"}} }), want: uau + "resource claim default/c, request gpu: unknown request type"},
		"no class":                      {claim: claim().Request("gpu", "", 1).Obj(), want: "Error: request gpu: unsupported request type"},
		"allocated, of no class":        {claim: claim().Request("gpu", "none", 1).Allocated("n", "gpu", driver, "a", "1").Obj(), want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod, held := tt.pod, tt.claim
			if pod == nil {
				pod = user()
			}
			if held == nil {
				held = claim().Obj()
			}
			f := newFixture(t, tt.gates, append(gpus(), held)...)
			state, got := f.cycle(pod)
			if got != tt.want {
				t.Errorf("PreFilter returned %q, want %q", got, tt.want)
			}
			gated := ""
			if tt.gated {
				gated = tt.want
			}
			if got := text(f.plugin.PreEnqueue(t.Context(), pod)); got != gated {
				t.Errorf("PreEnqueue returned %q, want %q", got, gated)
			}
			if tt.want == "" {
				return
			}
			if _, status := f.plugin.PostFilter(t.Context(), state, pod, nil); text(status) != "Unschedulable: no new claims to deallocate" {
				t.Errorf("PostFilter returned %q", text(status))
			}
		})
	}
}

// A claim that another pod is about to allocate cannot be used: that may fail.
func TestPreFilter_ClaimInFlight(t *testing.T) {
	f := newFixture(t, "", append(gpus(), claim().Request("gpu", "gpu", 1).Obj())...)
	f.state.SetInFlight(claim().Obj().UID, claim().Allocated("n", "gpu", driver, "a", "1").Obj())
	if _, got := f.cycle(user()); got != "UnschedulableAndUnresolvable: resource claim default/c is in the process of being allocated" {
		t.Errorf("PreFilter returned %q", got)
	}
}

func TestFilter_AllocatedClaim(t *testing.T) {
	f := newFixture(t, "", append(gpus(), claim().Allocated("n", "gpu", driver, "a", "1").ReservedFor("bob").Obj())...)
	for node, want := range map[string]string{"n": "gpu=a/1", "m": "UnschedulableAndUnresolvable: resourceclaim not available on the node"} {
		if got := f.found(user(), node); got != want {
			t.Errorf("on %s it is %q, want %q", node, got, want)
		}
	}
}

// No API server stores a selector without an expression. Kube-scheduler's allocator refuses one in a claim, and panics on one in a class.
func TestFilter_NamesEmptySelector(t *testing.T) {
	exactly := claim().Request("gpu", "gpu", 1, "true", "true").Obj()
	alternative := exactly.DeepCopy()
	alternative.Spec.Devices.Requests[0] = resourcev1.DeviceRequest{Name: "gpu", FirstAvailable: []resourcev1.DeviceSubRequest{
		{Name: "any", DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1},
	}}
	emptied := func(o *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
		o = o.DeepCopy()
		o.Spec.Devices.Requests[0].Exactly.Selectors[1].CEL = nil
		return o
	}
	whole, empty := mk.DeviceClass("gpu", "true", "true"), mk.DeviceClass("gpu", "true", "true")
	empty.Spec.Selectors[1].CEL = nil
	for _, tt := range []struct {
		name  string
		class *resourcev1.DeviceClass
		claim *resourcev1.ResourceClaim
		want  string
	}{
		{"none", whole, exactly, "gpu=p/1"},
		{"of a claim", whole, emptied(exactly), `Error: claim default/c, request gpu, selector #1: CEL expression empty (unsupported selector type?)`},
		{"of a class", empty, exactly, `Error: allocating devices on node "n": class gpu: selector #1: no CEL expression`},
		{"of an alternative's class", empty, alternative, `Error: allocating devices on node "n": class gpu: selector #1: no CEL expression`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, "", tt.class, tt.claim, mk.ResourceSlice("devices", driver, "p").Node("n").Devices("1").Obj())
			if got := f.found(user(), "n"); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// counted is a pool of two slices: one with a counter of 8Gi, and one with devices that need 6Gi of a set each.
func counted(pool, set string, devices ...string) []world.Object {
	counters := mk.ResourceSlice("counters-"+pool, driver, pool).Node("n").Pool(1, 2).Obj()
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set-of-" + pool, Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("8Gi")}}}}
	slice := mk.ResourceSlice("devices-"+pool, driver, pool).Node("n").Pool(1, 2).Devices(devices...).Obj()
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
			CounterSet: set, Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("6Gi")}},
		}}
	}
	return []world.Object{counters, slice}
}

// Shows DRA-34.
func TestFilter_CountersOfTheWholePool(t *testing.T) {
	for name, tt := range map[string]struct {
		slices []world.Object
		count  int64
		want   string
	}{
		"a device uses the counters of its pool's other slice": {counted("p", "set-of-p", "1", "2"), 1, "gpu=p/1"},
		"both devices need more than is counted there":         {counted("p", "set-of-p", "1", "2"), 2, "UnschedulableAndUnresolvable: cannot allocate all claims"},
		"the counters of another pool are not a device's":      {append(counted("p", "set-of-q", "1"), counted("q", "set-of-q")...), 1, "UnschedulableAndUnresolvable: invalid resource pools were encountered"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append([]world.Object{mk.DeviceClass("gpu"), claim().Request("gpu", "gpu", tt.count).Obj()}, tt.slices...)
			if got := newFixture(t, "DRAPartitionableDevices", objects...).found(user(), "n"); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// Kube-scheduler's allocator panics on all devices that consume counters up to 1.35.
func TestFilter_RefusesAllCountersUpTo135(t *testing.T) {
	counters := mk.ResourceSlice("counters", driver, "p").Node("n").Pool(1, 2).Obj()
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("8Gi")}}}}
	slice := mk.ResourceSlice("devices", driver, "p").Node("n").Pool(1, 2).Devices("1").Obj()
	slice.Spec.Devices[0].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
		CounterSet: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("1Gi")}},
	}}
	f := newFixture(t, "DRAPartitionableDevices DRAConsumableCapacity", mk.DeviceClass("gpu"), claim().All("gpu", "gpu").Obj(), counters, slice)
	if got := f.found(user(), "n"); !strings.HasPrefix(got, `Error: allocating devices on node "n": the allocator failed`) {
		t.Errorf("it is %q", got)
	}
}

// A search that takes too long ends after as many steps as the timeout has, on every machine.
func TestFilter_EndsSearch(t *testing.T) {
	slice := mk.ResourceSlice("s", driver, "p").Node("n")
	for i := range 20 { // of which nine can be chosen in far more ways
		name := strconv.Itoa(i)
		slice.Devices(name).Attribute("model", name)
	}
	claim := claim().Request("any", "gpu", 9).Request("none", "gpu", 1, "false").Obj()
	const failed = "Error: node n: timed out trying to allocate devices"
	for r, want := range map[release.Release]string{
		release.V135: "UnschedulableAndUnresolvable: timed out trying to allocate devices", release.V136: failed, release.V137: failed,
	} {
		f := fixtureOf(t, r, "", mk.DeviceClass("gpu"), slice.Obj(), claim)
		f.limit(time.Second / 10)
		if got := f.found(user(), "n"); got != want {
			t.Errorf("in %s it is %q, want %q", r, got, want)
		}
	}
}
