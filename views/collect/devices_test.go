package collect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

const gpus = "gpu.example.com"

// deviceEngine is an engine with all gates of devices.
func deviceEngine(t interface{ Fatal(...any) }) *engine.Engine {
	features, err := config.ParseFeatures(map[string]bool{
		"DRAConsumableCapacity": true, "DRAPartitionableDevices": true, "DRADeviceTaints": true, "DRADeviceTaintRules": true, "DRADeviceBindingConditions": true,
		"DRAExtendedResource": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Start: start, Config: config.Default(features)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func deviceCluster(t interface{ Fatal(...any) }, objects ...world.Object) *engine.Engine {
	e := deviceEngine(t)
	for _, o := range objects {
		applyStorage(t, e, world.Added, o)
	}
	return e
}

func devicesOf(c *collect.Collector, e *engine.Engine, pane views.PaneID) *views.Devices {
	return c.Model(e, collect.Query{Open: pane, Rows: 1000}).Devices
}

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

// allocated is a claim of a pod that has a device of node n.
func allocated(name, device string) *mk.ResourceClaimBuilder {
	return mk.ResourceClaim(name).Request("gpu", "gpu", 1).Allocated("n", "gpu", gpus, "n", device).ReservedFor("pod-" + name)
}

// deviceObjects are devices in each state on node n, named after it, and claims in each state.
func deviceObjects() []world.Object {
	at := func(seconds int) *metav1.Time {
		return &metav1.Time{Time: start.Add(time.Duration(seconds) * time.Second)}
	}
	slice := mk.ResourceSlice("s1", gpus, "n").Node("n").Pool(1, 2).
		Devices("free").Attribute("productName", "H100").Devices("reserved", "unused", "flight", "waiting", "broken", "evicting").
		Taint("failed", resourcev1.DeviceTaintEffectNoExecute).Devices("tainted", "shared", "admin").Obj()
	slice.Spec.Devices[6].Taints[0].TimeAdded = at(7)
	shared := &slice.Spec.Devices[8]
	shared.AllowMultipleAllocations, shared.Capacity = ptr.To(true), map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: quantity("80Gi")}}
	consumes := func(units string) []resourcev1.DeviceCounterConsumption {
		return []resourcev1.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourcev1.Counter{"units": {Value: quantity(units)}}}}
	}
	for name, units := range map[string]string{"whole": "4", "part-1": "1", "part-2": "2"} {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: name, ConsumesCounters: consumes(units)})
	}
	slices.SortStableFunc(slice.Spec.Devices[10:], func(a, b resourcev1.Device) int { return strings.Compare(a.Name, b.Name) })
	counters := mk.ResourceSlice("s2", gpus, "n").Node("n").Pool(1, 2).Obj()
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"units": {Value: quantity("4")}}}}
	rule := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rack-7"}}
	rule.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{Device: ptr.To("tainted")}
	rule.Spec.Taint = resourcev1alpha3.DeviceTaint{Key: "maintenance", Effect: resourcev1alpha3.DeviceTaintEffectNoSchedule, TimeAdded: at(3)}

	unused := allocated("unused", "unused").Obj()
	unused.Status.ReservedFor = nil
	waiting, broken := allocated("waiting", "waiting").Obj(), allocated("broken", "broken").Obj()
	for _, c := range []*resourcev1.ResourceClaim{waiting, broken} {
		c.Status.Allocation.AllocationTimestamp = at(5)
		c.Status.Allocation.Devices.Results[0].BindingConditions, c.Status.Allocation.Devices.Results[0].BindingFailureConditions = []string{"attached"}, []string{"lost"}
	}
	broken.Status.Devices = []resourcev1.AllocatedDeviceStatus{{
		Driver: gpus, Pool: "n", Device: "broken", Conditions: []metav1.Condition{{Type: "lost", Status: metav1.ConditionTrue, Reason: "NoAnswer", Message: "gone", LastTransitionTime: *at(6)}},
	}}
	some := allocated("some", "shared").Obj()
	some.Status.Allocation.Devices.Results[0].ShareID, some.Status.Allocation.Devices.Results[0].ConsumedCapacity = ptr.To(types.UID("share")), map[resourcev1.QualifiedName]resource.Quantity{"memory": quantity("20Gi")}
	admin := allocated("admin", "admin").Obj()
	admin.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	leaving := mk.ResourceClaim("leaving").Request("gpu", "gpu", 1).Obj()
	leaving.DeletionTimestamp, leaving.Finalizers = at(9), []string{resourcev1.Finalizer}
	rejected := mk.Pod("rejected").ResourceClaim("big").Gate("hold").Obj()
	rejected.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Message: "0/2 nodes are available: 2 cannot allocate all claims. preemption: none"}}
	unmade := mk.Pod("unmade").Gate("hold").Obj()
	unmade.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: ptr.To("t")}}
	return []world.Object{
		mk.Node("n").CPU("4").Obj(), mk.DeviceClass("gpu"), slice, counters, rule,
		mk.ResourceSlice("old", gpus, "n").Node("n").Devices("gone").Pool(0, 1).Obj(),
		mk.ResourceSlice("f1", "nic.example.com", "fabric").AllNodes().Pool(2, 3).Devices("nic-0", "nic-1").Obj(),
		allocated("plain", "reserved").Obj(), unused, waiting, broken, allocated("evicting", "evicting").Obj(), allocated("part", "part-1").Obj(), some, admin,
		allocated("lost", "gone").Obj(), leaving, mk.ResourceClaim("big").Request("gpu", "gpu", 9).Obj(), mk.ResourceClaim("early").First("gpu", "a", "b").Obj(),
		rejected, unmade, mk.Pod("absent").ResourceClaim("missing").Gate("hold").Obj(), mk.Pod("pod-plain").ResourceClaim("plain").Priority(7).Node("n").Obj(),
		mk.Pod("pod-waiting").ResourceClaim("waiting").Gate("hold").Obj(),
	}
}

