package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// problemTexts lists an engine's problems.
func problemTexts(s *fixture) (texts []string) {
	for _, p := range s.e.Problems() {
		texts = append(texts, p.Err.Error())
	}
	return texts
}

// boundPod is a bound pod at a resource version.
func boundPod(node, version string) world.Object {
	pod := mk.Pod("a").CPU("1").Node(node).Obj()
	pod.ResourceVersion = version
	return pod
}

func TestPods_MovedBoundPodIsProblem(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Node("n2").CPU("4").Pods("10").Obj(), boundPod("n1", "1"))
	if err := s.e.Apply(world.Input{At: s.e.Now(), Event: world.Changed{Op: world.Modified, Object: boundPod("n2", "2")}}); err != nil {
		t.Errorf("the error would end a run: %v", err)
	}
	expectEffects(t, problemTexts(s), `pod "default/a" was bound to node "n1" and is on node "n2" now: an API server does not move pods`)
	cached, err := s.e.Cache().GetPod(mk.Pod("a").Obj())
	if err != nil || cached.Spec.NodeName != "n2" {
		t.Errorf("the cache has the pod on %v, %v", cached, err)
	}
	if err := s.e.Check(); err != nil {
		t.Error(err)
	}
}

func TestPods_AssumedOnOneNodeBoundOnOther(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Pod("a").CPU("1").Obj())
	s.decide()
	s.added(mk.Node("n2").CPU("4").Pods("10").Obj())
	s.apply(world.Changed{Op: world.Modified, Object: boundPod("n2", "9")})
	expectEffects(t, problemTexts(s), `pod "default/a" was assumed on node "n1" and is bound to node "n2"`)
}

func TestProblems_KeepsNewestAndCountsAll(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n0").Obj(), mk.Node("n1").Obj(), boundPod("n0", "1"))
	const moves = 300
	for i := 1; i <= moves; i++ {
		s.apply(world.Changed{Op: world.Modified, Object: boundPod(fmt.Sprintf("n%d", i%2), fmt.Sprint(i+1))})
	}
	texts := problemTexts(s)
	if len(texts) != 256 || s.e.Counters().Problems != moves {
		t.Fatalf("%d problems kept of %d", len(texts), s.e.Counters().Problems)
	}
	if newest := texts[len(texts)-1]; !strings.Contains(newest, `on node "n0" now`) {
		t.Errorf("the newest problem is %q", newest)
	}
}
