package whatif_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/budget"
	"orrery/core/mk"
	"orrery/core/whatif"
)

func requests(cpu string) v1.ResourceList { return mk.Resources("cpu", cpu) }

func node(name, cpu string) *v1.Node { return mk.Node(name).CPU(cpu).Memory("16Gi").Obj() }

func onNode(name string) func(*v1.PodSpec) {
	return func(s *v1.PodSpec) { s.NodeSelector = map[string]string{v1.LabelHostname: name} }
}

func TestADrainMovesPodsThatFitElsewhere(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 2, "1"))
	s.create(node("b", "4"))
	a := s.wants("drain a", `
		web moved: a -> b
		web moved: a -> b
	`)
	if a.After.Moved != 2 || a.After.Evicted != 0 || a.Worse() {
		t.Errorf("after is %+v, worse %v", a.After, a.Worse())
	}
}

func TestADrainIsHeldByABudget(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 2, "1"), guard("web", 2))
	s.create(node("b", "4"))
	a := s.wants("drain a", "")
	if len(a.Held) != 2 || a.Held[0].Budget != "web" {
		t.Fatalf("held are %+v", a.Held)
	}
	troubles := a.Held[0].Troubles
	if len(troubles) != 1 || troubles[0].Trouble != budget.AsksForAll || len(troubles[0].Remedies) == 0 {
		t.Errorf("in the way are %+v", troubles)
	}
}

func TestADrainGoesOnAsABudgetAllowsOneAfterTheOther(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 3, "1"), guard("web", 2))
	s.create(node("b", "4"))
	a := s.wants("drain a", `
		web moved: a -> b
		web moved: a -> b
		web moved: a -> b
	`)
	if len(a.Held) > 0 {
		t.Errorf("held are %+v", a.Held)
	}
}

func TestABarePodDoesNotComeBack(t *testing.T) {
	s := newScene(t, node("a", "4"), mk.Pod("alone").CPU("1").Obj())
	s.create(node("b", "4"))
	a := s.wants("drain a", "alone evicted: a -> gone (eviction API)")
	if !a.Worse() || a.After.Evicted != 1 {
		t.Errorf("after is %+v, worse %v", a.After, a.Worse())
	}
}

func TestMoreNodesFreeWhatWaits(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 6, "1"))
	a := s.wants("add 2 nodes like a", `
		web placed: unschedulable (Insufficient cpu) -> a-new1
		web placed: unschedulable (Insufficient cpu) -> a-new1
		web placed: unschedulable (Insufficient cpu) -> a-new2
		web placed: unschedulable (Insufficient cpu) -> a-new2
	`)
	if a.Before.Pending != 4 || a.After.Pending != 0 || a.After.Nodes != 3 {
		t.Errorf("before %+v, after %+v", a.Before, a.After)
	}
}

func TestACordonKeepsPodsAwayAndMovesNobody(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 2, "1"))
	s.create(node("b", "4"))
	s.wants("cordon b", "")
	s.wants("scale web 3, cordon b", "web arrives: - -> unschedulable (Insufficient cpu)")
}

func TestAnUncordonedNodeTakesWhatWaits(t *testing.T) {
	s := newScene(t, mk.Node("a").CPU("4").Unschedulable().Obj(), set("web", 1, "1"))
	s.wants("uncordon a", "web placed: unschedulable (node(s) were unschedulable) -> a")
}

func TestAHigherPriorityMakesRoom(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("old").CPU("2").Obj())
	s.create(mk.Pod("new").CPU("2").Obj())
	a := s.wants("priority new 1000", `
		new placed: unschedulable (Insufficient cpu) -> a
		old evicted: a -> gone (preemption)
	`)
	if a.After.Preempted != 1 || !a.Worse() {
		t.Errorf("after is %+v, worse %v", a.After, a.Worse())
	}
}

func TestAPriorityClassIsAPriorityToo(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("old").CPU("2").Obj())
	s.create(mk.Pod("new").CPU("2").Obj())
	s.wants("priority new system-cluster-critical", `
		new placed: unschedulable (Insufficient cpu) -> a
		old evicted: a -> gone (preemption)
	`)
}

func TestScalingUpMakesPodsUntilThereIsNoMoreRoom(t *testing.T) {
	s := newScene(t, node("a", "3"), set("web", 1, "1"))
	s.wants("scale web 5", `
		web arrives: - -> a
		web arrives: - -> a
		web arrives: - -> unschedulable (Insufficient cpu)
		web arrives: - -> unschedulable (Insufficient cpu)
	`)
}

