package devices_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// fixture is a state with its store.
type fixture struct {
	t *testing.T
	*store.Store
	*devices.State
}

func newFixture(t *testing.T, gates devices.Gates, objects ...world.Object) *fixture {
	t.Helper()
	s := store.New()
	f := &fixture{t, s, devices.New(s, gates)}
	for _, o := range objects {
		f.change(world.Added, o)
	}
	return f
}

// change applies a change, and checks the state after it.
func (f *fixture) change(op world.Op, o world.Object) {
	f.t.Helper()
	deltas, err := f.Store.Apply(world.Changed{Op: op, Object: o})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, d := range deltas {
		f.Changed(d)
	}
	f.check()
}

func (f *fixture) check() {
	f.t.Helper()
	if err := f.Check(); err != nil {
		f.t.Error(err)
	}
}

// wants compares the devices that are taken, in order.
func (f *fixture) wants(when string, want ...string) {
	f.t.Helper()
	f.check()
	var got []string
	for id := range f.Allocated().Devices {
		got = append(got, id.String())
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Errorf("%s, the taken devices (-want +got):\n%s", when, diff)
	}
}

func pending() *resourcev1.ResourceClaim { return mk.ResourceClaim("c").Request("gpu", "gpu", 1).Obj() }

// with returns a claim that has a device of driver d.
func with(name, device string) *resourcev1.ResourceClaim {
	return mk.ResourceClaim(name).Request("gpu", "gpu", 1).Allocated("n", "gpu", "d", "p", device).Obj()
}

func version(claim *resourcev1.ResourceClaim, number string) *resourcev1.ResourceClaim {
	claim.ResourceVersion = number
	return claim
}

func TestState_FromInFlightToStored(t *testing.T) {
	f := newFixture(t, devices.Gates{}, version(pending(), "1"), with("other", "2"))
	uid := pending().UID
	f.wants("before", "d/p/2")
	f.SetInFlight(uid, with("c", "1"))
	f.wants("in flight", "d/p/1", "d/p/2")
	if f.InFlight(uid) == nil || f.Claim("default", "c").Status.Allocation != nil {
		t.Error("a claim in flight has its devices before they are written")
	}
	if in := f.InFlightClaims(); len(in) != 1 || in[0] != f.InFlight(uid) {
		t.Errorf("the claims in flight are %v", in)
	}
	if err := f.Assume(with("c", "1"), ""); err != nil {
		t.Fatal(err)
	}
	if !f.RemoveInFlight(uid) || f.RemoveInFlight(uid) {
		t.Error("a claim is in flight until it is removed, once")
	}
	f.wants("assumed", "d/p/1", "d/p/2")
	if names := f.AssumedClaims(); !slices.Equal(names, []types.NamespacedName{{Namespace: "default", Name: "c"}}) || len(f.InFlightClaims()) != 0 {
		t.Errorf("the assumed claims are %v, and in flight are %v", names, f.InFlightClaims())
	}
	finalized := version(pending(), "2")
	finalized.Finalizers = []string{resourcev1.Finalizer}
	f.change(world.Modified, finalized)
	f.wants("with the finalizer", "d/p/1", "d/p/2")
	if got := f.Claim("default", "c"); got.Status.Allocation == nil || got.ResourceVersion != "2" {
		t.Errorf("the assumed claim is %+v, want the store's version with devices", got)
	}
	f.change(world.Modified, version(with("c", "1"), "3"))
	if _, _, assumed := f.Pending(); assumed != 0 {
		t.Error("a claim that the store shows with devices is still assumed")
	}
	f.wants("stored", "d/p/1", "d/p/2")
	f.change(world.Modified, version(pending(), "4"))
	f.wants("deallocated", "d/p/2")
	f.change(world.Deleted, with("other", "2"))
	f.wants("with the other one deleted")
}

