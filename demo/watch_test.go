package demo_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// replayObserver records what happens in a recording. All times are relative to its start.
type replayObserver struct {
	began     time.Time
	now       time.Duration
	inputs    int
	decisions []engine.Decision
	when      []time.Duration // of the decisions
	leaving   []evictedPod
	marked    map[types.UID]bool
	tainted   map[string]time.Duration // by node, when it had its first NoExecute taint
	pressed   map[string]time.Duration // by node, when it first had MemoryPressure
	relieved  map[string]time.Duration // by node, when its MemoryPressure last ended
	allowed   map[string][]span        // by budget, how many evictions it allowed
	waiting   []int                    // pending pods in each second
	marks     []trace.MarkAt
	engine    *engine.Engine
}

// evictedPod is a pod with the condition DisruptionTarget.
type evictedPod struct {
	at     time.Duration
	pod    *v1.Pod
	reason string
}

// span is a number since a time.
type span struct {
	from time.Duration
	n    int32
}

var seen = map[string]*replayObserver{}

// observe replays a recording, once for all tests.
func observe(t *testing.T, name string) *replayObserver {
	t.Helper()
	if w, ok := seen[name]; ok {
		return w
	}
	w := &replayObserver{
		marked: map[types.UID]bool{}, tainted: map[string]time.Duration{}, pressed: map[string]time.Duration{},
		relieved: map[string]time.Duration{}, allowed: map[string][]span{},
	}
	data := bytesOf(t, name)
	_, _, err := play.Replay(bytes.NewReader(data), play.Options{Follower: func(e *engine.Engine) play.Follower {
		w.began, w.engine = e.Now(), e
		return w
	}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for record := range r.All() {
		if m, ok := record.Body.(trace.Mark); ok {
			w.marks = append(w.marks, trace.MarkAt{At: record.At, Mark: m})
		}
	}
	seen[name] = w
	return w
}

func (w *replayObserver) Fork() play.Follower { panic("a replay does not fork") }

func (w *replayObserver) Emitted(world.Effect) {}

func (w *replayObserver) Stepped(d *engine.Decision) {
	if d != nil {
		w.decisions, w.when = append(w.decisions, *d), append(w.when, d.At.Sub(w.began))
	}
}

func (w *replayObserver) Applied(in world.Input, _ error) {
	w.now = in.At.Sub(w.began)
	w.inputs++
	for len(w.waiting) <= int(w.now/time.Second) {
		c := w.engine.Queue().Counts()
		w.waiting = append(w.waiting, c.Active+c.Backoff+c.Unschedulable)
	}
	changed, ok := in.Event.(world.Changed)
	if !ok || changed.Op == world.Deleted {
		return
	}
	switch o := changed.Object.(type) {
	case *v1.Pod:
		w.pod(o)
	case *v1.Node:
		w.node(o)
	case *policyv1.PodDisruptionBudget:
		w.allowed[o.Name] = append(w.allowed[o.Name], span{w.now, o.Status.DisruptionsAllowed})
	}
}

func (w *replayObserver) pod(pod *v1.Pod) {
	if w.marked[pod.UID] {
		return
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue {
			w.marked[pod.UID] = true
			w.leaving = append(w.leaving, evictedPod{w.now, pod, c.Reason})
		}
	}
}

func (w *replayObserver) node(node *v1.Node) {
	for _, taint := range node.Spec.Taints {
		if _, known := w.tainted[node.Name]; !known && taint.Effect == v1.TaintEffectNoExecute {
			w.tainted[node.Name] = w.now
		}
	}
	for _, c := range node.Status.Conditions {
		_, known := w.pressed[node.Name]
		if c.Type == v1.NodeMemoryPressure && c.Status == v1.ConditionTrue && !known {
			w.pressed[node.Name] = w.now
		}
		if c.Type == v1.NodeMemoryPressure && c.Status == v1.ConditionFalse && known {
			w.relieved[node.Name] = w.now
		}
	}
}

// app returns a pod's workload.
func app(pod *v1.Pod) string { return pod.Labels["app"] }

// evictions returns the pods evicted for a reason, of one workload or, if it is empty, of all.
func (w *replayObserver) evictions(reason, of string) []evictedPod {
	return slices.DeleteFunc(slices.Clone(w.leaving), func(l evictedPod) bool {
		return l.reason != reason || of != "" && app(l.pod) != of
	})
}

// between returns those evicted between two seconds.
func between(all []evictedPod, from, to int) []evictedPod {
	return slices.DeleteFunc(slices.Clone(all), func(l evictedPod) bool {
		return l.at < time.Duration(from)*time.Second || l.at >= time.Duration(to)*time.Second
	})
}

// most returns the largest number of pending pods between two seconds.
func (w *replayObserver) most(from, to int) int { return slices.Max(w.waiting[from:to]) }

// eventsOf returns the time of the first mark of a kind whose text contains a text.
func (w *replayObserver) eventsOf(t *testing.T, kind trace.MarkKind, text string) time.Duration {
	t.Helper()
	for _, m := range w.marks {
		if m.Mark.Kind == kind && strings.Contains(m.Mark.Text, text) {
			return m.At.Sub(w.began)
		}
	}
	t.Errorf("no mark of the kind %q contains %q", kind, text)
	return 0
}

// pendingReasons counts the unschedulable pods at the end by workload.
func (w *replayObserver) pendingReasons() map[string]int {
	all := map[string]int{}
	for o := range w.engine.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Spec.NodeName == "" && slices.ContainsFunc(pod.Status.Conditions, unschedulable) {
			all[app(pod)]++
		}
	}
	return all
}

func unschedulable(c v1.PodCondition) bool {
	return c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse && c.Reason == v1.PodReasonUnschedulable
}
