package whatif_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// skewed is a cluster of two nodes as a release has it. A pending pod betters the balance of one of them only.
func skewed(t *testing.T, features config.Features) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Config: config.Default(features), Start: start})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []world.Object{
		mk.Node("even").CPU("100").Memory("100Gi").Obj(),
		mk.Node("skewed").CPU("100").Memory("100Gi").Obj(),
		mk.Pod("has-even").CPU("30").Memory("30Gi").Node("even").Obj(),
		mk.Pod("has-skewed").CPU("60").Memory("10Gi").Node("skewed").Obj(),
		mk.Pod("web").CPU("5").Memory("25Gi").Obj(),
	} {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func evaluated(t *testing.T, e *engine.Engine, words string) *whatif.Result {
	t.Helper()
	changes, err := change.ParseAll(strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	r, err := whatif.Evaluate(e, changes, whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestUpgrade_NamesTheRule(t *testing.T) {
	e := skewed(t, config.FeaturesOf(release.V135))
	r := evaluated(t, e, "upgrade 1.37")
	if len(r.Pods) != 1 || r.Pods[0].Kind != whatif.OtherNode || r.Pods[0].Without.Node != "even" || r.Pods[0].With.Node != "skewed" {
		t.Fatalf("changed pods: %+v", r.Pods)
	}
	if len(r.Causes) != 1 || r.Causes[0].String() != "BalanceByImprovement" || r.Causes[0].Pods != 1 || r.Pods[0].Cause != "BalanceByImprovement" {
		t.Errorf("causes %+v, of the pod %q", r.Causes, r.Pods[0].Cause)
	}
	if got := e.Features().Release(); got != release.V135 || e.LastDecision() != 0 {
		t.Errorf("the engine that was asked about decides as %v, after %d decisions", got, e.LastDecision())
	}
}

// An upgrade and its way back are each other's mirror.
func TestUpgrade_AndBack(t *testing.T) {
	r := evaluated(t, skewed(t, config.FeaturesOf(release.V137)), "upgrade 1.35")
	if len(r.Pods) != 1 || r.Pods[0].Without.Node != "skewed" || r.Pods[0].With.Node != "even" {
		t.Errorf("changed pods: %+v", r.Pods)
	}
}

// Beside other changes, in either order, an upgrade is made as well; what makes the difference is not asked then.
func TestUpgrade_BesideOtherChanges(t *testing.T) {
	for _, words := range []string{"upgrade 1.36 , cordon skewed", "cordon skewed , upgrade 1.36"} {
		r := evaluated(t, skewed(t, config.FeaturesOf(release.V135)), words)
		if len(r.Pods) != 0 || len(r.Causes) != 0 {
			t.Errorf("%s: web goes to the even node with it and without, and %+v changes, by %+v", words, r.Pods, r.Causes)
		}
	}
}

func TestUpgrade_OfNoEffectAndWrong(t *testing.T) {
	e := skewed(t, config.FeaturesOf(release.V136))
	_, err := whatif.Evaluate(e, []change.Change{{Verb: change.Upgrade, Name: "1.36"}}, whatif.Options{})
	if err == nil || !strings.Contains(err.Error(), "the scheduler decides as Kubernetes 1.36 already") {
		t.Errorf("an upgrade to the same release: %v", err)
	}
	gates, err := config.ParseFeatureFlag("GenericWorkload=true,GangScheduling=true")
	if err != nil {
		t.Fatal(err)
	}
	r := evaluated(t, skewed(t, gates), "upgrade 1.37")
	want := []string{"Kubernetes 1.37 does not take the feature gates GangScheduling=true, GenericWorkload=true, which are at its defaults"}
	if diff := cmp.Diff(want, r.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if len(r.NotTried) == 0 {
		t.Error("gates that 1.37 does not have were turned on to see what they do")
	}
}
