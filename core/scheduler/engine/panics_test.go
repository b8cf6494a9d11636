package engine_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

func withPlugin(t testing.TB, plugin *plugintest.Fragile) engine.Options {
	t.Helper()
	c, plugins, err := plugin.Configured()
	if err != nil {
		t.Fatal(err)
	}
	return engine.Options{Config: c, Plugins: plugins}
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
// pods are bound meanwhile, and this one too once the plugin no longer panics. Where a plugin cannot fail an attempt it goes on.
func TestPanic_FailsOneAttempt(t *testing.T) {
	for _, at := range plugintest.ExtensionPoints() {
		t.Run(string(at), func(t *testing.T) {
			plugin := &plugintest.Fragile{At: at}
			s := newFixture(t, withPlugin(t, plugin))
			s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Node("n2").CPU("4").Pods("10").Obj())
			s.added(mk.Pod("bad").CPU("1").Obj(), mk.Pod("good").CPU("1").Obj())
			s.settle()
			cannotFail := at == framework.QueueSort || at == framework.PostBind
			if (s.node("bad") == "") == cannotFail || s.node("good") == "" {
				t.Errorf("bad is on %q, good on %q", s.node("bad"), s.node("good"))
			}
			want := regexp.MustCompile(fmt.Sprintf("^plugin Fragile panicked at %s of pod default/(bad|good): cannot %[1]s$", at))
			problems := s.e.Problems()
			if len(problems) == 0 {
				t.Fatal("no problem is reported")
			}
			var panicked *framework.PluginPanic
			if err := problems[0].Err; !errors.As(err, &panicked) || !want.MatchString(err.Error()) || !strings.Contains(panicked.Stack, "Fragile).meet") {
				t.Errorf("problem: %v", problems[0].Err)
			}
			counts := []engine.PanicCount{{PanicSource: engine.PanicSource{Plugin: "Fragile", Point: at}, Panics: uint64(len(problems))}}
			if diff := cmp.Diff(counts, s.e.Panics()); diff != "" {
				t.Errorf("panics (-want +got):\n%s", diff)
			}
			plugin.Healed.Store(true)
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
	s := newFixture(t, withPlugin(t, &plugintest.Fragile{At: framework.Filter}))
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
