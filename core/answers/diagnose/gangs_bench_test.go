package diagnose_test

import (
	"fmt"
	"testing"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var large = gangs.Key{Namespace: "default", Workload: "train", Group: "workers"}

// largeGang is an engine with a gang of so many pods, none like another, and so many nodes with room for two of them each. None was
// tried yet.
func largeGang(t testing.TB, pods, nodes int) *engine.Engine {
	t.Helper()
	one := mk.Workload("train", mk.Gang("workers", 1)) // with more, each pod that comes has all before it tried again
	e := engineWithGates(t, "GenericWorkload=true GangScheduling=true", one)
	apply := func(op world.Op, o world.Object) {
		if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: op, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	add := func(o world.Object) { apply(world.Added, o) }
	for i := range nodes {
		add(node(fmt.Sprintf("n%d", i), "2").Pods("20").Obj())
	}
	for i := range pods {
		add(mk.Pod(fmt.Sprintf("train-%d", i)).CPU("1").Label("index", fmt.Sprint(i)).InGroup("train", "workers").Obj())
	}
	apply(world.Modified, mk.Workload("train", mk.Gang("workers", int32(pods))))
	return e
}

// A gang of thousands of pods costs no more than the limits of one answer, which says so. It names only some pods.
func TestGang_LargeIsBounded(t *testing.T) {
	g, err := diagnose.GangOf(largeGang(t, 5000, 500), large)
	if err != nil {
		t.Fatal(err)
	}
	if g.Pods != 5000 || len(g.Members) > 10 || g.Counts[0].Pods != 5000 {
		t.Errorf("%d pods, of which %d are listed: %+v", g.Pods, len(g.Members), g.Counts)
	}
	if !g.Trial.Cut || g.Trial.Fits || g.Trial.Placed == 0 || len(g.Candidates) > 0 || g.NodeLike != "" {
		t.Errorf("the trial is %+v, and to be tried are %v and nodes like %q", g.Trial, g.Candidates, g.NodeLike)
	}
}

// BenchmarkGang_5000Pods is one answer about a gang of 5,000 pods on 5,000 nodes.
func BenchmarkGang_5000Pods(b *testing.B) {
	e := largeGang(b, 5000, 5000)
	for b.Loop() {
		if g, err := diagnose.GangOf(e, large); err != nil || g.Pods != 5000 {
			b.Fatal(g, err)
		}
	}
}