func TestState_EndsAssumption(t *testing.T) {
	replaced := version(pending(), "5")
	replaced.UID = "another"
	for name, end := range map[string]func(*fixture){
		"the claim is deleted":       func(f *fixture) { f.change(world.Deleted, version(pending(), "5")) },
		"the claim is replaced":      func(f *fixture) { f.change(world.Added, replaced) },
		"the scheduler restores it":  func(f *fixture) { f.Restore("default", "c") },
		"another device is found in": func(f *fixture) { f.change(world.Modified, version(with("c", "3"), "5")) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, devices.Gates{}, version(pending(), "1"))
			if err := f.Assume(with("c", "1"), ""); err != nil {
				t.Fatal(err)
			}
			end(f)
			if name == "another device is found in" {
				f.wants("then", "d/p/3")
			} else {
				f.wants("then")
			}
			if _, _, assumed := f.Pending(); assumed != 0 {
				t.Error("it is still assumed")
			}
		})
	}
}

// A version after the written one ends the assumption, even if the devices are gone by then: a list may skip versions.
func TestState_EndsAssumptionAtLaterVersion(t *testing.T) {
	f := newFixture(t, devices.Gates{}, version(pending(), "1"))
	if err := f.Assume(with("c", "1"), "10"); err != nil {
		t.Fatal(err)
	}
	f.change(world.Modified, version(pending(), "9"))
	f.wants("at an earlier version", "d/p/1")
	f.change(world.Modified, version(pending(), "11"))
	f.wants("at a later version")
	if err := f.Assume(with("c", "1"), "10"); err != nil {
		t.Fatal(err)
	}
	f.wants("assumed when the store is ahead")
}

func TestState_AssumeErrors(t *testing.T) {
	f := newFixture(t, devices.Gates{})
	if err := f.Assume(with("c", "1"), ""); err == nil || !strings.Contains(err.Error(), `"default/c" not found`) {
		t.Errorf("a claim that the store does not have: %v", err)
	}
	other := pending()
	other.UID = "other"
	f.change(world.Added, other)
	if err := f.Assume(with("c", "1"), ""); err == nil || !strings.Contains(err.Error(), "was replaced") {
		t.Errorf("a claim that was replaced: %v", err)
	}
	f.wants("then")
}

// A device that two claims have, by mistake, stays taken until both are gone; one for administration is not taken.
func TestState_CountsClaimsOfDevice(t *testing.T) {
	admin := with("admin", "9")
	admin.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	f := newFixture(t, devices.Gates{}, with("a", "1"), with("b", "1"), with("c", "1"), admin)
	for _, name := range []string{"a", "c", "b"} {
		f.wants("with claims left", "d/p/1")
		f.change(world.Deleted, with(name, "1"))
	}
	f.wants("without")
}

// Shows DRA-36.
func TestState_SharedCapacity(t *testing.T) {
	sharing := func(name, share, amount string) *resourcev1.ResourceClaim {
		claim := with(name, "nic")
		result := &claim.Status.Allocation.Devices.Results[0]
		result.ShareID = ptr.To(types.UID(share))
		result.ConsumedCapacity = map[resourcev1.QualifiedName]resource.Quantity{"bandwidth": resource.MustParse(amount)}
		return claim
	}
	f := newFixture(t, devices.Gates{ConsumableCapacity: true}, sharing("a", "1", "1G"), sharing("b", "2", "2G"))
	f.SetInFlight("c", sharing("c", "3", "4G"))
	f.wants("shared devices are not taken")
	all := f.Allocated()
	for _, capacity := range all.Capacity {
		if got := capacity["bandwidth"]; got.Cmp(resource.MustParse("7G")) != 0 {
			t.Errorf("%s of the bandwidth is taken, want 7G", got.String())
		}
	}
	if len(all.Capacity) != 1 || len(all.Shared) != 1 {
		t.Errorf("%d devices are shared, with %d shares in flight; want 1 and 1", len(all.Capacity), len(all.Shared))
	}
	f.RemoveInFlight("c")
	f.change(world.Deleted, sharing("a", "1", "1G"))
	f.change(world.Deleted, sharing("b", "2", "2G"))
	if n := len(f.Allocated().Capacity); n > 0 {
		t.Errorf("%d devices are shared by no claim", n)
	}
	off := newFixture(t, devices.Gates{}, sharing("a", "1", "1G"))
	off.wants("with the gate off", "d/p/nic")
}

