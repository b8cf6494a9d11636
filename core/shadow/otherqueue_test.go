package shadow_test

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/mk"
	"orrery/core/shadow"
	"orrery/core/world"
)

// judged returns the finding about a pod; agreed decisions have none.
func (w *watcher) judged(pod string) *shadow.Finding {
	w.t.Helper()
	for f := range w.Comparator().Findings() {
		if f.Pod.Name == pod {
			return f
		}
	}
	w.t.Fatalf("nothing was found about %s: %+v", pod, w.Comparator().Counters())
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
	comes := func(pods ...*v1.Pod) func(*watcher) {
		return func(w *watcher) {
			for _, pod := range pods {
				w.sees(pod)
				w.passes(10 * time.Millisecond)
			}
		}
	}
	filler, urgent, idle := mk.Pod("filler").CPU("7").Obj(), mk.Pod("filler").CPU("7").Priority(10).Obj(), mk.Pod("filler").CPU("7").Priority(-10).Obj()
	gated := mk.Pod("filler").CPU("7").Obj()
	gated.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}}
	for _, tt := range []struct {
		name  string
		begin func(*watcher)
		late  time.Duration
		class shadow.Class
	}{
		{"it came before", comes(filler, web), 40 * time.Millisecond, shadow.Explained},
		{"it came before, and was bound much later", comes(filler, web), 2 * time.Second, shadow.Explained},
		{"it came before, and was bound later than anybody waits for", comes(filler, web), shadow.MaxHold + time.Second, shadow.Differs},
		{"it came after", comes(web, filler), 40 * time.Millisecond, shadow.Differs},
		{"it came after, and is more important", comes(web, urgent), 40 * time.Millisecond, shadow.Explained},
		{"it came after, and is less important", comes(web, idle), 40 * time.Millisecond, shadow.Differs},
		{"it came before, and is less important", comes(idle, web), 40 * time.Millisecond, shadow.Explained},
		{"it came after, and web had been tried before", comes(web, turnedDown(web), filler), 40 * time.Millisecond, shadow.Explained},
		{"it came after, and had been tried before", comes(web, filler, turnedDown(filler)), 40 * time.Millisecond, shadow.Explained},
		{"it came after, and was gated at first", comes(web, gated, filler), 40 * time.Millisecond, shadow.Explained},
		{"it came after, and another replica took the lead", func(w *watcher) {
			comes(web, filler)(w)
			w.sees(held("one"))
			w.sees(held("two"))
		}, 40 * time.Millisecond, shadow.Explained},
		{"it came after, and the leader went on leading", func(w *watcher) {
			comes(web, filler)(w)
			w.sees(held("one"))
			w.sees(held("one"))
		}, 40 * time.Millisecond, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watching(t, whole(), big, low)
			w.passes(time.Second)
			tt.begin(w)
			w.passes(2 * time.Second)
			w.sees(on(web, "low"))
			w.passes(tt.late)
			w.sees(on(filler, "big"))
			w.passes(shadow.MaxHold + shadow.Window)
			f := w.judged("web")
			if f.Class != tt.class {
				t.Errorf("it says %s, want that it is %s", wordsOf(f), tt.class)
			}
			if tt.class == shadow.Explained && (len(f.Causes) != 1 || !f.Causes[0].SeenEarly || f.Causes[0].What != "default/filler → big") {
				t.Errorf("it is explained by %+v", f.Causes)
			}
		})
	}
}

