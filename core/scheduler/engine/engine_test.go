package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// fixture is an engine whose inputs a test applies one by one.
type fixture struct {
	t   *testing.T
	e   *engine.Engine
	now time.Time
}

func newFixture(t *testing.T, o engine.Options) *fixture {
	t.Helper()
	o.Start = start
	e, err := engine.New(o)
	if err != nil {
		t.Fatalf("making an engine: %v", err)
	}
	return &fixture{t, e, start}
}

func (s *fixture) apply(event world.Event) {
	s.t.Helper()
	if err := s.e.Apply(world.Input{At: s.now, Event: event}); err != nil {
		s.t.Fatalf("applying %T: %v", event, err)
	}
	if err := s.e.Check(); err != nil {
		s.t.Fatalf("after %T: %v", event, err)
	}
}

func (s *fixture) added(objects ...world.Object) {
	s.t.Helper()
	for _, o := range objects {
		s.apply(world.Changed{Op: world.Added, Object: o})
	}
}

func (s *fixture) after(d time.Duration) {
	s.t.Helper()
	s.now = s.now.Add(d)
	s.apply(world.Tick{})
}

// decide makes all decisions.
func (s *fixture) decide() []engine.Decision {
	s.t.Helper()
	var all []engine.Decision
	for d, more := s.e.Step(); more; d, more = s.e.Step() {
		all = append(all, *d)
	}
	if err := s.e.Check(); err != nil {
		s.t.Fatalf("after deciding: %v", err)
	}
	return all
}

// effects describes the engine's new effects.
func (s *fixture) effects() []string {
	var words []string
	for _, effect := range s.e.Effects() {
		words = append(words, effectText(effect))
	}
	return words
}

func (s *fixture) succeeded(id world.EffectID) { s.t.Helper(); s.apply(world.EffectDone{Effect: id}) }

func (s *fixture) failed(id world.EffectID, message string) {
	s.t.Helper()
	s.apply(world.EffectDone{Effect: id, Outcome: world.Outcome{Code: fwk.Error, Message: message}})
}

// Shows NODE-07.
func TestEngine_PlacesBindsConfirms(t *testing.T) {
	s := newFixture(t, engine.Options{})
	pod := mk.Pod("web").CPU("1").Obj()
	s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj(), pod)

	got := s.decide()
	if len(got) != 1 || got[0].Verdict != engine.Placed || got[0].Node != "n1" {
		t.Fatalf("decisions: %+v, want web placed on n1", got)
	}
	expectEffects(t, s.effects(), "1 bind web to n1")
	if at := s.e.PodState("default", "web"); at != engine.StateBinding {
		t.Errorf("the pod is %s, want binding", at)
	}

	s.succeeded(1)
	expectEffects(t, s.effects(), "2 Scheduled web: Successfully assigned default/web to n1")
	bound := pod.DeepCopy()
	bound.Spec.NodeName = "n1"
	s.apply(world.Changed{Op: world.Modified, Object: bound})
	if at := s.e.PodState("default", "web"); at != engine.StateBound {
		t.Errorf("the pod is %s, want bound", at)
	}
}

// Shows NODE-04.
func TestEngine_UnschedulablePodRequeuedWhenPodDeleted(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("1").Memory("8Gi").Obj(), mk.Pod("big").CPU("2").Obj())
	got := s.decide()
	const message = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	if len(got) != 1 || got[0].Message != message {
		t.Fatalf("decisions: %+v\nwant the message %q", got, message)
	}
	expectEffects(t, s.effects(), "1 FailedScheduling big: "+message, `2 patch big PodScheduled=False Unschedulable`)
	if at := s.e.PodState("default", "big"); at != engine.StateUnschedulable {
		t.Errorf("the pod is %s, want unschedulable", at)
	}

	s.after(20 * time.Second)
	if again := s.decide(); len(again) != 0 {
		t.Fatalf("nothing has changed, yet there is a decision: %+v", again)
	}
	s.added(mk.Node("n2").CPU("4").Memory("8Gi").Obj())
	if again := s.decide(); len(again) != 1 || again[0].Node != "n2" {
		t.Fatalf("decisions: %+v, want big placed on n2", again)
	}
}