// Up to 1.35 a part without capacity counts only until its claim is written; from 1.36 on, as long as the claim has it.
func TestState_PartsWithoutCapacity(t *testing.T) {
	part := with("a", "nic")
	part.Status.Allocation.Devices.Results[0].ShareID = ptr.To[types.UID]("1")
	for _, r := range release.All() {
		f := newFixture(t, devices.Gates{ConsumableCapacity: true, AllocatedParts: release.AllocatedPartsShared.In(r)}, part)
		f.wants("the device is not taken")
		_, shared := f.Allocated().Shared[allocate.MakeDeviceID("d", "p", "nic")]
		if want := r >= release.V136; shared != want {
			t.Errorf("in %s the device is shared: %v, want %v", r, shared, want)
		}
		f.SetInFlight("b", part)
		if n := len(f.Allocated().Shared); n != 1 {
			t.Errorf("in %s, %d devices are shared while a part is in flight, want 1", r, n)
		}
	}
}

func rule(name string, selector *resourcev1alpha3.DeviceTaintSelector) *resourcev1alpha3.DeviceTaintRule {
	return &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1alpha3.DeviceTaintRuleSpec{
		DeviceSelector: selector, Taint: resourcev1alpha3.DeviceTaint{Key: name, Effect: resourcev1alpha3.DeviceTaintEffectNoSchedule},
	}}
}

func (f *fixture) taints() []string {
	var all []string
	for _, slice := range f.Slices() {
		for _, d := range slice.Spec.Devices {
			for _, taint := range d.Taints {
				all = append(all, d.Name+" "+taint.Key)
			}
		}
	}
	return all
}

// Up to 1.36 a rule without a selector taints every device.
func TestSlices_RuleWithoutSelector(t *testing.T) {
	for need, want := range map[bool][]string{false: {"1 all", "1 device"}, true: {"1 device"}} {
		f := newFixture(t, devices.Gates{DeviceTaintRules: true, RulesNeedSelector: need}, mk.ResourceSlice("s", "d", "p").Node("n").Devices("1").Obj(),
			rule("all", nil), rule("device", &resourcev1alpha3.DeviceTaintSelector{Device: ptr.To("1")}))
		if diff := cmp.Diff(want, f.taints()); diff != "" {
			t.Errorf("rules need a selector: %v; taints (-want +got):\n%s", need, diff)
		}
		if on := f.RulesOn(f.Slice("s"), "1"); len(on) != len(want) {
			t.Errorf("rules need a selector: %v; %d rules are said to taint the device, want %d", need, len(on), len(want))
		}
	}
}

