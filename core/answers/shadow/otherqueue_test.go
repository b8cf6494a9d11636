package shadow_test

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/shadow"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// finding returns the finding about a pod; decisions that agree have none.
func (w *harness) finding(pod string) *shadow.Finding {
	w.t.Helper()
	for f := range w.Comparator().Findings() {
		if f.Pod.Name == pod {
			return f
		}
	}
	w.t.Fatalf("no finding about %s: %+v", pod, w.Comparator().Counters())
	return nil
}

func held(by string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "kube-scheduler", UID: "lease"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &by},
	}
}

// Web got a node that is worse than big, unless filler was decided before and filled big; filler's binding arrived
// after web's.
func TestComparator_QueueOrderLimitsCauses(t *testing.T) {
	add := func(pods ...*v1.Pod) func(*harness) {
		return func(w *harness) {
			for _, pod := range pods {
				w.update(pod)
				w.pass(10 * time.Millisecond)
			}
		}
	}
	filler, urgent, idle := mk.Pod("filler").CPU("7").Obj(), mk.Pod("filler").CPU("7").Priority(10).Obj(), mk.Pod("filler").CPU("7").Priority(-10).Obj()
	gated := mk.Pod("filler").CPU("7").Obj()
	gated.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}}
	for _, tt := range []struct {
		name    string
		begin   func(*harness)
		delayed time.Duration
		class   shadow.Class
	}{
		{"filler came before", add(filler, web), 40 * time.Millisecond, shadow.Explained},
		{"filler came before, and was bound much later", add(filler, web), 2 * time.Second, shadow.Explained},
		{"filler came before, and was bound after MaxHold", add(filler, web), shadow.MaxHold + time.Second, shadow.Differs},
		{"filler came after", add(web, filler), 40 * time.Millisecond, shadow.Differs},
		{"filler came after, with a higher priority", add(web, urgent), 40 * time.Millisecond, shadow.Explained},
		{"filler came after, with a lower priority", add(web, idle), 40 * time.Millisecond, shadow.Differs},
		{"filler came before, with a lower priority", add(idle, web), 40 * time.Millisecond, shadow.Explained},
		{"filler came after, and web had been unschedulable", add(web, unschedulable(web), filler), 40 * time.Millisecond, shadow.Explained},
		{"filler came after, and had been unschedulable", add(web, filler, unschedulable(filler)), 40 * time.Millisecond, shadow.Explained},
		{"filler came after, and was gated at first", add(web, gated, filler), 40 * time.Millisecond, shadow.Explained},
		{"filler came after, and another replica became leader", func(w *harness) {
			add(web, filler)(w)
			w.update(held("one"))
			w.update(held("two"))
		}, 40 * time.Millisecond, shadow.Explained},
		{"filler came after, and the leader renewed its lease", func(w *harness) {
			add(web, filler)(w)
			w.update(held("one"))
			w.update(held("one"))
		}, 40 * time.Millisecond, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), big, low)
			w.pass(time.Second)
			tt.begin(w)
			w.pass(2 * time.Second)
			w.update(on(web, "low"))
			w.pass(tt.delayed)
			w.update(on(filler, "big"))
			w.pass(shadow.MaxHold + shadow.Window)
			f := w.finding("web")
			if f.Class != tt.class {
				t.Errorf("the finding is %s, want %s", findingText(f), tt.class)
			}
			if tt.class == shadow.Explained && (len(f.Causes) != 1 || !f.Causes[0].SeenEarly || f.Causes[0].What != "default/filler → big") {
				t.Errorf("the causes are %+v", f.Causes)
			}
		})
	}
}

// Web got a node that was full, unless filler was decided later, although its binding arrived earlier.
func TestComparator_UndoesLaterPod(t *testing.T) {
	filler := mk.Pod("filler").CPU("7").Obj()
	for _, tt := range []struct {
		name  string
		pods  []*v1.Pod
		class shadow.Class
	}{
		{"filler came after", []*v1.Pod{web, filler}, shadow.Explained},
		{"filler came before", []*v1.Pod{filler, web}, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), big, low)
			w.pass(time.Second)
			for _, pod := range tt.pods {
				w.update(pod)
			}
			w.update(on(filler, "big"))
			w.pass(40 * time.Millisecond)
			w.update(on(web, "big"))
			w.pass(shadow.Window)
			f := w.finding("web")
			if f.Class != tt.class {
				t.Errorf("the finding is %s, want %s", findingText(f), tt.class)
			}
			if want := (shadow.Cause{What: "default/filler → big", Offset: 40 * time.Millisecond}); tt.class == shadow.Explained && (len(f.Causes) != 1 || f.Causes[0] != want) {
				t.Errorf("the causes are %+v", f.Causes)
			}
		})
	}
}