// Web got a node that was full, unless filler was decided later, although its binding arrived earlier.
func TestComparator_LaterPodIsTakenBack(t *testing.T) {
	filler := mk.Pod("filler").CPU("7").Obj()
	for _, tt := range []struct {
		name  string
		pods  []*v1.Pod
		class shadow.Class
	}{
		{"it came after", []*v1.Pod{web, filler}, shadow.Explained},
		{"it came before", []*v1.Pod{filler, web}, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watching(t, whole(), big, low)
			w.passes(time.Second)
			for _, pod := range tt.pods {
				w.sees(pod)
			}
			w.sees(on(filler, "big"))
			w.passes(40 * time.Millisecond)
			w.sees(on(web, "big"))
			w.passes(shadow.Window)
			f := w.judged("web")
			if f.Class != tt.class {
				t.Errorf("it says %s, want that it is %s", wordsOf(f), tt.class)
			}
			if want := (shadow.Cause{What: "default/filler → big", Offset: 40 * time.Millisecond}); tt.class == shadow.Explained && (len(f.Causes) != 1 || f.Causes[0] != want) {
				t.Errorf("it is explained by %+v", f.Causes)
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
		{"bindings all the time", 200 * time.Millisecond, shadow.Explained},
		{"a pause", 700 * time.Millisecond, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watching(t, whole(), big, low)
			w.passes(time.Second)
			var small []*v1.Pod
			for i := range int(2 * time.Second / tt.pause) {
				small = append(small, mk.Pod(fmt.Sprintf("small-%d", i)).CPU("1m").Obj())
				w.sees(small[i])
			}
			w.sees(web)
			w.sees(mk.Node("new").CPU("32").Memory("64Gi").Obj())
			for _, pod := range small {
				w.passes(tt.pause)
				w.sees(on(pod, "low"))
			}
			w.passes(tt.pause)
			w.sees(on(web, "big"))
			w.passes(shadow.Window)
			f := w.judged("web")
			if f.Class != tt.class || tt.class == shadow.Explained && f.Causes[0].What != "Node new came" {
				t.Errorf("it says %s, want that it is %s", wordsOf(f), tt.class)
			}
		})
	}
}

// A shadow that starts in the middle of a burst does not know the state at decisions whose bindings arrive only now.
func TestComparator_SkipsDecisionsOlderThanList(t *testing.T) {
	early, late, fresh := mk.Pod("early").CPU("1").Obj(), mk.Pod("late").CPU("1").Obj(), mk.Pod("fresh").CPU("1").Obj()
	w := watching(t, whole())
	w.applies(world.Listed{Kind: world.Node, Objects: []world.Object{big, low}})
	w.applies(world.Listed{Kind: world.Pod, Objects: []world.Object{early, late}})
	w.passes(50 * time.Millisecond)
	w.sees(on(early, "low"))
	w.sees(fresh)
	w.passes(50 * time.Millisecond)
	w.sees(on(fresh, "low"))
	w.passes(shadow.HistoryWindow)
	if tally, want := w.Comparator().Counters(), (shadow.Counters{NotCompared: 1, Differs: 1}); tally != want {
		t.Errorf("counted %+v, want %+v", tally, want)
	}
	w.sees(on(late, "low"))
	w.passes(shadow.Window)
	if tally, want := w.Comparator().Counters(), (shadow.Counters{NotCompared: 1, Differs: 2}); tally != want {
		t.Errorf("counted %+v, want %+v: the list was made long ago", tally, want)
	}
}

// A pod left big before web was bound elsewhere. Both schedulers see pods in one order, so the other one may not know
// of it only if web existed already.
func TestComparator_DeletedPodMayStillCount(t *testing.T) {
	filler := on(mk.Pod("filler").CPU("7").Obj(), "big")
	for _, tt := range []struct {
		name        string
		since, left time.Duration // before web was bound
		class       shadow.Class
	}{
		{"after web came", 2 * time.Second, time.Second, shadow.Explained},
		{"before web came", time.Second, 2 * time.Second, shadow.Differs},
		{"after web came, and long ago", 6 * time.Second, 5 * time.Second, shadow.Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := watching(t, whole(), big, low, filler)
			w.passes(time.Second)
			bound := w.now.Add(10 * time.Second)
			happen := []func(){func() { w.sees(web) }, func() { w.loses(filler) }}
			times := []time.Time{bound.Add(-tt.since), bound.Add(-tt.left)}
			if times[1].Before(times[0]) {
				happen[0], happen[1], times[0], times[1] = happen[1], happen[0], times[1], times[0]
			}
			for i, at := range times {
				w.passes(at.Sub(w.now))
				happen[i]()
			}
			w.passes(bound.Sub(w.now))
			w.sees(on(web, "low"))
			w.passes(shadow.Window)
			if f := w.judged("web"); f.Class != tt.class {
				t.Errorf("it says %s, want that it is %s", wordsOf(f), tt.class)
			}
		})
	}
}
