package consolidate_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"orrery/core/answers/consolidate"
	"orrery/core/testing/drawn"
	"orrery/core/world"
)

// TestFind_PlansCanBeCarriedOut drains drawn clusters as their plans say, in worlds that differ in how ties fall.
func TestFind_PlansCanBeCarriedOut(t *testing.T) {
	freed := 0
	rapid.Check(t, func(t *rapid.T) {
		cluster := drawn.Cluster(t)
		plan, err := consolidate.Find(drawn.New(t, 7, cluster).Engine, consolidate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(plan.Freed()); got > plan.Bound {
			t.Errorf("%d nodes are emptied, beyond the bound of %d\n%s", got, plan.Bound, cluster)
		}
		if len(plan.Freed())+len(plan.Blocked) != plan.Before.Nodes {
			t.Errorf("%d nodes are emptied and %d stay, of %d", len(plan.Freed()), len(plan.Blocked), plan.Before.Nodes)
		}
		if len(plan.Freed()) == 0 {
			return
		}
		freed++
		for seed := range uint64(2) {
			checkCarriedOut(t, drawn.New(t, 7, cluster).Ties(100*seed), plan, cluster)
		}
	})
	if freed == 0 {
		t.Error("not one plan empties a node")
	}
}

// TestFind_MakesRoom drains drawn clusters as a plan for room says, opens the emptied nodes, and creates the pods: they get nodes without
// preemption.
func TestFind_MakesRoom(t *testing.T) {
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		cluster := drawn.Cluster(t)
		cpu := rapid.SampledFrom([]string{"1", "2", "4", "6"}).Draw(t, "room")
		set := drawn.Set(t, drawn.Written("Job", "new", "set: new", rapid.IntRange(1, 2).Draw(t, "pods"), cpu))
		pods, err := set.Pods()
		if err != nil {
			t.Fatal(err)
		}
		s := drawn.New(t, 7, cluster)
		for _, pod := range s.Pods() {
			if pod.Spec.NodeName == "" {
				return // it may take the room before
			}
		}
		plan, err := consolidate.Find(s.Engine, consolidate.Options{Room: pods})
		if err != nil {
			t.Fatal(err)
		}
		if !plan.HasRoom {
			return
		}
		if len(plan.Freed()) > 0 {
			made++
			checkCarriedOut(t, s, plan, cluster)
			s.Open(plan.Freed())
		}
		if o := s.Create(set); o.Pending > 0 || o.Preempted > 0 {
			t.Errorf("%s, and really: %+v\n%s", plan.Verdict(), o, cluster)
		}
	})
	if made == 0 {
		t.Error("not one plan makes room")
	}
}

func checkCarriedOut(t *rapid.T, s *drawn.Scene, plan *consolidate.Plan, cluster string) {
	pending := func() (n int) {
		for _, pod := range s.Pods() {
			if pod.Spec.NodeName == "" {
				n++
			}
		}
		return n
	}
	before, waiting := len(s.Pods()), pending()
	if violated := s.Empty(plan.Waves, plan.CordonAll); violated != "" {
		t.Errorf("budget %s is violated\n%s", violated, cluster)
	}
	gone := map[string]bool{}
	for _, node := range plan.Freed() {
		gone[node] = true
	}
	for _, pod := range s.Pods() {
		if ref := metav1.GetControllerOf(pod); gone[pod.Spec.NodeName] && (ref == nil || ref.Kind != string(world.DaemonSet)) {
			t.Errorf("pod %s is on node %s, which was emptied\n%s", pod.Name, pod.Spec.NodeName, cluster)
		}
	}
	if got := len(s.Pods()); got != before {
		t.Errorf("there were %d pods, and there are %d\n%s", before, got, cluster)
	}
	if got := pending(); got > waiting {
		t.Errorf("%d pods were pending, and %d are\n%s", waiting, got, cluster)
	}
}