func TestScalingDownMakesRoomForWhatWaits(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 2, "1"))
	s.create(mk.Pod("late").CPU("1").Obj())
	s.wants("scale web 1", `
		late placed: unschedulable (Insufficient cpu) -> a
		web evicted: a -> gone (deleted)
	`)
}

func TestAPodIsScaledByItsOwner(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1"))
	s.wants("scale "+s.podOf("web")+" 2", "web arrives: - -> a")
}

func TestAPodWithoutOwnerIsScaledByMakingOthersLikeIt(t *testing.T) {
	s := newScene(t, node("a", "3"), mk.Pod("alone").CPU("1").Obj())
	s.wants("scale alone 3", `
		alone-new1 arrives: - -> a
		alone-new2 arrives: - -> a
	`)
	s.wants("scale alone 0", "alone evicted: a -> gone (deleted)")
}

func TestSmallerRequestsPlaceAPodThatWaits(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("big").CPU("3").Memory("1Gi").Obj())
	s.wants("requests big cpu=2", "big placed: unschedulable (Insufficient cpu) -> a")
	a := s.wants("requests big cpu=2 memory=17Gi", "")
	if len(a.Waiting) != 1 || a.Waiting[0].Fate != whatif.Waits || fare(a.Waiting[0].Before) != "unschedulable (Insufficient cpu)" || fare(a.Waiting[0].After) != "unschedulable (Insufficient memory)" {
		t.Errorf("what waits either way is %+v", a.Waiting)
	}
}

func TestLargerRequestsMoveAPodThatRuns(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("small").CPU("1").Obj())
	s.create(node("b", "4"))
	s.wants("requests small cpu=3", "small moved: a -> b")
	s.wants("requests small cpu=5", "small evicted: a -> unschedulable (Insufficient cpu)")
}

func TestAnotherProfileDecidesDifferently(t *testing.T) {
	s := newSceneWith(t, twoProfiles(t), node("a", "4"), mk.Pod("first").CPU("1").Obj())
	s.create(node("b", "4"), mk.Pod("second").CPU("1").Obj())
	s.wants("profile second packer", "second moved: b -> a")
}

func TestATaintMakesPodsLeaveWhenTheirToleranceIsOver(t *testing.T) {
	seconds := int64(600)
	s := newScene(t, node("a", "4"), set("web", 1, "1"), set("patient", 1, "1", func(s *v1.PodSpec) {
		s.Tolerations = []v1.Toleration{{Key: "fire", Operator: v1.TolerationOpExists, TolerationSeconds: &seconds}}
	}))
	s.create(node("b", "4"))
	a := s.wants("taint a fire=yes:NoExecute", `
		web moved: a -> b
		patient moved: a -> b
	`)
	if waited := a.Rest.Sub(a.At); waited < 10*time.Minute || waited > 11*time.Minute {
		t.Errorf("it takes %v until all are at rest, and one tolerates the taint for 10 minutes", waited)
	}
}

func TestATaintTakenOffLetsPodsIn(t *testing.T) {
	s := newScene(t, mk.Node("a").CPU("4").Taint("team", "red", v1.TaintEffectNoSchedule).Obj(), mk.Pod("blue").CPU("1").Obj())
	const waits = "blue placed: unschedulable (node(s) had untolerated taint(s)) -> a"
	s.wants("untaint a team", waits)
	s.wants("untaint a team:NoSchedule", waits)
	s.wants("tolerate blue team=red:NoSchedule", waits)
}

func TestADeletedNodeLosesItsPodsToOthers(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1"), mk.Pod("alone").CPU("1").Obj())
	s.create(node("b", "4"))
	s.wants("delete node a", `
		web moved: a -> b
		alone evicted: a -> gone (its node is gone)
	`)
}

func TestADeletedPodComesBackIfItHasAnOwner(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1"), mk.Pod("alone").CPU("1").Obj())
	s.wants("delete pod "+s.podOf("web"), "")
	s.wants("delete pod alone", "alone evicted: a -> gone (deleted)")
}

func TestAnUngatedPodIsTried(t *testing.T) {
	s := newScene(t, node("a", "4"), mk.Pod("shy").CPU("1").Gate("quota").Gate("license").Obj())
	s.wants("ungate shy", "shy placed: gated (held by its scheduling gates: quota, license) -> a")
}

func TestASelectorThatIsDroppedOpensOtherNodes(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1", onNode("nowhere")))
	s.wants("unselect "+s.podOf("web")+" kubernetes.io/hostname",
		"web placed: unschedulable (node(s) didn't match Pod's node affinity/selector) -> a")
}

func TestSeveralChangesAreMadeTogether(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 2, "1"))
	s.create(node("b", "1"))
	s.wants("drain a, add 1 node like b", `
		web moved: a -> b
		web moved: a -> b-new1
	`)
}