// TestDevices_States has a device in each state that objects can show.
func TestDevices_States(t *testing.T) {
	v := devicesOf(collect.New(collect.Options{}), deviceCluster(t, deviceObjects()...), views.DevicesPane)
	var got []string
	for _, row := range v.List.Rows {
		got = append(got, fmt.Sprintf("%s %s of %s, %q, held by %s", row.Place, row.Pool, row.Model, row.Note, row.Holders))
		for _, d := range row.Devices {
			line := fmt.Sprintf("  %s %s %g", d.Name, d.State.Word(), d.Share)
			for _, h := range d.Holders {
				line += strings.TrimRight(fmt.Sprintf(" %s (%s, priority %d) %s %s", h.Claim, h.Pod, h.Priority, h.Part, h.Note), " ")
			}
			got = append(got, line+" "+d.Taints)
		}
	}
	if diff := gocmp.Diff([]string{
		`n n of gpu.example.com, H100, "1 outdated slice", held by pod-part, pod-plain, claim default/unused, pod-waiting, pod-broken, pod-evicting, pod-some, pod-admin`,
		"  whole partitioned 0.25 default/part (default/pod-part, priority 0) part-1 ",
		"  free free 0 ",
		"  reserved reserved 1 default/plain (default/pod-plain, priority 7) ",
		"  unused allocated 1 default/unused (, priority 0) ",
		"  flight free 0 ",
		"  waiting binding 1 default/waiting (default/pod-waiting, priority 0)  waits for attached ",
		"  broken binding 1 default/broken (default/pod-broken, priority 0)  failed: NoAnswer gone ",
		"  evicting evicting 1 default/evicting (default/pod-evicting, priority 0) failed:NoExecute by its driver",
		"  tainted tainted 0 maintenance:NoSchedule by rule rack-7",
		"  shared shared 0.25 default/some (default/pod-some, priority 0) memory 20Gi of 80Gi ",
		"  admin free 0 default/admin (default/pod-admin, priority 0)  with admin access ",
		`all nodes fabric of nic.example.com, "incomplete: 2 slices not published", held by `,
		"  nic-0 incomplete 0 ",
		"  nic-1 incomplete 0 ",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := []views.DeviceModel{
		{Name: gpus, Driver: gpus, Count: [10]int{1, 1, 0, 2, 1, 1, 1, 1, 2, 0}, Used: 5.5, MostFree: 2, MostFreeOn: "n", Places: 1},
		{Name: "nic.example.com", Driver: "nic.example.com", Count: [10]int{9: 2}, Places: 1},
		{Name: "H100", Driver: gpus, Count: [10]int{8: 1}, MostFree: 1, MostFreeOn: "n", Places: 1},
	}; !gocmp.Equal(want, v.Models) {
		t.Errorf("models (-want +got):\n%s", gocmp.Diff(want, v.Models))
	}
}

// TestDevices_ClaimsByTrouble has a claim in each state that objects can show.
func TestDevices_ClaimsByTrouble(t *testing.T) {
	v := devicesOf(collect.New(collect.Options{}), deviceCluster(t, deviceObjects()...), views.DeviceClaimsPane)
	var got []string
	for _, c := range v.ClaimList.Rows {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s: %s, %s on %s, pod %s %s", c.Name, c.State.Word(), c.Requests, c.Devices, c.Place, c.Pod, c.Note)))
	}
	if diff := gocmp.Diff([]string{
		"default/broken failed: 1 gpu, broken on n, pod default/pod-broken broken failed: NoAnswer gone",
		"default/lost lost: 1 gpu, gone on n, pod default/pod-lost gone of pool n is not published by gpu.example.com",
		"default/evicting evicting: 1 gpu, evicting on n, pod default/pod-evicting evicting has the taint failed:NoExecute",
		"default/missing missing: ,  on , pod default/absent does not exist",
		"default/big pending: 9 gpu,  on , pod default/rejected 2 cannot allocate all claims",
		"default/waiting binding: 1 gpu, waiting on n, pod default/pod-waiting waiting waits for attached",
		"default/leaving terminating: 1 gpu,  on , pod  waits for resource.kubernetes.io/delete-protection",
		"default/early unallocated: 1 a or 1 b,  on , pod  no pod uses it",
		"default/unmade (claim gpu) unallocated: ,  on , pod default/unmade is not made of its template yet",
		"default/unused allocated: 1 gpu, unused on n, pod  no pod uses it",
		"default/admin reserved: 1 gpu, admin on n, pod default/pod-admin",
		"default/part reserved: 1 gpu, part-1 on n, pod default/pod-part",
		"default/plain reserved: 1 gpu, reserved on n, pod default/pod-plain",
		"default/some reserved: 1 gpu, shared on n, pod default/pod-some",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for state, n := range v.Claims {
		if want := map[views.DeviceClaimState]int{views.DeviceClaimInFlight: 0, views.DeviceClaimUnallocated: 2, views.DeviceClaimReserved: 4}; n != 1 {
			if most, listed := want[views.DeviceClaimState(state)]; !listed || n != most {
				t.Errorf("%d claims are %s", n, views.DeviceClaimState(state).Word())
			}
		}
	}
	if since := v.ClaimList.Rows[2].Since; !since.Equal(start.Add(7 * time.Second)) {
		t.Errorf("the claim evicts since %v, want since its device was tainted", since)
	}
}

// placed is a cluster in which a pod was placed, and nothing is written yet.
func placed(t *testing.T, pod *v1.Pod, objects ...world.Object) *engine.Engine {
	t.Helper()
	e := deviceEngine(t)
	for _, o := range append(objects, pod) {
		if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	if d, ok := e.Step(); !ok || d.Verdict != engine.Placed {
		t.Fatalf("the pod was not placed: %+v", d)
	}
	return e
}

// What is decided and not written yet is in flight, also the implicit claim of a pod that requests an extended resource.
func TestDevices_InFlight(t *testing.T) {
	slice := mk.ResourceSlice("s", gpus, "n").Node("n").Devices("a").Obj()
	class := mk.DeviceClass("gpu")
	class.Spec.ExtendedResourceName = ptr.To("example.com/gpu")
	node := mk.Node("n").CPU("4").Memory("8Gi").Pods("10").Obj()
	plain := mk.Pod("plain").CPU("1").ResourceClaim("c").Obj()
	extended := mk.Pod("extended").CPU("1").Obj()
	extended.Spec.Containers[0].Resources.Requests["example.com/gpu"] = quantity("1")
	extended.Spec.Containers[0].Resources.Limits = v1.ResourceList{"example.com/gpu": quantity("1")}
	for name, pod := range map[string]*v1.Pod{"default/c": plain, "default/extended-extended-resources": extended} {
		t.Run(pod.Name, func(t *testing.T) {
			objects := []world.Object{node, class, slice}
			if pod == plain {
				objects = append(objects, mk.ResourceClaim("c").Request("gpu", "gpu", 1).Obj())
			}
			e, c := placed(t, pod, objects...), collect.New(collect.Options{})
			d := devicesOf(c, e, views.DevicesPane).List.Rows[0].Devices[0]
			if d.State != views.DeviceInFlight || len(d.Holders) != 1 || d.Holders[0].Pod != "default/"+pod.Name || d.Holders[0].Claim != name || d.Holders[0].Note != "not written yet" {
				t.Errorf("the device is %+v", d)
			}
			claims := devicesOf(c, e, views.DeviceClaimsPane)
			if row := claims.ClaimList.Rows[0]; row.State != views.DeviceClaimInFlight || row.Name != name || row.Devices != "a" {
				t.Errorf("the claim is %+v", row)
			}
			links := c.Model(e, collect.Query{Open: views.JourneyPane, Pod: world.PodRefOf(pod), Rows: 10}).Journey.Devices
			if len(links) != 2 || !strings.Contains(links[0].Says, "is in flight: decided, not written yet") || !strings.Contains(links[1].Says, ": a of pool n, driver "+gpus) {
				t.Errorf("the pod's allocation is %+v", links)
			}
		})
	}
}

// A pool whose model, generation, nodes or number of devices is unusual.
func TestDevices_Pools(t *testing.T) {
	perDevice := mk.ResourceSlice("p", gpus, "spread").Devices("x", "y").Obj()
	perDevice.Spec.PerDeviceNodeSelection = ptr.To(true)
	perDevice.Spec.Devices[0].NodeName, perDevice.Spec.Devices[1].AllNodes = ptr.To("n2"), ptr.To(true)
	zone := mk.ResourceSlice("z", gpus, "zone").Devices("x").Attribute("other.com/model", "B").Attribute("model", "A").Obj()
	zone.Spec.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{"east"}},
	}}}}
	large := mk.ResourceSlice("l", gpus, "large").Node("n1")
	for i := range 70 {
		large.Devices(fmt.Sprint("d", i))
	}
	v := devicesOf(collect.New(collect.Options{}), deviceCluster(t, perDevice, zone, large.Obj()), views.DevicesPane)
	var got []string
	for _, row := range v.List.Rows {
		got = append(got, fmt.Sprintf("%s %s %s: %d+%d of %d", row.Place, row.Pool, row.Model, row.From, len(row.Devices), row.Of))
	}
	if diff := gocmp.Diff([]string{
		"all nodes spread gpu.example.com: 0+1 of 1", "n1 large gpu.example.com: 0+16 of 70", "n1 large gpu.example.com: 16+16 of 70", "n1 large gpu.example.com: 32+16 of 70",
		"n1 large gpu.example.com: 48+16 of 70", "n1 large gpu.example.com: 64+6 of 70",
		"n2 spread gpu.example.com: 0+1 of 1", "zone=east zone A: 0+1 of 1",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v.Places != 4 || v.Pools != 3 {
		t.Errorf("there are %d pools at %d places", v.Pools, v.Places)
	}
}

// What is kept from frame to frame is what reading everything again gives, whatever changed.
func TestDevices_FollowChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, kept := deviceEngine(t), collect.New(collect.Options{})
		applyStorage(t, e, world.Added, mk.Node("n1").CPU("4").Memory("8Gi").Pods("10").Obj())
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			for range rapid.SampledFrom([]int{1, 1, 3, 90}).Draw(t, "at once") {
				applyStorage(t, e, rapid.SampledFrom([]world.Op{world.Added, world.Modified, world.Modified, world.Deleted}).Draw(t, "op"), drawDeviceObject(t))
			}
			for _, pane := range []views.PaneID{views.DevicesPane, views.DeviceClaimsPane} {
				if diff := gocmp.Diff(devicesOf(collect.New(collect.Options{}), e, pane), devicesOf(kept, e, pane), gocmp.AllowUnexported(views.Devices{})); diff != "" {
					t.Fatalf("pane %s (-read again +kept):\n%s", pane, diff)
				}
			}
		}
	})
}

