package whatif_test

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/whatif"
	"orrery/core/evict/budget"
	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
)

func requests(cpu string) v1.ResourceList { return mk.Resources("cpu", cpu) }

func node(name, cpu string) *v1.Node { return mk.Node(name).CPU(cpu).Memory("16Gi").Obj() }

func onNode(name string) func(*v1.PodSpec) {
	return func(s *v1.PodSpec) { s.NodeSelector = map[string]string{v1.LabelHostname: name} }
}

func TestDrain_MovesPods(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 2, "1"))
	s.create(node("b", "4"))
	a := s.check("drain a", `
		web moved: a -> b
		web moved: a -> b
	`)
	if a.With.Moved != 2 || a.With.Evicted != 0 || a.Worse() {
		t.Errorf("after is %+v, worse %v", a.With, a.Worse())
	}
}

func TestDrain_IsBlockedByBudget(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 2, "1"), newBudget("web", 2))
	s.create(node("b", "4"))
	a := s.check("drain a", "")
	if len(a.Blocked) != 2 || a.Blocked[0].Budget != "web" {
		t.Fatalf("held are %+v", a.Blocked)
	}
	if want := "blocked: 2 of 2 pods cannot be evicted (budget default/web allows 0 disruptions)"; a.Verdict() != want || !a.Blocks() || a.Worse() {
		t.Errorf("the verdict is %q, want %q", a.Verdict(), want)
	}
	troubles := a.Blocked[0].Causes
	if len(troubles) != 1 || troubles[0].Kind != budget.RequiresAllPods || len(troubles[0].Remedies) == 0 {
		t.Errorf("in the way are %+v", troubles)
	}
}

func TestVerdict_NamesWhatIsBlockedFirst(t *testing.T) {
	s := newScene(t, node("a", "8"), set("web", 2, "1"), newBudget("web", 2), set("api", 3, "1"), mk.Pod("alone").CPU("1").Obj())
	s.create(node("b", "2"))
	for question, want := range map[string]string{
		"drain a": "blocked: 2 of 6 pods cannot be evicted (budget default/web allows 0 disruptions); " +
			"2 evicted and left pending, 2 moved",
		"delete pod alone":  "1 pod deleted",
		"add 1 node like a": "no pod would change outcome",
		"scale api 5":       "2 pods created",
	} {
		if got := s.evaluate(question).Verdict(); got != want {
			t.Errorf("%s: the verdict is %q, want %q", question, got, want)
		}
	}
}

func TestDrain_EvictsOneByOneUnderBudget(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 3, "1"), newBudget("web", 2))
	s.create(node("b", "4"))
	a := s.check("drain a", `
		web moved: a -> b
		web moved: a -> b
		web moved: a -> b
	`)
	if len(a.Blocked) > 0 {
		t.Errorf("held are %+v", a.Blocked)
	}
}

func TestDrain_BarePodIsNotRecreated(t *testing.T) {
	s := newScene(t, node("a", "4"), mk.Pod("alone").CPU("1").Obj())
	s.create(node("b", "4"))
	a := s.check("drain a", "alone evicted: a -> gone (eviction API)")
	if !a.Worse() || a.With.Evicted != 1 {
		t.Errorf("after is %+v, worse %v", a.With, a.Worse())
	}
}

func TestAddNodes_PlacesPendingPods(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 6, "1"))
	a := s.check("add 2 nodes like a", `
		web placed: unschedulable (Insufficient cpu) -> a-new1
		web placed: unschedulable (Insufficient cpu) -> a-new1
		web placed: unschedulable (Insufficient cpu) -> a-new2
		web placed: unschedulable (Insufficient cpu) -> a-new2
	`)
	if a.Without.Pending != 4 || a.With.Pending != 0 || a.With.Nodes != 3 {
		t.Errorf("before %+v, after %+v", a.Without, a.With)
	}
}

func TestCordon_EvictsNoPod(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 2, "1"))
	s.create(node("b", "4"))
	s.check("cordon b", "")
	s.check("scale web 3, cordon b", "web created: - -> unschedulable (Insufficient cpu)")
}

func TestUncordon_PlacesPendingPods(t *testing.T) {
	s := newScene(t, mk.Node("a").CPU("4").Unschedulable().Obj(), set("web", 1, "1"))
	s.check("uncordon a", "web placed: unschedulable (node(s) were unschedulable) -> a")
}

func TestSetPriority_Preempts(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("old").CPU("2").Obj())
	s.create(mk.Pod("new").CPU("2").Obj())
	a := s.check("priority new 1000", `
		new placed: unschedulable (Insufficient cpu) -> a
		old evicted: a -> gone (preemption)
	`)
	if a.With.Preempted != 1 || !a.Worse() {
		t.Errorf("after is %+v, worse %v", a.With, a.Worse())
	}
}

