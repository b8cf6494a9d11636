package compare_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/answers/cause"
	"orrery/core/answers/compare"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func as(t testing.TB, r release.Release, gates ...string) compare.Configuration {
	t.Helper()
	features, err := config.ParseFeatureFlagOf(r, gates...)
	if err != nil {
		t.Fatal(err)
	}
	return compare.Configuration{Name: "Kubernetes " + r.String(), Config: config.Default(features)}
}

// unbalanced are two nodes with pods. A pod that requests much memory leaves both as balanced as the other, and betters only "skewed".
func unbalanced() []world.Input {
	list := world.Listed{Kind: world.Node}
	for _, name := range []string{"even", "skewed"} {
		list.Objects = append(list.Objects, mk.Node(name).CPU("100").Memory("100Gi").Obj())
	}
	return []world.Input{
		{At: start, Event: list},
		arrival(0, mk.Pod("has-even").CPU("30").Memory("30Gi").Node("even").Obj()),
		arrival(0, mk.Pod("has-skewed").CPU("60").Memory("10Gi").Node("skewed").Obj()),
		arrival(1, mk.Pod("web").CPU("5").Memory("25Gi").Obj()),
	}
}

// upgraded returns what the second configuration changes.
func upgraded(t testing.TB, from, to compare.Configuration, inputs ...world.Input) compare.Upgrade {
	t.Helper()
	o := compare.Options{Upgrades: []compare.Pair{{From: 0, To: 1}}}
	return compared(t, traceOf(t, inputs...), o, from, to).Upgrades[0]
}

func causeNames(u compare.Upgrade) (names [][]string) {
	for _, c := range u.Causes {
		var one []string
		for _, f := range c.Factors {
			one = append(one, f.String())
		}
		names = append(names, one)
	}
	return names
}

func TestUpgrade_NamesTheRule(t *testing.T) {
	u := upgraded(t, as(t, release.V135), as(t, release.V137), unbalanced()...)
	want := []compare.PodChange{{
		Namespace: "default", Name: "web", Owner: "pod/web", Kind: compare.OnOtherNode,
		Was: compare.PodOutcome{Node: "even"}, Is: compare.PodOutcome{Node: "skewed"}, Cause: 0,
	}}
	if diff := cmp.Diff(want, u.Pods); diff != "" {
		t.Errorf("pods (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"BalanceByImprovement"}}, causeNames(u)); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	if u.Worse() || u.Causes[0].Pods != 1 || u.Causes[0].Changes != 1 {
		t.Errorf("worse %v, causes %+v", u.Worse(), u.Causes)
	}
	if got := len(u.Harmless) + len(u.NotTried) + 1; got != u.Factors || u.Simulations >= u.Factors {
		t.Errorf("of %d differences %d are harmless and %d not tried, after %d simulations: want all accounted for, in fewer simulations",
			u.Factors, len(u.Harmless), len(u.NotTried), u.Simulations)
	}
}

func TestUpgrade_NamesTheGateForItsPods(t *testing.T) {
	large := mk.Pod("large").Obj()
	large.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("150")}}
	inputs := append(unbalanced(), arrival(2, large))
	u := upgraded(t, as(t, release.V135, "PodLevelResources=false"), as(t, release.V137), inputs...)
	if len(u.Pods) != 2 || len(u.Causes) != 2 || !u.Worse() {
		t.Fatalf("worse %v, pods %+v, causes %+v", u.Worse(), u.Pods, u.Causes)
	}
	for _, p := range u.Pods {
		want := map[string]string{"large": "PodLevelResources", "web": "BalanceByImprovement"}[p.Name]
		if p.Cause == cause.Together || u.Causes[p.Cause].Factors[0].String() != want {
			t.Errorf("the cause of %+v is not %s: %+v", p, want, u.Causes)
		}
	}
	if kind := u.Pods[0].Kind; kind != compare.LeftPending {
		t.Errorf("the large pod is %v, want it left pending", kind)
	}
	owners := u.Owners()
	if len(owners) != 2 || owners[0].Owner != "pod/large" {
		t.Errorf("the owners are %+v", owners)
	}
}

// A configuration that differs is a cause as well, and one that a release makes of the same is none.
func TestUpgrade_NamesTheConfiguration(t *testing.T) {
	packing := strategy(t, "MostAllocated")
	u := upgraded(t, as(t, release.V135), packing, append(unbalanced(), arrival(5, pod("small", "1")))...)
	if diff := cmp.Diff([][]string{{"configuration"}}, causeNames(u)); diff != "" || u.Factors != 1 {
		t.Errorf("of %d differences (-want +got):\n%s", u.Factors, diff)
	}
}

func TestUpgrade_OfWhatDecidesAlike(t *testing.T) {
	u := upgraded(t, as(t, release.V135), as(t, release.V137), nodes("4", "only"), arrival(0, pod("web", "1")))
	if len(u.Pods) != 0 || len(u.Causes) != 0 || u.Simulations != 2 || u.Worse() {
		t.Errorf("on one node releases differ: %+v", u)
	}
}
