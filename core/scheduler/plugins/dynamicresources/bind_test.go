package dynamicresources_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices/outcome"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// binding is the binding of a pod to a node.
type binding struct {
	*fixture
	cycle *framework.CycleState
	pod   *v1.Pod
	last  framework.PreBindStep
}

// bind places a pod on a node, up to Reserve.
func (f *fixture) bind(pod *v1.Pod, node *v1.Node) *binding {
	f.t.Helper()
	state, rejected := f.cycle(pod)
	if rejected == "" {
		rejected = f.filter(state, pod, node)
	}
	if status := f.plugin.Reserve(f.t.Context(), state, pod, node.Name); rejected != "" || !status.IsSuccess() {
		f.t.Fatalf("the pod is not placed: %s%s", rejected, text(status))
	}
	return &binding{fixture: f, cycle: state, pod: pod}
}

// step takes a step of PreBind and says what it is.
func (b *binding) step(outcome *world.Outcome) string {
	b.t.Helper()
	b.last = b.plugin.PreBindStep(b.cycle, b.pod, "n", b.now, outcome)
	if err := b.state.Check(); err != nil {
		b.t.Error(err)
	}
	switch {
	case b.last.Action != nil:
		return written(b.last.Action)
	case b.last.Wait != nil:
		return fmt.Sprintf("wait %v", b.last.Wait.Until.Sub(b.now))
	case b.last.Status.IsSuccess():
		return "done"
	}
	return b.last.Status.Message()
}

// succeed has the last write succeed, and the store show it.
func (b *binding) succeed() string {
	b.t.Helper()
	act := b.last.Action
	result := b.step(&world.Outcome{})
	b.show(act)
	return result
}

// show has the store show a write.
func (b *binding) show(act world.Action) {
	b.t.Helper()
	for _, event := range outcome.Of(act, b.store) {
		changed := event.(world.Changed)
		b.apply(changed.Op, changed.Object)
	}
}

func written(act world.Action) string {
	switch act := act.(type) {
	case world.ReserveResourceClaim:
		devices := "no new devices"
		if act.Allocation != nil {
			devices = deviceNames(&resourcev1.ResourceClaim{Status: resourcev1.ResourceClaimStatus{Allocation: act.Allocation}})
		}
		return fmt.Sprintf("reserve %s: %s", act.Claim.Name, devices)
	case world.UnreserveResourceClaim:
		return "unreserve " + act.Claim.Name
	case world.DeallocateResourceClaim:
		return "deallocate " + act.Claim.Name
	case world.CreateResourceClaim:
		return "create " + act.Claim.Name
	case world.DeleteResourceClaim:
		return "delete " + act.Claim.Name
	case world.PatchStatus:
		return "tell " + act.ExtendedResources.ResourceClaimName
	}
	return fmt.Sprintf("%T", act)
}

// end runs Unreserve and lists its effects.
func (b *binding) end() string {
	b.t.Helper()
	b.emitted = nil
	b.plugin.Unreserve(b.t.Context(), b.cycle, b.pod, "n")
	if err := b.state.Check(); err != nil {
		b.t.Error(err)
	}
	var all []string
	for _, act := range b.emitted {
		all = append(all, written(act))
	}
	return strings.Join(all, ", ")
}