func TestBinding_FailureForgetsAndRequeues(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("1").Memory("8Gi").Obj(), mk.Pod("web").CPU("1").Obj())
	s.decide()
	expectEffects(t, s.effects(), "1 bind web to n1")
	s.failed(1, "the server is too busy")
	expectEffects(t, s.effects(), `2 FailedScheduling web: running Bind plugin "DefaultBinder": the server is too busy`, "3 patch web PodScheduled=False SchedulerError")
	if at := s.e.PodState("default", "web"); at != engine.StateBackoff {
		t.Errorf("the pod is %s, want backoff", at)
	}
	s.after(3 * time.Second)
	if again := s.decide(); len(again) != 1 || again[0].Node != "n1" || again[0].Attempt != 2 {
		t.Fatalf("decisions: %+v, want a second attempt that places web on n1", again)
	}
}

// Shows PRE-01, PRE-13, PRE-16 and PRE-29.
func TestPreemption_EvictsLowerPriority(t *testing.T) {
	s := newFixture(t, engine.Options{})
	small := mk.Pod("small").CPU("1").Priority(1).Node("n1").Started(start).Obj()
	s.added(mk.Node("n1").CPU("1").Memory("8Gi").Obj(), small, mk.Pod("big").CPU("1").Priority(10).Obj())
	got := s.decide()
	if len(got) != 1 || got[0].Nominated != "n1" || got[0].Preemption == nil {
		t.Fatalf("decisions: %+v, want a nomination to n1", got)
	}
	expectEffects(t, s.effects(),
		"1 patch small DisruptionTarget=True PreemptionByScheduler",
		"2 FailedScheduling big: 0/1 nodes are available: 1 Insufficient cpu.",
		`3 patch big PodScheduled=False Unschedulable nominated "n1"`)

	s.succeeded(1)
	expectEffects(t, s.effects(), "4 delete small")
	s.succeeded(4)
	expectEffects(t, s.effects(), "5 Preempted small: Preempted by pod pod/default/big on node n1")
	s.apply(world.Changed{Op: world.Deleted, Object: small})
	s.after(2 * time.Second)
	if again := s.decide(); len(again) != 1 || again[0].Node != "n1" {
		t.Fatalf("decisions: %+v, want big placed on n1", again)
	}
}

func TestApply_RejectsMalformedObject(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj())
	bad := mk.Pod("bad\x1b[31m").CPU("1").Obj()
	if err := s.e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: bad}}); err == nil {
		t.Error("a pod with an escape sequence in its name was accepted")
	}
	s.added(mk.Pod("good").CPU("1").Obj())
	if got := s.decide(); len(got) != 1 || got[0].Pod.Name != "good" {
		t.Errorf("decisions: %+v, want good alone", got)
	}
	if counters := s.e.Counters(); counters.Refused != 1 {
		t.Errorf("%d inputs refused, want 1", counters.Refused)
	}
}

func TestExplain_ChangesNothing(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(
		mk.Node("n1").CPU("4").Memory("8Gi").Obj(), mk.Node("n2").CPU("2").Memory("8Gi").Obj(),
		mk.Node("n3").CPU("4").Memory("8Gi").Taint("only", "gpu", v1.TaintEffectNoSchedule).Unschedulable().Obj(),
		mk.Pod("web").CPU("1").Obj())
	before := s.e.Digest()
	x, err := s.e.Explain("default", "web")
	if err != nil {
		t.Fatal(err)
	}
	if s.e.Digest() != before {
		t.Error("explaining changed the digest")
	}
	if x.Decision.Node != "n1" || x.Decision.RunnerUp != "n2" {
		t.Errorf("explained %+v, want n1 before n2", x.Decision)
	}
	var n3 []string
	for _, node := range x.Nodes {
		if node.Node != "n3" {
			continue
		}
		for _, s := range node.Statuses {
			if s.Code != fwk.Success {
				n3 = append(n3, fmt.Sprint(s.Plugin, ": ", s.Reasons))
			}
		}
	}
	expectEffects(t, n3, "NodeUnschedulable: [node(s) were unschedulable]", "TaintToleration: [node(s) had untolerated taint(s)]")
	if got := s.decide(); len(got) != 1 || got[0].Node != x.Decision.Node || got[0].Score != x.Decision.Score {
		t.Errorf("decided %+v, explained %+v", got, x.Decision)
	}
}

