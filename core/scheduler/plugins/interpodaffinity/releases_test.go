package interpodaffinity

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// fixtureIn is a fixture of a release.
func fixtureIn(t *testing.T, r release.Release, nodes []*v1.Node, pods ...*v1.Pod) *fixture {
	t.Helper()
	s := &fixture{Snapshot: cache.SnapshotOf(pods, nodes)}
	s.Fixture = plugintest.NewFixture(t, s.Snapshot, func(h fwk.Handle) (fwk.Plugin, error) {
		made, err := New(context.Background(), arguments(1, false), h, config.FeaturesOf(r))
		s.InterPodAffinity, _ = made.(*InterPodAffinity)
		return made, err
	})
	return s
}

// Up to 1.36 a selector that matches an empty set of labels selects every namespace.
func TestNamespaceSelectorsResolved(t *testing.T) {
	away := term(host, "S1")
	away.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	for r, want := range map[release.Release]string{release.V135: "", release.V136: "", release.V137: "n1"} {
		s := fixtureIn(t, r, zoned("V", "V"),
			on("n1", mk.Pod("o").Namespace("red").Label("app", "S1").Obj()), on("n2", mk.Pod("o").Namespace("plain").Label("app", "S1").Obj()))
		s.namespace(t, "red", "team", "red")
		s.namespace(t, "plain")
		if got := s.FeasibleNodes(t, pod("p", "x", nil, of(away))); got != want {
			t.Errorf("in %v the allowed nodes are %q, want %q: the namespace on n1 has a team, that on n2 has none", r, got, want)
		}
	}
}

func TestNominatedPodsAffine(t *testing.T) {
	waiting := pod("p", "x", of(term(zone, "web")), nil)
	nominated := plain("w", "web")
	nominated.Status.NominatedNodeName = "n1"
	for r, want := range map[release.Release]fwk.QueueingHint{release.V135: fwk.QueueSkip, release.V136: fwk.Queue, release.V137: fwk.Queue} {
		if got, err := fixtureIn(t, r, nil).isSchedulableAfterPodChange(klog.Logger{}, waiting, nil, nominated); got != want || err != nil {
			t.Errorf("in %v a nominated pod that matches gives %v, %v; want %v", r, got, err, want)
		}
	}
}
