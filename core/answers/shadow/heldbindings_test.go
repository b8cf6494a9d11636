package shadow_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// harness is a shadow with methods that apply objects one by one.
type harness struct {
	*shadow.Shadow
	t   *testing.T
	now time.Time
}

func newHarness(t *testing.T, c *config.Configuration, objects ...world.Object) *harness {
	t.Helper()
	s, err := shadow.New(shadow.Options{Engine: engine.Options{Config: c, Start: start, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w := &harness{s, t, start}
	for _, o := range objects {
		w.update(o)
	}
	return w
}

func (w *harness) update(o world.Object) { w.apply(world.Changed{Op: world.Modified, Object: o}) }
func (w *harness) remove(o world.Object) {
	w.apply(world.Changed{Op: world.Deleted, Object: o})
}

func (w *harness) apply(event world.Event) {
	w.t.Helper()
	if err := w.Apply(world.Input{At: w.now, Event: event}); err != nil {
		w.t.Fatal(err)
	}
	for more := true; more; {
		_, more = w.Step()
	}
	if err := w.Engine().Check(); err != nil {
		w.t.Fatal(err)
	}
}

// pass advances the time, with every timer at its time.
func (w *harness) pass(d time.Duration) {
	w.t.Helper()
	end := w.now.Add(d)
	for at, due := w.NextWake(); due && !at.After(end); at, due = w.NextWake() {
		if at.After(w.now) {
			w.now = at
		}
		w.apply(world.Tick{})
	}
	w.now = end
	w.apply(world.Tick{})
}

func (w *harness) wantState(pod string, want engine.PodState) {
	w.t.Helper()
	if got := w.Engine().PodState("default", pod); got != want {
		w.t.Errorf("%s is %s, want %s", pod, got, want)
	}
}

// cpuOn returns a node's requested millicores in the engine's cache.
func (w *harness) cpuOn(node string) int64 {
	for info := range w.Engine().Cache().RecentlyChanged() {
		if info.Node().Name == node {
			return info.GetRequested().GetMilliCPU()
		}
	}
	return -1
}

func on(pod *v1.Pod, node string) *v1.Pod {
	c := pod.DeepCopy()
	c.Spec.NodeName = node
	return c
}

// unschedulable returns a pod that the cluster's scheduler declared unschedulable.
func unschedulable(pod *v1.Pod) *v1.Pod {
	c := pod.DeepCopy()
	c.Status.Conditions = append(c.Status.Conditions, v1.PodCondition{
		Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable, Message: "0/2 nodes are available: 2 Insufficient cpu.",
	})
	return c
}

var (
	big = mk.Node("big").CPU("8").Memory("16Gi").Obj()
	low = mk.Node("low").CPU("2").Memory("4Gi").Obj()
	web = mk.Pod("web").CPU("1").Obj()
)

func TestHeldBindings_LastUntilClusterDecides(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(w *harness)
		want engine.PodState
		big  int64
	}{
		{"no result for a while", func(w *harness) { w.pass(shadow.PredictionTimeout - time.Second) }, engine.StateBinding, 1000},
		{"bound to the same node", func(w *harness) { w.update(on(web, "big")) }, engine.StateBound, 1000},
		{"bound to another node", func(w *harness) { w.update(on(web, "low")) }, engine.StateBound, 0},
		{"declared unschedulable", func(w *harness) { w.update(unschedulable(web)) }, engine.StateBackoff, 0},
		{"deleted", func(w *harness) { w.remove(web) }, engine.StateGone, 0},
		{"a list with another node", func(w *harness) {
			w.apply(world.Listed{Kind: world.Pod, Objects: []world.Object{on(web, "low")}})
		}, engine.StateBound, 0},
		{"a list without it", func(w *harness) { w.apply(world.Listed{Kind: world.Pod}) }, engine.StateGone, 0},
		{"no result until the timeout", func(w *harness) { w.pass(shadow.PredictionTimeout) }, engine.StateBackoff, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), big, low, web)
			w.wantState("web", engine.StateBinding)
			tt.then(w)
			w.wantState("web", tt.want)
			if got := w.cpuOn("big"); got != tt.big {
				t.Errorf("%dm cpu of big are requested, want %dm", got, tt.big)
			}
			if held := w.Predicted(); (held > 0) != (tt.want == engine.StateBinding) {
				t.Errorf("%d held bindings", held)
			}
		})
	}
}