// Shows DRA-47, DRA-48 and DRA-49.
func TestSlices_HaveTaintsOfRules(t *testing.T) {
	slice := mk.ResourceSlice("s", "d", "p").Node("n").Devices("1").Taint("own", resourcev1.DeviceTaintEffectNoSchedule).Devices("2").Obj()
	before := slice.DeepCopy()
	rules := []world.Object{
		rule("all", nil), rule("device", &resourcev1alpha3.DeviceTaintSelector{Device: ptr.To("2")}),
		rule("driver", &resourcev1alpha3.DeviceTaintSelector{Driver: ptr.To("d"), Pool: ptr.To("p")}),
		rule("elsewhere", &resourcev1alpha3.DeviceTaintSelector{Driver: ptr.To("d"), Pool: ptr.To("q")}),
	}
	want := []string{"1 own", "1 all", "1 driver", "2 all", "2 device", "2 driver"}
	f := newFixture(t, devices.Gates{DeviceTaintRules: true}, append(slices.Clone(rules), slice)...)
	if diff := cmp.Diff(want, f.taints()); diff != "" {
		t.Errorf("the slice after the rules (-want +got):\n%s", diff)
	}
	f = newFixture(t, devices.Gates{DeviceTaintRules: true}, append([]world.Object{slice}, rules...)...)
	if diff := cmp.Diff(want, f.taints()); diff != "" {
		t.Errorf("the slice before the rules (-want +got):\n%s", diff)
	}
	for _, o := range rules {
		f.change(world.Deleted, o)
	}
	if diff := cmp.Diff([]string{"1 own"}, f.taints()); diff != "" {
		t.Errorf("without rules (-want +got):\n%s", diff)
	}
	f.change(world.Deleted, slice)
	if len(f.Slices()) > 0 {
		t.Error("a deleted slice is still listed")
	}
	off := newFixture(t, devices.Gates{}, append(rules, slice)...)
	if diff := cmp.Diff([]string{"1 own"}, off.taints()); diff != "" {
		t.Errorf("with the gate off (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, slice); diff != "" {
		t.Errorf("the store's slice was changed:\n%s", diff)
	}
}

// A slice by its name has the same taints, and the rules that add them are known.
func TestSlice_ByName(t *testing.T) {
	rule := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "broken"}}
	rule.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{Device: ptr.To("b")}
	rule.Spec.Taint = resourcev1alpha3.DeviceTaint{Key: "k", Effect: resourcev1alpha3.DeviceTaintEffectNoExecute}
	f := newFixture(t, devices.Gates{DeviceTaintRules: true}, mk.ResourceSlice("s", "d", "p").Devices("a", "b").Obj(), mk.ResourceSlice("t", "d", "q").Devices("a").Obj(), rule)
	slice := f.Slice("s")
	if slice != f.Slice("s") || len(slice.Spec.Devices[0].Taints) != 0 || len(slice.Spec.Devices[1].Taints) != 1 {
		t.Errorf("the slice is %+v", slice)
	}
	if on := f.RulesOn(slice, "b"); len(on) != 1 || on[0].Name != "broken" || f.RulesOn(slice, "a") != nil {
		t.Errorf("the rules are %v and %v", on, f.RulesOn(slice, "a"))
	}
	if len(f.Slice("t").Spec.Devices[0].Taints) != 0 || f.Slice("u") != nil {
		t.Errorf("the other slices are %v and %v", f.Slice("t"), f.Slice("u"))
	}
}

func TestClassOf_NewestHasResource(t *testing.T) {
	const gpu v1.ResourceName = "example.com/gpu"
	class := func(name string, created int64) *resourcev1.DeviceClass {
		c := mk.DeviceClass(name)
		c.CreationTimestamp, c.Spec.ExtendedResourceName = metav1.NewTime(time.Unix(created, 0)), ptr.To(string(gpu))
		return c
	}
	f := newFixture(t, devices.Gates{ExtendedResources: true}, class("b", 1), class("a", 2), class("c", 2))
	for _, want := range []string{"a", "c", "b"} {
		if got := f.ClassOf(gpu); got == nil || got.Name != want {
			t.Fatalf("the resource's class is %v, want %s", got, want)
		}
		if got := f.ClassOf(v1.ResourceName(resourcev1.ResourceDeviceClassPrefix + want)); got == nil || got.Name != want {
			t.Errorf("the class %s has no resource of its own name: %v", want, got)
		}
		f.change(world.Deleted, class(want, 0))
	}
	if f.ClassOf(gpu) != nil {
		t.Error("a resource without classes has one")
	}
	if off := newFixture(t, devices.Gates{}, class("a", 1)); off.ClassOf(gpu) != nil {
		t.Error("with the gate off, the resource has a class")
	}
}

func TestFork_IsIndependent(t *testing.T) {
	f := newFixture(t, devices.Gates{DeviceTaintRules: true}, pending(), mk.ResourceSlice("s", "d", "p").Node("n").Devices("1").Obj())
	f.SetInFlight(pending().UID, with("c", "1"))
	forked := f.Store.Fork()
	twin := &fixture{t, forked, f.State.Fork(forked)}
	twin.wants("the fork begins with", "d/p/1")
	if err := twin.Assume(with("c", "2"), ""); err != nil {
		t.Fatal(err)
	}
	twin.RemoveInFlight(pending().UID)
	twin.change(world.Added, rule("r", nil))
	twin.wants("the fork", "d/p/2")
	f.wants("the original", "d/p/1")
	if len(f.taints()) > 0 || len(twin.taints()) != 1 {
		t.Errorf("taints %v, and in the fork %v", f.taints(), twin.taints())
	}
}