func TestSetPriority_TakesClassName(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("old").CPU("2").Obj())
	s.create(mk.Pod("new").CPU("2").Obj())
	s.check("priority new system-cluster-critical", `
		new placed: unschedulable (Insufficient cpu) -> a
		old evicted: a -> gone (preemption)
	`)
}

func TestScale_UpUntilNodesAreFull(t *testing.T) {
	s := newScene(t, node("a", "3"), set("web", 1, "1"))
	s.check("scale web 5", `
		web created: - -> a
		web created: - -> a
		web created: - -> unschedulable (Insufficient cpu)
		web created: - -> unschedulable (Insufficient cpu)
	`)
}

func TestScale_DownPlacesPendingPods(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 2, "1"))
	s.create(mk.Pod("late").CPU("1").Obj())
	a := s.check("scale web 1", `
		late placed: unschedulable (Insufficient cpu) -> a
		web gone: a -> gone (scaled down)
	`)
	if a.Worse() || a.With.Evicted != 0 || a.Verdict() != "1 pod placed, 1 deleted" && a.Verdict() != "1 pod deleted, 1 placed" {
		t.Errorf("after is %+v, the verdict is %q", a.With, a.Verdict())
	}
}

func TestScale_PodScalesItsOwner(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1"))
	s.check("scale "+s.podOf("web")+" 2", "web created: - -> a")
}

func TestScale_CopiesPodWithoutOwner(t *testing.T) {
	s := newScene(t, node("a", "3"), mk.Pod("alone").CPU("1").Obj())
	s.check("scale alone 3", `
		alone-new1 created: - -> a
		alone-new2 created: - -> a
	`)
	s.check("scale alone 0", "alone gone: a -> gone (scaled down)")
}

func TestSetRequests_SmallerPlacesPendingPod(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("big").CPU("3").Memory("1Gi").Obj())
	s.check("requests big cpu=2", "big placed: unschedulable (Insufficient cpu) -> a")
	a := s.check("requests big cpu=2 memory=17Gi", "")
	if len(a.StillPending) != 1 || a.StillPending[0].Kind != whatif.StillPending || describe(a.StillPending[0].Without) != "unschedulable (Insufficient cpu)" || describe(a.StillPending[0].With) != "unschedulable (Insufficient memory)" {
		t.Errorf("what waits either way is %+v", a.StillPending)
	}
}

func TestSetRequests_LargerMovesRunningPod(t *testing.T) {
	s := newScene(t, node("a", "2"), mk.Pod("small").CPU("1").Obj())
	s.create(node("b", "4"))
	s.check("requests small cpu=3", "small moved: a -> b")
	s.check("requests small cpu=5", "small evicted: a -> unschedulable (Insufficient cpu)")
}

func TestSetProfile_ChangesDecision(t *testing.T) {
	s := newSceneWith(t, twoProfiles(t), node("a", "4"), mk.Pod("first").CPU("1").Obj())
	s.create(node("b", "4"), mk.Pod("second").CPU("1").Obj())
	s.check("profile second packer", "second moved: b -> a")
}

func TestTaint_EvictsAfterTolerationSeconds(t *testing.T) {
	seconds := int64(600)
	s := newScene(t, node("a", "4"), set("web", 1, "1"), set("patient", 1, "1", func(s *v1.PodSpec) {
		s.Tolerations = []v1.Toleration{{Key: "fire", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds}}
	}))
	s.create(node("b", "4"))
	a := s.check("taint a fire=yes:NoExecute", `
		web moved: a -> b
		patient moved: a -> b
	`)
	if waited := a.RestAt.Sub(a.At); waited < 10*time.Minute || waited > 11*time.Minute {
		t.Errorf("it takes %v until all are at rest, and one tolerates the taint for 10 minutes", waited)
	}
}

func TestUntaint_PlacesPendingPods(t *testing.T) {
	s := newScene(t, mk.Node("a").CPU("4").Taint("team", "red", v1.TaintEffectNoSchedule).Obj(), mk.Pod("blue").CPU("1").Obj())
	const waits = "blue placed: unschedulable (node(s) had untolerated taint(s)) -> a"
	s.check("untaint a team", waits)
	s.check("untaint a team:NoSchedule", waits)
	s.check("tolerate blue team=red:NoSchedule", waits)
}

func TestDeleteNode_MovesPods(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1"), mk.Pod("alone").CPU("1").Obj())
	s.create(node("b", "4"))
	s.check("delete node a", `
		web moved: a -> b
		alone evicted: a -> gone (its node is gone)
	`)
}

func TestDeletePod_OwnerRecreatesIt(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1"), mk.Pod("alone").CPU("1").Obj())
	s.check("delete pod "+s.podOf("web"), "")
	s.check("delete pod alone", "alone gone: a -> gone (deleted by the change)")
}

