package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// A nomination that was written while the pod was being bound is cleared when that fails, if the failure is compared with the current pod.
func TestFailureOfCurrentPod_ClearsNewerNomination(t *testing.T) {
	for r, clears := range map[release.Release]bool{release.V135: false, release.V136: true, release.V137: true} {
		s := newFixture(t, engine.Options{Config: config.Default(config.FeaturesOf(r))})
		pod := mk.Pod("web").CPU("1").Obj()
		s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj(), pod)
		s.decide()
		expectEffects(t, s.effects(), "1 bind web to n1")
		nominated := pod.DeepCopy()
		nominated.Status.NominatedNodeName = "n1"
		s.apply(world.Changed{Op: world.Modified, Object: nominated})
		s.failed(1, "the API server is overloaded")
		patches := 0
		for _, effect := range s.e.Effects() {
			if patch, is := effect.Action.(world.PatchStatus); is {
				patches++
				if got := patch.NominatedNode != nil && *patch.NominatedNode == ""; got != clears {
					t.Errorf("in %v the nomination is cleared: %v", r, got)
				}
			}
		}
		if patches != 1 {
			t.Errorf("in %v the status is patched %d times", r, patches)
		}
	}
}

// A pod that was created anew under the same name is not told of the failure of the one before.
func TestFailureOfCurrentPod_LeavesNamesakeAlone(t *testing.T) {
	for r, told := range map[release.Release]bool{release.V135: true, release.V136: false, release.V137: false} {
		s := newFixture(t, engine.Options{Config: config.Default(config.FeaturesOf(r))})
		pod := mk.Pod("web").CPU("1").Obj()
		s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj(), pod)
		s.decide()
		expectEffects(t, s.effects(), "1 bind web to n1")
		s.apply(world.Changed{Op: world.Deleted, Object: pod})
		s.added(mk.Pod("web").UID("another").CPU("1").Obj())
		s.effects()
		s.failed(1, "the pod is gone")
		if got := len(s.e.Effects()) > 0; got != told {
			t.Errorf("in %v the failure has effects: %v", r, got)
		}
	}
}

// A pod that a node has no room for is requeued by the node's new taint up to 1.36: NodeResourcesFit is registered for taints with new nodes. A pod
// that does not tolerate the node's taint is requeued in every release when the taint goes: TaintToleration registers for it.
func TestTaintEventsExplicit(t *testing.T) {
	small, full := mk.Node("small").CPU("1").Memory("8Gi"), mk.Node("small").CPU("1").Memory("8Gi").Taint("colour", "red", v1.TaintEffectNoSchedule)
	for r, requeues := range map[release.Release]bool{release.V135: true, release.V136: true, release.V137: false} {
		for name, tt := range map[string]struct {
			cpu           string
			before, after *v1.Node
			want          bool
		}{
			"no room":       {"4", small.Obj(), full.Obj(), requeues},
			"not tolerated": {"1", full.Obj(), small.Obj(), true},
		} {
			s := newFixture(t, engine.Options{Config: config.Default(config.FeaturesOf(r))})
			s.added(tt.before, mk.Pod("web").CPU(tt.cpu).Obj())
			s.decide()
			s.effects()
			s.apply(world.Changed{Op: world.Modified, Object: tt.after})
			if got := s.e.Queue().Counts().Unschedulable == 0; got != tt.want {
				t.Errorf("%s, in %v: the pod is requeued: %v", name, r, got)
			}
		}
	}
}