func TestComparator_ClassifiesDecisions(t *testing.T) {
	huge := mk.Pod("web").CPU("4").Obj()
	tainted := mk.Node("tainted").CPU("8").Memory("16Gi").Taint("dedicated", "ml", v1.TaintEffectNoSchedule).Obj()
	for _, tt := range []struct {
		name  string
		nodes []world.Object
		pod   *v1.Pod
		real  *v1.Pod
		class shadow.Class
		check func(f *shadow.Finding) bool
	}{
		{"the best node agrees", []world.Object{big, low}, web, on(web, "big"), shadow.Agreed, nil},
		{"a node with a lower score differs", []world.Object{big, low}, web, on(web, "low"), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Best > f.Score && f.BestNodes[0] == "big" && f.Margins[0].Plugin == "NodeResourcesFit" && f.Feasible == 2
		}},
		{"a node without free cpu: the plugin's objection", []world.Object{big, low}, huge, on(huge, "low"), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Objections[0].Plugin == "NodeResourcesFit" && f.Objections[0].Reason == "Insufficient cpu" && f.BestNodes[0] == "big"
		}},
		{"a tainted node: the plugin's objection", []world.Object{big, tainted}, web, on(web, "tainted"), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Objections[0].Plugin == "TaintToleration"
		}},
		{"unschedulable agrees without a feasible node", []world.Object{low}, huge, unschedulable(huge), shadow.Agreed, nil},
		{"unschedulable differs with a feasible node", []world.Object{big, low}, huge, unschedulable(huge), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Real == "" && f.Feasible == 1 && f.BestNodes[0] == "big" && f.Message != ""
		}},
		{"an infeasible node differs without a feasible one", []world.Object{low}, huge, on(huge, "low"), shadow.Differs, func(f *shadow.Finding) bool {
			return len(f.BestNodes) == 0 && f.Objections[0].Plugin == "NodeResourcesFit"
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), tt.nodes...)
			w.pass(time.Second)
			w.update(tt.pod)
			w.pass(2 * time.Second)
			w.update(tt.real)
			if n := w.Comparator().Counters().Compared(); n != 0 {
				t.Fatalf("%d decisions were compared before the window has passed", n)
			}
			w.pass(shadow.Window)
			counters := w.Comparator().Counters()
			if got := [...]uint64{counters.Agreed, counters.Explained, counters.Differs}; got[tt.class] != 1 || counters.Compared() != 1 {
				t.Fatalf("counters %+v, want one %s", counters, tt.class)
			}
			for f := range w.Comparator().Findings() {
				if !tt.check(f) {
					t.Errorf("the finding is %s", findingText(f))
				}
			}
		})
	}
}

func TestComparator_ExplainsByReorderedEvents(t *testing.T) {
	filler := mk.Pod("filler").CPU("7").Obj()
	for _, tt := range []struct {
		name string
		then func(w *harness)
		want shadow.Cause
	}{
		{"a pod assumed before its binding arrived", func(w *harness) {
			w.update(on(web, "low"))
			w.pass(40 * time.Millisecond)
			w.update(on(filler, "big"))
		}, shadow.Cause{SeenEarly: true, What: "default/filler → big", Offset: 40 * time.Millisecond}},
		{"a node it had not seen yet", func(w *harness) {
			w.update(mk.Node("new").CPU("32").Memory("64Gi").Obj())
			w.pass(30 * time.Millisecond)
			w.update(on(web, "big"))
		}, shadow.Cause{What: "Node new was added", Offset: 30 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), big, low)
			w.pass(time.Second)
			w.update(filler)
			w.update(web)
			w.pass(2 * time.Second)
			tt.then(w)
			w.pass(shadow.MaxHold + shadow.Window) // filler is before web in the queue
			n := 0
			for f := range w.Comparator().Findings() {
				if f.Pod.Name != "web" {
					continue
				}
				if n++; f.Class != shadow.Explained || len(f.Causes) != 1 || f.Causes[0] != tt.want {
					t.Errorf("the finding is %s, want the cause %+v", findingText(f), tt.want)
				}
			}
			if n != 1 {
				t.Errorf("%d findings about web, want one", n)
			}
		})
	}
}

func TestComparator_OldEventsExplainNothing(t *testing.T) {
	w := newHarness(t, allNodesScored(), low, web)
	w.pass(time.Second)
	w.update(big)
	w.pass(2 * shadow.Window)
	w.update(on(web, "low"))
	w.pass(shadow.Window)
	if counters := w.Comparator().Counters(); counters.Differs != 1 {
		t.Errorf("counters %+v, want one Differs: the node existed for a second", counters)
	}
}

func TestComparator_SkipsUnseenDecisions(t *testing.T) {
	w := newHarness(t, allNodesScored(), big, low, web)
	w.pass(time.Second)
	w.update(on(mk.Pod("created-bound").CPU("1").Obj(), "low"))
	w.update(mk.Pod("other-scheduler").Scheduler("other").CPU("1").Obj())
	w.update(on(mk.Pod("other-scheduler").Scheduler("other").CPU("1").Obj(), "low"))
	w.apply(world.Listed{Kind: world.Pod, Objects: []world.Object{on(web, "low")}})
	w.pass(shadow.Window)
	if counters, want := w.Comparator().Counters(), (shadow.Counters{NotCompared: 1, OtherSchedulers: 1}); counters != want {
		t.Errorf("counters %+v, want %+v", counters, want)
	}
}

func TestComparator_BoundsFindings(t *testing.T) {
	w := newHarness(t, allNodesScored(), mk.Node("big").CPU("8").Memory("16Gi").Pods("10000").Obj(), mk.Node("low").CPU("2").Memory("4Gi").Pods("10000").Obj())
	w.pass(time.Second)
	const pods = 900
	for i := range pods {
		pod := mk.Pod(fmt.Sprintf("pod-%d", i)).Obj()
		pod.Spec.Containers[0].Resources.Requests = mk.Resources("example.com/none", "1")
		w.update(pod)
		w.pass(2 * time.Second)
		w.update(on(pod, "low"))
		w.pass(2 * shadow.Window)
		w.remove(on(pod, "low"))
	}
	if counters := w.Comparator().Counters(); counters.Differs != pods {
		t.Errorf("counters %+v, want %d differences", counters, pods)
	}
	n, last := 0, uint64(pods+1)
	for f := range w.Comparator().Findings() {
		if n++; f.Seq >= last {
			t.Fatalf("finding %d follows finding %d", f.Seq, last)
		}
		last = f.Seq
	}
	if n != w.Comparator().FindingCount() || n >= pods {
		t.Errorf("%d findings, FindingCount %d, of %d", n, w.Comparator().FindingCount(), pods)
	}
}