func TestUngate_SchedulesPod(t *testing.T) {
	s := newScene(t, node("a", "4"), mk.Pod("shy").CPU("1").Gate("quota").Gate("license").Obj())
	s.check("ungate shy", "shy placed: gated (scheduling gates: quota, license) -> a")
}

func TestUnselect_OpensOtherNodes(t *testing.T) {
	s := newScene(t, node("a", "4"), set("web", 1, "1", onNode("nowhere")))
	s.check("unselect "+s.podOf("web")+" kubernetes.io/hostname",
		"web placed: unschedulable (node(s) didn't match Pod's node affinity/selector) -> a")
}

func TestSelect_CorrectsAKeyOrAValue(t *testing.T) {
	s := newScene(t, mk.Node("a").CPU("4").Memory("16Gi").Label("tier", "fast").Obj(),
		mk.Pod("key").CPU("1").NodeSelector("teir", "fast").Obj(), mk.Pod("value").CPU("1").NodeSelector("tier", "fats").Obj())
	const waits = "unschedulable (node(s) didn't match Pod's node affinity/selector) -> a"
	s.check("select key tier=fast replacing teir", "key placed: "+waits)
	s.check("select value tier=fast", "value placed: "+waits)
	s.check("label a teir=fast", "key placed: "+waits)
	if _, err := whatif.Evaluate(s.engine, changes(t, "select value tier=fast replacing disk"), whatif.Options{}); err == nil ||
		!strings.Contains(err.Error(), `pod "default/value" does not select nodes by "disk"`) {
		t.Errorf("replacing what is not selected: %v", err)
	}
}

func TestSpread_CountsOnlyNodesWhoseTaintsArePassed(t *testing.T) {
	s := newScene(t, zoned("a", "east", "4"), set("web", 1, "1"))
	lost := mk.Node("b").CPU("4").Memory("16Gi").Zone("west").Taint("lost", "", v1.TaintEffectNoSchedule)
	late := mk.Pod("late").CPU("1").Label("app", "web").Obj()
	late.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}
	s.create(lost.Obj(), late)
	for _, field := range []string{"nodeTaintsPolicy=Honor", "maxSkew=2", "whenUnsatisfiable=ScheduleAnyway"} {
		s.check("spread late topology.kubernetes.io/zone "+field, "late placed: unschedulable (node(s) didn't match pod topology spread constraints) -> a")
	}
	if _, err := whatif.Evaluate(s.engine, changes(t, "spread late zone maxSkew=2"), whatif.Options{}); err == nil {
		t.Error("a constraint that is not there is changed")
	}
}

func TestEvaluate_SeveralChanges(t *testing.T) {
	s := newScene(t, node("a", "2"), set("web", 2, "1"))
	s.create(node("b", "1"))
	s.check("drain a, add 1 node like b", `
		web moved: a -> b
		web moved: a -> b-new1
	`)
}

func TestMove_MakesRoom(t *testing.T) {
	s := newScene(t, node("a", "4"), mk.Pod("api").CPU("2").Obj())
	s.create(node("b", "2"), mk.Pod("big").CPU("3").Obj())
	s.check("move api b", `
		api moved: a -> b
		big placed: unschedulable (Insufficient cpu) -> a
	`)
	for question, want := range map[string]string{
		"move big b": `pod "default/big" does not fit on node "b"`,
		"move api c": `there is no node "c"`,
	} {
		if _, err := whatif.Evaluate(s.engine, changes(t, question), whatif.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", question, err, want)
		}
	}
}

func TestTolerations_CompareWithFeatureGate(t *testing.T) {
	for _, on := range []bool{true, false} {
		features, err := config.ParseFeatures(map[string]bool{string(config.TaintTolerationComparisonOperators): on})
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"), features)
		if err != nil {
			t.Fatal(err)
		}
		web := mk.Pod("web").CPU("1").Toleration(v1.Toleration{Key: "level", Operator: v1.TolerationOpLt, Value: "5"})
		s := newSceneWith(t, c, node("a", "4"), web.Obj())
		s.create(mk.Node("b").CPU("4").Taint("level", "9", v1.TaintEffectNoSchedule).Obj(), mk.Pod("big").CPU("4").Obj())
		tolerate := changes(t, "tolerate big level<10")
		if on {
			s.check("taint a level=3:NoExecute", "")
			s.check("tolerate big level<10", "big placed: unschedulable (Insufficient cpu) -> b")
			continue
		}
		s.check("taint a level=3:NoExecute", "web evicted: a -> gone (taint)")
		if _, err := whatif.Evaluate(s.engine, tolerate, whatif.Options{}); err == nil || !strings.Contains(err.Error(), "feature gate") {
			t.Errorf("without the gate the toleration is accepted: %v", err)
		}
	}
}
