package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/mk"
	"orrery/core/world"
)

// fragile panics at one extension point when it is called for the pod "bad", until it is healed.
type fragile struct {
	at     framework.Point
	healed bool
}

func (f *fragile) Name() string { return "Fragile" }

func (f *fragile) meet(at framework.Point, pod *v1.Pod) {
	if at == f.at && pod.Name == "bad" && !f.healed {
		panic(fmt.Sprintf("cannot %s", at))
	}
}

func (f *fragile) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	f.meet(framework.PreEnqueue, pod)
	return nil
}

func (f *fragile) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	f.meet(framework.PreFilter, pod)
	return nil, nil
}
func (f *fragile) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (f *fragile) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeInfo) *fwk.Status {
	f.meet(framework.Filter, pod)
	return nil
}

func (f *fragile) PreScore(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	f.meet(framework.PreScore, pod)
	return nil
}

func (f *fragile) Score(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeInfo) (int64, *fwk.Status) {
	f.meet(framework.Score, pod)
	return 0, nil
}
func (f *fragile) ScoreExtensions() fwk.ScoreExtensions { return nil }

func (f *fragile) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	f.meet(framework.Reserve, pod)
	return nil
}
func (f *fragile) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

func (f *fragile) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	f.meet(framework.Permit, pod)
	return nil, 0
}

func (f *fragile) PreBindPreFlight(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	f.meet(framework.PreBindPreFlight, pod)
	return nil
}

func (f *fragile) PreBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	f.meet(framework.PreBind, pod)
	return nil
}

func (f *fragile) Bind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	f.meet(framework.Bind, pod)
	return fwk.NewStatus(fwk.Skip)
}

// withPlugin configures a plugin at all its extension points, before the default ones.
func withPlugin(t testing.TB, plugin fwk.Plugin) engine.Options {
	t.Helper()
	return withFactory(t, plugin.Name(), func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return plugin, nil })
}

func withFactory(t testing.TB, name string, factory framework.PluginFactory) engine.Options {
	t.Helper()
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"+
		"- {plugins: {multiPoint: {enabled: [{name: "+name+"}]}, bind: {disabled: [{name: '*'}], enabled: [{name: "+name+"}, {name: DefaultBinder}]}}}\n"), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return engine.Options{Config: c, Plugins: framework.Registry{name: factory}}
}

// settle decides, and carries out what follows, until nothing is left to do.
func (s *fixture) settle() {
	s.t.Helper()
	for {
		s.decide()
		effects := s.e.Effects()
		if len(effects) == 0 {
			return
		}
		for _, effect := range effects {
			switch act := effect.Action.(type) {
			case world.RunPlugin:
				status := act.Call(s.t.Context())
				s.apply(world.EffectDone{Effect: effect.ID, Outcome: world.Outcome{Code: status.Code(), Message: status.Message()}})
			case world.Bind:
				s.succeeded(effect.ID)
				pod := s.e.Store().Pod(act.Pod.Namespace, act.Pod.Name).DeepCopy()
				pod.Spec.NodeName = act.Node
				s.apply(world.Changed{Op: world.Modified, Object: pod})
			case world.PatchStatus:
				s.succeeded(effect.ID)
			}
		}
	}
}

func (s *fixture) node(pod string) string { return s.e.Store().Pod("default", pod).Spec.NodeName }

// A plugin's panic fails the attempt of its pod like an error, names the plugin, the point and the pod, and is counted. Other
// pods are bound meanwhile, and this one too once the plugin no longer panics.
func TestPanic_FailsOneAttempt(t *testing.T) {
	points := []framework.Point{
		framework.PreEnqueue, framework.PreFilter, framework.Filter, framework.PreScore, framework.Score, framework.Reserve, framework.Permit,
		framework.PreBind, framework.Bind,
	}
	for _, at := range points {
		t.Run(string(at), func(t *testing.T) {
			plugin := &fragile{at: at}
			s := newFixture(t, withPlugin(t, plugin))
			s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Node("n2").CPU("4").Pods("10").Obj())
			s.added(mk.Pod("bad").CPU("1").Obj(), mk.Pod("good").CPU("1").Obj())
			s.settle()
			if s.node("bad") != "" || s.node("good") == "" {
				t.Errorf("bad is on %q, good on %q", s.node("bad"), s.node("good"))
			}
			want := fmt.Sprintf("plugin Fragile panicked at %s of pod default/bad: cannot %s", at, at)
			problems := s.e.Problems()
			if len(problems) == 0 {
				t.Fatal("no problem is reported")
			}
			var panicked *framework.PluginPanic
			if err := problems[0].Err; !errors.As(err, &panicked) || err.Error() != want || !strings.Contains(panicked.Stack, "fragile).meet") {
				t.Errorf("problem: %v", problems[0].Err)
			}
			counts := []engine.PanicCount{{PanicSource: engine.PanicSource{Plugin: "Fragile", Point: at}, Panics: uint64(len(problems))}}
			if diff := cmp.Diff(counts, s.e.Panics()); diff != "" {
				t.Errorf("panics (-want +got):\n%s", diff)
			}
			plugin.healed = true
			s.apply(world.Changed{Op: world.Modified, Object: mk.Pod("bad").CPU("1").Label("again", "true").Obj()})
			s.after(10 * time.Minute)
			s.settle()
			if s.node("bad") == "" {
				t.Errorf("bad is %s after the plugin was healed", s.e.PodState("default", "bad"))
			}
		})
	}
}

// An explanation of such a pod has the panic as its reason, and changes nothing.
func TestPanic_Explained(t *testing.T) {
	s := newFixture(t, withPlugin(t, &fragile{at: framework.Filter}))
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Pod("bad").CPU("1").Obj())
	x, err := s.e.Explain("default", "bad")
	if err != nil {
		t.Fatal(err)
	}
	want := `running "Fragile" filter plugin: plugin Fragile panicked at Filter of pod default/bad: cannot Filter`
	if x.Decision.Verdict != engine.Failed || x.Decision.Message != want {
		t.Errorf("%s: %s", x.Decision.Verdict, x.Decision.Message)
	}
	if n := len(s.e.Panics()); n != 0 {
		t.Errorf("%d panics are counted", n)
	}
}