func drawDeviceObject(t *rapid.T) world.Object {
	pick := func(label string, names ...string) string { return rapid.SampledFrom(names).Draw(t, label) }
	pool, device, claim := pick("pool", "n1", "n2"), pick("device", "a", "b", "c"), pick("claim", "x", "y", "z")
	switch pick("kind", "slice", "slice", "rule", "claim", "claim", "claim", "pod", "pod", "class") {
	case "slice":
		b := mk.ResourceSlice("slice-"+pick("slice", "1", "2")+pool, gpus, pool).Pool(int64(rapid.IntRange(1, 2).Draw(t, "generation")), int64(rapid.IntRange(1, 2).Draw(t, "slices")))
		if rapid.Bool().Draw(t, "on a node") {
			b.Node(pool)
		} else {
			b.AllNodes()
		}
		b.Devices(device)
		if rapid.Bool().Draw(t, "tainted") {
			b.Taint("k", resourcev1.DeviceTaintEffect(pick("effect", "NoSchedule", "NoExecute")))
		}
		return b.Obj()
	case "rule":
		rule := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule-" + claim}}
		rule.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{Device: &device}
		rule.Spec.Taint = resourcev1alpha3.DeviceTaint{Key: "r", Effect: resourcev1alpha3.DeviceTaintEffect(pick("effect", "None", "NoSchedule", "NoExecute"))}
		return rule
	case "claim":
		b := mk.ResourceClaim(claim).Request("gpu", "gpu", 1)
		if rapid.Bool().Draw(t, "allocated") {
			b.Allocated(pool, "gpu", gpus, pool, device)
			if rapid.Bool().Draw(t, "reserved") {
				b.ReservedFor("pod-" + claim)
			}
		}
		return b.Obj()
	case "class":
		return mk.DeviceClass("gpu")
	}
	if rapid.Bool().Draw(t, "to schedule") {
		return mk.Pod("pod-" + claim).CPU("100m").ResourceClaim(claim).Obj()
	}
	return mk.Pod("held-" + claim).ResourceClaim(claim).Gate("hold").Obj()
}