func wants(t *testing.T, what, want, got string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func refused(reason metav1.StatusReason, message string) *world.Outcome {
	return &world.Outcome{Code: fwk.Error, Reason: reason, Message: message}
}

func taken(f *fixture) int { return len(f.state.Allocated().Devices) }

func TestPreBind_ReservesClaims(t *testing.T) {
	shared := mk.ResourceClaim("shared").Allocated("n", "gpu", driver, "a", "1").ReservedFor("bob").Obj()
	f := newFixture(t, "", append(gpus(), claim().Request("gpu", "gpu", 1).Obj(), shared)...)
	pod := mk.Pod("ada").ResourceClaim("shared").ResourceClaim("c").Obj()
	b := f.bind(pod, mk.Node("n").Obj())
	if f.state.InFlight(claim().Obj().UID) == nil || taken(f) != 2 {
		t.Errorf("%d devices are taken, and the claim is in flight: %v", taken(f), f.state.InFlight(claim().Obj().UID))
	}
	flight, status := f.plugin.PreBindPreFlight(t.Context(), b.cycle, pod, "n")
	if wants(t, "PreBindPreFlight", "", text(status)); !flight.AllowParallel {
		t.Error("it does not run beside others")
	}
	wants(t, "first", "reserve shared: no new devices", b.step(nil))
	wants(t, "second", "reserve c: gpu=a/2", b.succeed())
	act := b.last.Action
	wants(t, "third", "done", b.step(&world.Outcome{}))
	if got := f.state.Claim("default", "c"); got.Status.Allocation == nil || len(got.Status.ReservedFor) != 1 || f.state.InFlight(got.UID) != nil {
		t.Errorf("the claim that was written is %+v", got.Status)
	}
	b.show(act)
	if inFlight, _, assumed := f.state.Pending(); inFlight+assumed > 0 || taken(f) != 2 {
		t.Errorf("%d claims are in flight, %d assumed, and %d devices taken", inFlight, assumed, taken(f))
	}
	wants(t, "Unreserve", "unreserve shared, unreserve c", b.end())
}

// A claim that is reserved for the pod already, from an attempt before, is not written again.
func TestPreBind_SkipsReservedClaim(t *testing.T) {
	f := newFixture(t, "", append(gpus(), claim().Allocated("n", "gpu", driver, "a", "1").ReservedFor("ada").Obj())...)
	b := f.bind(user(), mk.Node("n").Obj())
	wants(t, "first", "done", b.step(nil))
	wants(t, "Unreserve", "unreserve c", b.end())
}

// Every failure leaves no device taken that is not written.
func TestPreBind_FailuresFreeDevices(t *testing.T) {
	for name, tt := range map[string]struct {
		held      *resourcev1.ResourceClaim
		outcome   *world.Outcome
		want      string
		unreserve string
		taken     int
	}{
		"refused": {
			claim().Request("gpu", "gpu", 1).Obj(), refused(metav1.StatusReasonInvalid, "claim default/c got allocated elsewhere in the meantime"),
			"claim default/c got allocated elsewhere in the meantime", "", 0,
		},
		"without an answer": {claim().Request("gpu", "gpu", 1).Obj(), refused(metav1.StatusReasonTimeout, "no answer"), "no answer", "unreserve c", 0},
		"refused to share": {
			claim().Allocated("n", "gpu", driver, "a", "1").Obj(), refused(metav1.StatusReasonInvalid, "too many users"), "too many users", "", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "", append(gpus(), tt.held)...)
			b := f.bind(user(), mk.Node("n").Obj())
			b.step(nil)
			wants(t, "the failure", tt.want, b.step(tt.outcome))
			wants(t, "Unreserve", tt.unreserve, b.end())
			b.answer(world.Outcome{})
			if taken(f) != tt.taken {
				t.Errorf("%d devices are taken, want %d", taken(f), tt.taken)
			}
		})
	}
}

// The data of a binding is not changed by its steps: forks share it.
func TestPreBind_StepsCopyState(t *testing.T) {
	f := newFixture(t, "", append(gpus(), claim().Request("gpu", "gpu", 1).Obj())...)
	b := f.bind(user(), mk.Node("n").Obj())
	fork := &binding{fixture: f, cycle: b.cycle.Clone().(*framework.CycleState), pod: b.pod}
	wants(t, "the original", "reserve c: gpu=a/1", b.step(nil))
	wants(t, "Unreserve of the fork", "", fork.end())
}

const conditionGates = "DRADeviceBindingConditions"

