package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// The last transition of a pod that another scheduler binds, while a binding elsewhere is in flight, names the
// node.
func TestTransitions_NameOtherScheduler(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("1").Obj(), mk.Pod("web").CPU("1").Obj())
	s.decide()
	s.added(mk.Node("n2").CPU("1").Obj())
	binding := s.e.PendingEffects()[0]
	if _, ok := binding.Act.(world.Bind); !ok {
		t.Fatalf("awaited: %+v", binding)
	}
	s.apply(world.EffectDone{Effect: binding.Effect, Outcome: world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonConflict, Message: "it is on n2"}})
	s.apply(world.Changed{Op: world.Modified, Object: mk.Pod("web").CPU("1").Node("n2").Obj()})
	transitions := s.e.PodTransitions("pod/default/web")
	last := transitions[len(transitions)-1]
	got := []string{last.From.String(), last.To.String(), last.Event, last.Note}
	want := []string{"error-backoff", "gone", queue.BoundByOther, "bound by another scheduler, to n2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the last transition (-want +got):\n%s", diff)
	}
	if state := s.e.PodState("default", "web"); state != engine.StateBound {
		t.Errorf("the pod is %s", state)
	}
}