// A pod waits for one that it has to be beside of. That one is bound, and then it is placed on the same node.
// Shows QUEUE-21.
func TestEngine_BoundPodRequeuesThoseWithAffinityToIt(t *testing.T) {
	s := newFixture(t, engine.Options{})
	beside := mk.Pod("beside").CPU("1").Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}},
	}}).Obj()
	s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj(), mk.Node("n2").CPU("8").Memory("8Gi").Obj(), beside)
	s.decide()
	other := mk.Pod("other").Label("app", "db").Node("n1").Obj()
	s.added(other)
	if at := s.e.PodState("default", "beside"); at != engine.StateUnschedulable {
		t.Errorf("after a pod of no interest it is %s, want unschedulable", at)
	}
	web := mk.Pod("web").CPU("1").Label("app", "web").Obj()
	s.added(web)
	if got := s.decide(); len(got) != 1 || got[0].Node != "n2" {
		t.Fatalf("decisions: %+v, want web on n2 and no other", got)
	}
	bound := web.DeepCopy()
	bound.Spec.NodeName = "n2"
	s.apply(world.Changed{Op: world.Modified, Object: bound})
	if at := s.e.PodState("default", "beside"); at != engine.StateBackoff {
		t.Errorf("after the binding it is %s, want backoff", at)
	}
	if got := s.decide(); len(got) != 1 || got[0].Pod.Name != "beside" || got[0].Node != "n2" {
		t.Errorf("decisions: %+v, want the pod beside web", got)
	}
}

// postFilterer counts the calls of PostFilter.
type postFilterer struct{ calls *int }

func (postFilterer) Name() string { return "Counting" }

func (p postFilterer) PostFilter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	*p.calls++
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// Shows FRAME-05 and FRAME-12.
func TestEngine_PostFilterOnlyWithoutFeasibleNode(t *testing.T) {
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"profiles: [{plugins: {postFilter: {enabled: [{name: Counting}]}}}]\n"), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	s := newFixture(t, engine.Options{Config: c, Plugins: framework.Registry{
		"Counting": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			return postFilterer{&calls}, nil
		},
	}})
	s.added(mk.Node("n1").CPU("2").Obj(), mk.Node("n2").CPU("1").Obj(), mk.Pod("fits").CPU("2").Obj())
	if s.decide(); calls != 0 {
		t.Errorf("PostFilter was called %d times for a pod that fits on one of two nodes", calls)
	}
	s.added(mk.Pod("big").CPU("3").Obj())
	if s.decide(); calls != 1 {
		t.Errorf("PostFilter was called %d times for a pod that fits on no node, want once", calls)
	}
}

// Shows QUEUE-19, QUEUE-27 and B-4.
func TestRequeueRule_MoveRequestCycleRequeuesAll(t *testing.T) {
	for _, tc := range []struct {
		rule queue.RequeueRule
		want engine.PodState
	}{{queue.QueueingHints, engine.StateUnschedulable}, {queue.MoveRequestCycle, engine.StateBackoff}} {
		s := newFixture(t, engine.Options{RequeueRule: tc.rule})
		s.added(mk.Node("n1").CPU("1").Memory("8Gi").Obj(), mk.Pod("big").CPU("2").Obj())
		s.decide()
		s.added(&v1.Service{ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "default"}})
		if at := s.e.PodState("default", "big"); at != tc.want {
			t.Errorf("by rule %v, after a new service the pod is %s, want %s", tc.rule, at, tc.want)
		}
	}
}

func expectEffects(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, g, w)
		}
	}
}