// Everything that a plugin of kube-scheduler decides through the manager is in the state, and what it gets is its own.
func TestManager_ServesState(t *testing.T) {
	f := newFixture(t, devices.Gates{ExtendedResources: true}, pending(), mk.DeviceClass("gpu"), mk.ResourceSlice("s", "d", "p").Node("n").Devices("1").Obj())
	m := devices.NewManager(f.State)
	claims := m.ResourceClaims()
	if err := claims.SignalClaimPendingAllocation(pending().UID, with("c", "1")); err != nil || claims.GetPendingAllocation(pending().UID) == nil {
		t.Errorf("the claim is not in flight: %v", err)
	}
	ids, err := claims.ListAllAllocatedDevices()
	if err != nil || len(ids) != 1 {
		t.Errorf("%d devices are allocated (%v), want the one in flight", len(ids), err)
	}
	clear(ids)
	all, err := claims.GatherAllocatedState()
	if err != nil || len(all.AllocatedDevices) != 1 {
		t.Errorf("the allocated state is %+v (%v)", all, err)
	}
	clear(all.AllocatedDevices)
	f.wants("in flight", "d/p/1")
	if err := claims.AssumeClaimAfterAPICall(with("c", "1")); err != nil {
		t.Error(err)
	}
	claim, err := claims.Get("default", "c")
	if listed, _ := claims.List(); err != nil || claim.Status.Allocation == nil || len(listed) != 1 || listed[0] != claim {
		t.Errorf("the claim is %+v (%v), and %d are listed", claim, err, len(listed))
	}
	claims.AssumedClaimRestore("default", "c")
	claims.MaybeRemoveClaimPendingAllocation(pending().UID, true)
	f.wants("restored")
	if _, err := claims.Get("default", "none"); err == nil || err.Error() != `could not find ResourceClaim "default/none"` {
		t.Errorf("no claim: %v", err)
	}
	if list, err := m.ResourceSlices().ListWithDeviceTaintRules(); err != nil || len(list) != 1 {
		t.Errorf("%d slices (%v)", len(list), err)
	}
	if class, err := m.DeviceClasses().Get("gpu"); err != nil || class.Name != "gpu" {
		t.Errorf("the class is %v (%v)", class, err)
	}
	if _, err := m.DeviceClasses().Get("none"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("no class: %v", err)
	}
	if list, err := m.DeviceClasses().List(); err != nil || len(list) != 1 {
		t.Errorf("%d classes (%v)", len(list), err)
	}
	if class := m.DeviceClassResolver().GetDeviceClass("deviceclass.resource.kubernetes.io/gpu"); class == nil {
		t.Error("the class has no resource")
	}
}

func TestGeneration_ChangesWithDevices(t *testing.T) {
	f := newFixture(t, devices.Gates{}, pending())
	for name, change := range map[string]func(){
		"a slice":        func() { f.change(world.Added, mk.ResourceSlice("s", "d", "p").Obj()) },
		"a class":        func() { f.change(world.Added, mk.DeviceClass("gpu")) },
		"a claim":        func() { f.change(world.Added, mk.ResourceClaim("other").Obj()) },
		"one in flight":  func() { f.SetInFlight("u", with("c", "1")) },
		"an assumed one": func() { _ = f.Assume(with("c", "1"), "") },
	} {
		before := f.Generation()
		if change(); f.Generation() == before {
			t.Errorf("%s does not change the generation", name)
		}
	}
	before := f.Generation()
	f.change(world.Added, mk.Node("n").Obj())
	if f.Generation() != before {
		t.Error("a node changes the generation")
	}
}

func TestClaimNames(t *testing.T) {
	made, template := "made", "template"
	pod := mk.Pod("p").ResourceClaim("mine").Obj()
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: "made", ResourceClaimTemplateName: &template},
		v1.PodResourceClaim{Name: "unmade", ResourceClaimTemplateName: &template}, v1.PodResourceClaim{Name: "unneeded", ResourceClaimTemplateName: &template})
	pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "made", ResourceClaimName: &made}, {Name: "unneeded"}}
	if diff := cmp.Diff([]string{"mine", "made"}, devices.ClaimNames(pod)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