// From 1.37 on events of pods have a name for each kind of pod, and NodeResourcesFit is registered for those that help.
func TestPodEventsSplit(t *testing.T) {
	for r, want := range map[release.Release]struct {
		registered []fwk.EventResource
		moves      []string
	}{
		release.V136: {
			[]fwk.EventResource{fwk.Pod},
			[]string{"UnschedulablePodAdd", "PodPopped", "ScheduleAttemptFailure", "UnschedulablePodUpdatePodScaleDown"},
		},
		release.V137: {
			[]fwk.EventResource{fwk.AssignedPod, fwk.TargetPod},
			[]string{"UnscheduledPodAdd", "PodPopped", "ScheduleAttemptFailure", "TargetPodUpdatePodScaleDown"},
		},
	} {
		s := newFixture(t, engine.Options{Config: config.Default(config.FeaturesOf(r))})
		pod := mk.Pod("web").CPU("4").Obj()
		s.added(mk.Node("small").CPU("1").Memory("8Gi").Obj(), pod)
		s.decide()
		queued, _ := s.e.Queue().Get("default", "web")
		var registered []fwk.EventResource
		for _, event := range s.e.Queue().RequeuesOn(queued) {
			if strings.HasSuffix(string(event.Resource), "Pod") && !slices.Contains(registered, event.Resource) {
				registered = append(registered, event.Resource)
			}
		}
		if diff := cmp.Diff(want.registered, registered); diff != "" {
			t.Errorf("%s, kinds of pods (-want +got):\n%s", r, diff)
		}
		smaller := pod.DeepCopy()
		smaller.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = resource.MustParse("1")
		s.apply(world.Changed{Op: world.Modified, Object: smaller})
		var moves []string
		for _, move := range s.e.PodTransitions(pod.UID) {
			moves = append(moves, move.Event)
		}
		if diff := cmp.Diff(want.moves, moves); diff != "" {
			t.Errorf("%s, moves (-want +got):\n%s", r, diff)
		}
	}
}

// From 1.37 on a pod whose last victim was not bound yet is tried again when that has lost its place. Before, the end of the victim's binding
// requeues it, and it waits for its back-off.
func TestMemoryPreemptorActivated(t *testing.T) {
	for r, want := range map[release.Release]engine.PodState{release.V136: engine.StateBackoff, release.V137: engine.StateBinding} {
		features, err := config.ParseFeaturesOf(r, map[string]bool{string(config.SchedulerPopFromBackoffQ): false})
		if err != nil {
			t.Fatal(err)
		}
		s := newFixture(t, engine.Options{Config: config.Default(features)})
		s.added(mk.Node("n1").CPU("1").Memory("8Gi").Zone("a").Obj(), mk.Class("local", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj())
		s.added(mk.Volume("pv1").Class("local").Size("1Gi").Obj(), mk.Claim("data").Class("local").Size("1Gi").Obj())
		s.added(mk.Pod("small").CPU("1").Priority(1).PVC("data").Obj())
		s.decide()
		s.added(mk.Pod("big").CPU("1").Priority(10).Obj())
		s.decide()
		if got := s.e.PodState("default", "big"); got != want {
			t.Errorf("in %v the preemptor is in state %s, want %s", r, got, want)
		}
		if got := s.e.PodState("default", "small"); got != engine.StateBackoff {
			t.Errorf("in %v the victim is in state %s", r, got)
		}
	}
}

// From 1.36 on a claim for devices is written while a volume is being bound, unless the scheduler has one worker.
func TestPreBindsInParallel(t *testing.T) {
	for r, parallel := range map[release.Release]bool{release.V135: false, release.V136: true, release.V137: true} {
		for _, workers := range []int32{1, 16} {
			c := config.Default(config.FeaturesOf(r))
			c.Parallelism = workers
			s := newFixture(t, engine.Options{Config: c})
			s.added(
				mk.Node("n").CPU("4").Memory("8Gi").Obj(), mk.Class("late", "csi.example.com").WaitForFirstConsumer().Obj(), mk.Claim("data").Class("late").Size("1Gi").Obj(),
				mk.DeviceClass("gpu"), mk.ResourceSlice("s", "gpu.example.com", "n").Node("n").Devices("0").Obj(), mk.ResourceClaim("gpu").Request("gpu", "gpu", 1).Obj(),
				mk.Pod("web").CPU("1").PVC("data").ResourceClaim("gpu").Obj(),
			)
			s.decide()
			reserved := slices.ContainsFunc(s.e.Effects(), func(e world.Effect) bool {
				_, is := e.Action.(world.ReserveResourceClaim)
				return is
			})
			if want := parallel && workers > 1; reserved != want {
				t.Errorf("in %v with %d workers, the claim for devices is written at once: %v, want %v", r, workers, reserved, want)
			}
		}
	}
}