// Orders of the list have the same devices, and a filter finds them by node, model, state and holder.
func TestDevices_FilterAndSort(t *testing.T) {
	e, c := deviceCluster(t, deviceObjects()...), collect.New(collect.Options{})
	for text, want := range map[string][]string{
		"partitioned": {"n"}, "H100": {"n"}, "incomplete": {"fabric"}, "fabric": {"fabric"}, "pod-plain": {"n"}, "unknown": nil, "nic": {"fabric"},
	} {
		var got []string
		for _, r := range c.Model(e, collect.Query{Open: views.DevicesPane, Rows: 100, Filter: mustFilter(t, text)}).Devices.List.Rows {
			got = append(got, r.Pool)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
	for _, pane := range []views.PaneID{views.DevicesPane, views.DeviceClaimsPane} {
		for _, sort := range views.PaneOf(pane).Sorts() {
			v := c.Model(e, collect.Query{Open: pane, Rows: 100, Sort: sort}).Devices
			if len(v.List.Rows)+len(v.ClaimList.Rows) != map[views.PaneID]int{views.DevicesPane: 2, views.DeviceClaimsPane: 14}[pane] {
				t.Errorf("by %s there are %d rows and %d claims", sort, len(v.List.Rows), len(v.ClaimList.Rows))
			}
		}
	}
	for text, want := range map[string]int{"pending": 1, "reserved": 4, "part-1": 1, "-n shop": 0, "rejected": 1} {
		if v := c.Model(e, collect.Query{Open: views.DeviceClaimsPane, Rows: 100, Filter: mustFilter(t, text)}).Devices; len(v.ClaimList.Rows) != want {
			t.Errorf("%q finds %d claims, want %d", text, len(v.ClaimList.Rows), want)
		}
	}
}

// The health names the device that evicts pods, and counts the claims without devices.
func TestDevices_Health(t *testing.T) {
	h := collect.New(collect.Options{}).Model(deviceCluster(t, deviceObjects()...), collect.Query{}).Header.Health
	if h.Evicting != 1 || h.EvictingPods != 1 || h.OneEvicting != "n evicting" || h.UnmetClaims != 1 || h.Reading {
		t.Errorf("the health is %+v", h)
	}
}