// A better node arrived two seconds before web was bound. If bindings arrived without a pause since, web's may have
// been in flight all the time.
func TestComparator_OldEventsExplainBurstOnly(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pause time.Duration
		class shadow.Class
	}{
		{"bindings without a pause", 200 * time.Millisecond, shadow.Explained},
		{"a pause", 700 * time.Millisecond, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), big, low)
			w.pass(time.Second)
			var small []*v1.Pod
			for i := range int(2 * time.Second / tt.pause) {
				small = append(small, mk.Pod(fmt.Sprintf("small-%d", i)).CPU("1m").Obj())
				w.update(small[i])
			}
			w.update(web)
			w.update(mk.Node("new").CPU("32").Memory("64Gi").Obj())
			for _, pod := range small {
				w.pass(tt.pause)
				w.update(on(pod, "low"))
			}
			w.pass(tt.pause)
			w.update(on(web, "big"))
			w.pass(shadow.Window)
			f := w.finding("web")
			if f.Class != tt.class || tt.class == shadow.Explained && f.Causes[0].What != "Node new was added" {
				t.Errorf("the finding is %s, want %s", findingText(f), tt.class)
			}
		})
	}
}

// A shadow that starts in the middle of a burst does not know the state at decisions whose bindings arrive only now.
func TestComparator_SkipsDecisionsOlderThanList(t *testing.T) {
	early, delayed, fresh := mk.Pod("early").CPU("1").Obj(), mk.Pod("late").CPU("1").Obj(), mk.Pod("fresh").CPU("1").Obj()
	w := newHarness(t, allNodesScored())
	w.apply(world.Listed{Kind: world.Node, Objects: []world.Object{big, low}})
	w.apply(world.Listed{Kind: world.Pod, Objects: []world.Object{early, delayed}})
	w.pass(50 * time.Millisecond)
	w.update(on(early, "low"))
	w.update(fresh)
	w.pass(50 * time.Millisecond)
	w.update(on(fresh, "low"))
	w.pass(shadow.HistoryWindow)
	if counters, want := w.Comparator().Counters(), (shadow.Counters{NotCompared: 1, Differs: 1}); counters != want {
		t.Errorf("counters %+v, want %+v", counters, want)
	}
	w.update(on(delayed, "low"))
	w.pass(shadow.Window)
	if counters, want := w.Comparator().Counters(), (shadow.Counters{NotCompared: 1, Differs: 2}); counters != want {
		t.Errorf("counters %+v, want %+v: the list is old", counters, want)
	}
}

// A pod on big was deleted before web was bound elsewhere. Both schedulers see pods in one order, so the other one may not
// know of it only if web existed already.
func TestComparator_DeletedPodMayStillCount(t *testing.T) {
	filler := on(mk.Pod("filler").CPU("7").Obj(), "big")
	for _, tt := range []struct {
		name             string
		created, deleted time.Duration // before web was bound
		class            shadow.Class
	}{
		{"after web was created", 2 * time.Second, time.Second, shadow.Explained},
		{"before web was created", time.Second, 2 * time.Second, shadow.Differs},
		{"after web was created, and long ago", 6 * time.Second, 5 * time.Second, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newHarness(t, allNodesScored(), big, low, filler)
			w.pass(time.Second)
			bound := w.now.Add(10 * time.Second)
			changes := []func(){func() { w.update(web) }, func() { w.remove(filler) }}
			times := []time.Time{bound.Add(-tt.created), bound.Add(-tt.deleted)}
			if times[1].Before(times[0]) {
				changes[0], changes[1], times[0], times[1] = changes[1], changes[0], times[1], times[0]
			}
			for i, at := range times {
				w.pass(at.Sub(w.now))
				changes[i]()
			}
			w.pass(bound.Sub(w.now))
			w.update(on(web, "low"))
			w.pass(shadow.Window)
			if f := w.finding("web"); f.Class != tt.class {
				t.Errorf("the finding is %s, want %s", findingText(f), tt.class)
			}
		})
	}
}
