package podtopologyspread

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// fixture is a snapshot and a plugin that reads it.
type fixture struct {
	*cache.Snapshot
	*plugintest.Fixture
	*PodTopologySpread
}

func newFixture(t rapid.TB, nodes []*v1.Node, pods []*v1.Pod) *fixture {
	t.Helper()
	return fixtureOf(t, cache.SnapshotOf(pods, nodes), noDefaults())
}

func fixtureOf(t rapid.TB, snapshot *cache.Snapshot, args *configv1.PodTopologySpreadArgs) *fixture {
	t.Helper()
	s := &fixture{Snapshot: snapshot}
	s.Fixture = plugintest.NewFixture(t, snapshot, func(h fwk.Handle) (fwk.Plugin, error) {
		made, err := New(context.Background(), args, h, config.DefaultFeatures())
		s.PodTopologySpread, _ = made.(*PodTopologySpread)
		return made, err
	})
	return s
}

func noDefaults() *configv1.PodTopologySpreadArgs {
	return &configv1.PodTopologySpreadArgs{DefaultingType: configv1.ListDefaulting}
}

func systemDefaulting() *configv1.PodTopologySpreadArgs {
	return &configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting}
}

// zoned builds nodes n1, n2, … in the given zones; "-" means no zone.
func zoned(zones ...string) (nodes []*v1.Node) {
	for i, zone := range zones {
		b := mk.Node(fmt.Sprintf("n%d", i+1)).Label("node", fmt.Sprintf("n%d", i+1))
		if zone != "-" {
			b.Zone(zone)
		}
		nodes = append(nodes, b.Obj())
	}
	return nodes
}

// running builds pods labelled foo=bar on the named nodes, one for each name.
func running(nodes ...string) (pods []*v1.Pod) {
	for i, node := range nodes {
		pods = append(pods, mk.Pod(fmt.Sprintf("r%d", i)).Label("foo", "bar").Node(node).Obj())
	}
	return pods
}

// testPod is a pod labelled foo=bar with constraints that select foo=bar.
func testPod(constraints ...v1.TopologySpreadConstraint) *v1.Pod {
	pod := mk.Pod("mypod").Label("foo", "bar").Obj()
	pod.Spec.TopologySpreadConstraints = constraints
	return pod
}

func hard(key string, skew int32) v1.TopologySpreadConstraint {
	return v1.TopologySpreadConstraint{
		MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"foo": "bar"}},
	}
}

func soft(key string, skew int32) v1.TopologySpreadConstraint {
	c := hard(key, skew)
	c.WhenUnsatisfiable = v1.ScheduleAnyway
	return c
}

const zone, host = v1.LabelTopologyZone, "node"
