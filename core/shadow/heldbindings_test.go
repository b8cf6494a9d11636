package shadow_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/shadow"
	"orrery/core/world"
)

// watcher is a shadow with methods that apply objects one by one.
type watcher struct {
	*shadow.Shadow
	t   *testing.T
	now time.Time
}

func watching(t *testing.T, c *config.Configuration, objects ...world.Object) *watcher {
	t.Helper()
	s, err := shadow.New(shadow.Options{Engine: engine.Options{Config: c, Start: start, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{s, t, start}
	for _, o := range objects {
		w.sees(o)
	}
	return w
}

func (w *watcher) sees(o world.Object) { w.applies(world.Changed{Op: world.Modified, Object: o}) }
func (w *watcher) loses(o world.Object) {
	w.applies(world.Changed{Op: world.Deleted, Object: o})
}

func (w *watcher) applies(event world.Event) {
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

// passes advances time, with every timer at its time.
func (w *watcher) passes(d time.Duration) {
	w.t.Helper()
	end := w.now.Add(d)
	for at, due := w.NextWake(); due && !at.After(end); at, due = w.NextWake() {
		if at.After(w.now) {
			w.now = at
		}
		w.applies(world.Tick{})
	}
	w.now = end
	w.applies(world.Tick{})
}

func (w *watcher) is(pod string, want engine.PodState) {
	w.t.Helper()
	if got := w.Engine().PodState("default", pod); got != want {
		w.t.Errorf("%s is %s, want %s", pod, got, want)
	}
}

// cpuOn returns a node's requested millicores in the engine's cache.
func (w *watcher) cpuOn(node string) int64 {
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

// turnedDown returns a pod that the cluster's scheduler declared unschedulable.
func turnedDown(pod *v1.Pod) *v1.Pod {
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
		then func(w *watcher)
		want engine.PodState
		big  int64
	}{
		{"nothing happens for a while", func(w *watcher) { w.passes(shadow.PredictionTimeout - time.Second) }, engine.StateBinding, 1000},
		{"it is bound there", func(w *watcher) { w.sees(on(web, "big")) }, engine.StateBound, 1000},
		{"it is bound elsewhere", func(w *watcher) { w.sees(on(web, "low")) }, engine.StateBound, 0},
		{"it is declared unschedulable", func(w *watcher) { w.sees(turnedDown(web)) }, engine.StateBackoff, 0},
		{"it is deleted", func(w *watcher) { w.loses(web) }, engine.StateGone, 0},
		{"a list shows it elsewhere", func(w *watcher) {
			w.applies(world.Listed{Kind: world.Pod, Objects: []world.Object{on(web, "low")}})
		}, engine.StateBound, 0},
		{"a list does not show it", func(w *watcher) { w.applies(world.Listed{Kind: world.Pod}) }, engine.StateGone, 0},
		{"nothing happens for too long", func(w *watcher) { w.passes(shadow.PredictionTimeout) }, engine.StateBackoff, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watching(t, whole(), big, low, web)
			w.is("web", engine.StateBinding)
			tt.then(w)
			w.is("web", tt.want)
			if got := w.cpuOn("big"); got != tt.big {
				t.Errorf("%d of big's cpu is taken, want %d", got, tt.big)
			}
			if held := w.Predicted(); (held > 0) != (tt.want == engine.StateBinding) {
				t.Errorf("%d predictions stand", held)
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
		says  func(f *shadow.Finding) bool
	}{
		{"the best node is agreed with", []world.Object{big, low}, web, on(web, "big"), shadow.Agreed, nil},
		{"a node that is less good differs", []world.Object{big, low}, web, on(web, "low"), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Best > f.Score && f.BestNodes[0] == "big" && f.Margins[0].Plugin == "NodeResourcesFit" && f.Feasible == 2
		}},
		{"one without room is objected to by the plugin", []world.Object{big, low}, huge, on(huge, "low"), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Objections[0].Plugin == "NodeResourcesFit" && f.Objections[0].Reason == "Insufficient cpu" && f.BestNodes[0] == "big"
		}},
		{"so is one with a taint", []world.Object{big, tainted}, web, on(web, "tainted"), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Objections[0].Plugin == "TaintToleration"
		}},
		{"no node is agreed with where none would do", []world.Object{low}, huge, turnedDown(huge), shadow.Agreed, nil},
		{"no node differs where one would do", []world.Object{big, low}, huge, turnedDown(huge), shadow.Differs, func(f *shadow.Finding) bool {
			return f.Real == "" && f.Feasible == 1 && f.BestNodes[0] == "big" && f.Message != ""
		}},
		{"a node differs where none would do", []world.Object{low}, huge, on(huge, "low"), shadow.Differs, func(f *shadow.Finding) bool {
			return len(f.BestNodes) == 0 && f.Objections[0].Plugin == "NodeResourcesFit"
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watching(t, whole(), tt.nodes...)
			w.passes(time.Second)
			w.sees(tt.pod)
			w.passes(2 * time.Second)
			w.sees(tt.real)
			if n := w.Comparator().Counters().Compared(); n != 0 {
				t.Fatalf("%d were judged before it is known what comes next", n)
			}
			w.passes(shadow.Window)
			tally := w.Comparator().Counters()
			if got := [...]uint64{tally.Agreed, tally.Explained, tally.Differs}; got[tt.class] != 1 || tally.Compared() != 1 {
				t.Fatalf("counted %+v, want one that is %s", tally, tt.class)
			}
			for f := range w.Comparator().Findings() {
				if !tt.says(f) {
					t.Errorf("it says: %s", wordsOf(f))
				}
			}
		})
	}
}

func TestComparator_ExplainsByReorderedEvents(t *testing.T) {
	filler := mk.Pod("filler").CPU("7").Obj()
	for _, tt := range []struct {
		name  string
		story func(w *watcher)
		want  shadow.Cause
	}{
		{"it had placed a pod already whose binding came later", func(w *watcher) {
			w.sees(on(web, "low"))
			w.passes(40 * time.Millisecond)
			w.sees(on(filler, "big"))
		}, shadow.Cause{SeenEarly: true, What: "default/filler → big", Offset: 40 * time.Millisecond}},
		{"it had not seen yet that a node came", func(w *watcher) {
			w.sees(mk.Node("new").CPU("32").Memory("64Gi").Obj())
			w.passes(30 * time.Millisecond)
			w.sees(on(web, "big"))
		}, shadow.Cause{What: "Node new came", Offset: 30 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watching(t, whole(), big, low)
			w.passes(time.Second)
			w.sees(filler)
			w.sees(web)
			w.passes(2 * time.Second)
			tt.story(w)
			w.passes(shadow.MaxHold + shadow.Window) // filler is before web in the queue
			n := 0
			for f := range w.Comparator().Findings() {
				if f.Pod.Name != "web" {
					continue
				}
				if n++; f.Class != shadow.Explained || len(f.Causes) != 1 || f.Causes[0] != tt.want {
					t.Errorf("it says %s, want that it is explained by %+v", wordsOf(f), tt.want)
				}
			}
			if n != 1 {
				t.Errorf("%d findings about web, want one", n)
			}
		})
	}
}

func TestComparator_OldEventsExplainNothing(t *testing.T) {
	w := watching(t, whole(), low, web)
	w.passes(time.Second)
	w.sees(big)
	w.passes(2 * shadow.Window)
	w.sees(on(web, "low"))
	w.passes(shadow.Window)
	if tally := w.Comparator().Counters(); tally.Differs != 1 {
		t.Errorf("counted %+v, want a difference: the node was there for a second", tally)
	}
}

func TestComparator_SkipsUnseenDecisions(t *testing.T) {
	w := watching(t, whole(), big, low, web)
	w.passes(time.Second)
	w.sees(on(mk.Pod("came with a node").CPU("1").Obj(), "low"))
	w.sees(mk.Pod("of another").Scheduler("other").CPU("1").Obj())
	w.sees(on(mk.Pod("of another").Scheduler("other").CPU("1").Obj(), "low"))
	w.applies(world.Listed{Kind: world.Pod, Objects: []world.Object{on(web, "low")}})
	w.passes(shadow.Window)
	if tally, want := w.Comparator().Counters(), (shadow.Counters{NotCompared: 1, OtherSchedulers: 1}); tally != want {
		t.Errorf("counted %+v, want %+v", tally, want)
	}
}

func TestComparator_BoundsFindings(t *testing.T) {
	w := watching(t, whole(), mk.Node("big").CPU("8").Memory("16Gi").Pods("10000").Obj(), mk.Node("low").CPU("2").Memory("4Gi").Pods("10000").Obj())
	w.passes(time.Second)
	const pods = 900
	for i := range pods {
		pod := mk.Pod(fmt.Sprintf("pod-%d", i)).Obj()
		pod.Spec.Containers[0].Resources.Requests = mk.Resources("example.com/none", "1")
		w.sees(pod)
		w.passes(2 * time.Second)
		w.sees(on(pod, "low"))
		w.passes(2 * shadow.Window)
		w.loses(on(pod, "low"))
	}
	if tally := w.Comparator().Counters(); tally.Differs != pods {
		t.Errorf("counted %+v, want %d differences", tally, pods)
	}
	n, last := 0, uint64(pods+1)
	for f := range w.Comparator().Findings() {
		if n++; f.Seq >= last {
			t.Fatalf("number %d comes after number %d", f.Seq, last)
		}
		last = f.Seq
	}
	if n != w.Comparator().FindingCount() || n >= pods {
		t.Errorf("%d findings are kept, %d said, of %d", n, w.Comparator().FindingCount(), pods)
	}
}