// prepared is a device that has to be attached to its node.
func prepared() []world.Object {
	slice := mk.ResourceSlice("s", driver, "p").Node("n").Devices("1").Obj()
	slice.Spec.Devices[0].BindingConditions = []string{"attached"}
	slice.Spec.Devices[0].BindingFailureConditions = []string{"failed"}
	return []world.Object{mk.DeviceClass("gpu"), slice, claim().Request("gpu", "gpu", 1).Obj()}
}

// setCondition sets a condition of the claim's device.
func (f *fixture) setCondition(condition string, status metav1.ConditionStatus) {
	f.t.Helper()
	next := f.state.StoredClaim("default", "c").DeepCopy()
	next.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: driver, Pool: "p", Device: "1", Conditions: []metav1.Condition{
		{Type: condition, Status: status, Reason: "Why", Message: "because"},
	}}}
	f.apply(world.Modified, next)
}

// Shows DRA-54 and DRA-56.
func TestPreBind_WaitsForDevices(t *testing.T) {
	for name, tt := range map[string]struct {
		then func(*binding)
		want string
	}{
		"nothing changes": {func(b *binding) { b.now = b.now.Add(10 * time.Minute) }, "device binding timeout"},
		"it is attached":  {func(b *binding) { b.setCondition("attached", metav1.ConditionTrue) }, "done"},
		"not yet":         {func(b *binding) { b.now = b.now.Add(time.Minute); b.setCondition("attached", metav1.ConditionFalse) }, "wait 9m0s"},
		"it has failed":   {func(b *binding) { b.setCondition("failed", metav1.ConditionTrue) }, `claim c binding failed: reason=Why, message="because"`},
		"the claim is gone": {
			func(b *binding) { b.apply(world.Deleted, b.state.StoredClaim("default", "c")) }, `could not find ResourceClaim "default/c"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, conditionGates, prepared()...)
			b := f.bind(user(), mk.Node("n").Obj())
			b.step(nil)
			wants(t, "after the write", "wait 10m0s", b.succeed())
			if diff := cmp.Diff([]string{"BindingConditionsPending: waiting for binding conditions for device on node n"}, f.announced); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if at := f.state.Claim("default", "c").Status.Allocation.AllocationTimestamp; at == nil || !at.Time.Equal(dawn) {
				t.Errorf("the allocation is of %v, want %v", at, dawn)
			}
			tt.then(b)
			wants(t, "then", tt.want, b.step(nil))
			if len(f.announced) != 1 {
				t.Errorf("%d events", len(f.announced))
			}
		})
	}
}

// A claim whose devices failed, or whose time is over, is deallocated to try other devices.
// Shows DRA-55.
func TestPostFilter_DeallocatesFailedDevices(t *testing.T) {
	for name, tt := range map[string]struct {
		then   func(*fixture)
		filter string
	}{
		"in time":          {func(*fixture) {}, ""},
		"the time is over": {func(f *fixture) { f.now = f.now.Add(10*time.Minute + 1) }, "UnschedulableAndUnresolvable: resourceclaim not available on the node"},
		"the device failed": {
			func(f *fixture) { f.setCondition("failed", metav1.ConditionTrue) }, "UnschedulableAndUnresolvable: resourceclaim not available on the node",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, conditionGates, prepared()...)
			b := f.bind(user(), mk.Node("n").Obj())
			b.step(nil)
			b.succeed()
			b.end()
			tt.then(f)
			state, _ := f.cycle(user())
			wants(t, "Filter", tt.filter, f.filter(state, user(), mk.Node("n").Obj()))
			f.emitted = nil
			_, status := f.plugin.PostFilter(t.Context(), state, user(), nil)
			if tt.filter == "" {
				wants(t, "PostFilter", "Unschedulable: still not schedulable", text(status))
				return
			}
			wants(t, "PostFilter", "Unschedulable: deallocation of ResourceClaim completed", text(status))
			if len(f.emitted) != 1 || written(f.emitted[0]) != "deallocate c" {
				t.Errorf("effects %+v", f.emitted)
			}
		})
	}
}

func TestPostFilter_KeepsClaimsOfOthers(t *testing.T) {
	for name, tt := range map[string]struct {
		users []string
		want  string
	}{
		"no users":        {nil, "deallocation of ResourceClaim completed"},
		"the pod itself":  {[]string{"ada"}, "deallocation of ResourceClaim completed"},
		"another pod":     {[]string{"bob"}, "still not schedulable"},
		"another one too": {[]string{"ada", "bob"}, "still not schedulable"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "", append(gpus(), claim().Allocated("m", "gpu", driver, "c", "5").ReservedFor(tt.users...).Obj())...)
			state, _ := f.cycle(user())
			f.filter(state, user(), mk.Node("n").Obj())
			_, status := f.plugin.PostFilter(t.Context(), state, user(), nil)
			wants(t, "PostFilter", "Unschedulable: "+tt.want, text(status))
			if emits := tt.want != "still not schedulable"; emits != (len(f.emitted) == 1) {
				t.Errorf("effects %+v", f.emitted)
			}
		})
	}
}

// A pod whose claim was not deallocated is tried again, unless it is gone.
func TestEffectDone_RetriesAfterFailure(t *testing.T) {
	deallocation := world.DeallocateResourceClaim{Pod: world.PodRefOf(user())}
	for name, tt := range map[string]struct {
		act     world.Action
		outcome *world.Outcome
		want    int
	}{
		"deallocated":          {deallocation, &world.Outcome{}, 0},
		"not deallocated":      {deallocation, refused(metav1.StatusReasonConflict, "changed"), 1},
		"not deleted":          {world.DeleteResourceClaim{Pod: world.PodRefOf(user())}, refused("", "forbidden"), 1},
		"not unreserved":       {world.UnreserveResourceClaim{Pod: world.PodRefOf(user())}, refused("", "gone"), 0},
		"another pod's by now": {world.DeallocateResourceClaim{Pod: world.PodRef{Namespace: "default", Name: "ada", UID: "other"}}, refused("", "changed"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "", user())
			f.plugin.EffectDone(1, tt.act, *tt.outcome)
			if len(f.activated) != tt.want {
				t.Errorf("%d pods are activated, want %d", len(f.activated), tt.want)
			}
		})
	}
}

// Shows DRA-19.
func TestScore_PrefersEarlyAlternatives(t *testing.T) {
	f := newFixture(t, "", append(gpus(), claim().First("x", "big", "gpu").First("y", "big", "gpu").Obj(), mk.ResourceSlice("s6", driver, "d").Node("m").Devices("6").Attribute("model", "small").Obj())...)
	state, _ := f.cycle(user())
	scores := fwk.NodeScoreList{}
	for _, node := range []*v1.Node{mk.Node("n").Obj(), mk.Node("m").Obj()} {
		wants(t, "Filter", "", f.filter(state, user(), node))
		score, status := f.plugin.Score(t.Context(), state, user(), nodeInfo(node))
		if !status.IsSuccess() {
			t.Fatal(text(status))
		}
		scores = append(scores, fwk.NodeScore{Name: node.Name, Score: score})
	}
	if diff := cmp.Diff(fwk.NodeScoreList{{Name: "n", Score: 15}, {Name: "m", Score: 14}}, scores); diff != "" {
		t.Errorf("raw scores (-want +got):\n%s", diff)
	}
	f.plugin.ScoreExtensions().NormalizeScore(t.Context(), state, user(), scores)
	if diff := cmp.Diff(fwk.NodeScoreList{{Name: "n", Score: 100}, {Name: "m", Score: 93}}, scores); diff != "" {
		t.Errorf("normalized scores (-want +got):\n%s", diff)
	}
}
