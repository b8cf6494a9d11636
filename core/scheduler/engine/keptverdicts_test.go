package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// An explanation says on which nodes the verdict on an earlier pod like the explained one still holds: on those that have not
// changed since.
func TestExplain_KeptVerdicts(t *testing.T) {
	plain := func(name string) *mk.PodBuilder { return mk.Pod(name).CPU("1") }
	larger := func(name string) *mk.PodBuilder { return mk.Pod(name).CPU("1100m") }
	selecting := func(name string) *mk.PodBuilder { return plain(name).NodeSelector("disk", "ssd") }
	spread := func(name string) *mk.PodBuilder {
		b := plain(name).Label("app", "web")
		b.Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}
		return b
	}
	for name, tt := range map[string]struct {
		before, explained func(name string) *mk.PodBuilder
		noReuse           bool
		nodes             int
		afresh            []string
	}{
		"of its kind":        {before: plain, explained: plain, nodes: 3},
		"of other requests":  {before: plain, explained: larger},
		"of another kind":    {before: plain, explained: selecting},
		"that look at nodes": {before: spread, explained: spread, nodes: 3, afresh: []string{"PodTopologySpread"}},
		"without reuse":      {before: plain, explained: plain, noReuse: true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(engine.Options{Start: start, NoReuse: tt.noReuse})
			if err != nil {
				t.Fatal(err)
			}
			add := func(object world.Object) {
				if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: object}}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 4 {
				add(mk.Node(fmt.Sprint("n", i)).CPU("8").Memory("8Gi").Label(v1.LabelTopologyZone, fmt.Sprint("zone-", i%2)).Obj())
			}
			for i := range 3 {
				add(tt.before(fmt.Sprint("x", i)).Obj())
				e.Step()
			}
			add(tt.explained("y").Obj())
			x, err := e.Explain("default", "y")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.afresh, x.Kept.Afresh); x.Kept.Nodes != tt.nodes || diff != "" {
				t.Errorf("%+v, want the verdicts on %d nodes\n%s", x.Kept, tt.nodes, diff)
			}
			marked := 0
			for _, n := range x.Nodes {
				if n.Kept > 0 {
					marked++
				}
			}
			if marked != tt.nodes {
				t.Errorf("%d nodes are marked, want %d", marked, tt.nodes)
			}
		})
	}
}
