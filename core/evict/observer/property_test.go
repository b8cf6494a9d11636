package observer_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/evict"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Every eviction on the record is consistent, and every pod that had the condition and is gone was evicted once, for the
// cause of its last condition.
func TestObserver_Properties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newSimulation(t, func(o *memory.Options) {
			o.Seed = rapid.Uint64().Draw(rt, "seed")
			o.Latency = memory.TypicalLatency()
			if rapid.Bool().Draw(rt, "watch faults") {
				o.Faults.Watch = map[world.Kind]memory.WatchFaults{
					"": {Break: 0.03, RelistAfter: memory.Delay{Base: 2 * time.Second}, Duplicate: 0.1},
				}
			}
		})
		for i := range 3 {
			s.create(node(fmt.Sprint("n", i)))
		}
		s.create(pdb("web", 2))
		for range rapid.IntRange(5, 25).Draw(rt, "actions") {
			scheduleAction(rt, s, allActions, 0)
		}
		model := &podModel{last: map[types.UID]*v1.Pod{}, gone: map[types.UID]bool{}}
		s.others = append(s.others, model)
		for at := 10 * time.Second; at <= 6*time.Minute; at += 10 * time.Second {
			s.until(at)
			checkConsistent(rt, s.observer.Record(), s.Now())
		}
		model.check(rt, s.observer.Record())
	})
}

// The actions; calm ones change no node's health.
var (
	calmActions = []string{"pod", "pod", "pod", "preemptor", "taint", "untaint", "evict", "memory", "delete"}
	allActions  = append(slices.Clone(calmActions), "lose")
)

// scheduleAction schedules an action that creates, deletes or evicts pods, at a drawn second plus after.
func scheduleAction(rt *rapid.T, s *simulation, actions []string, after time.Duration) {
	at := time.Duration(rapid.IntRange(0, 200).Draw(rt, "at"))*time.Second + after
	name := fmt.Sprint("p", rapid.IntRange(0, 11).Draw(rt, "pod"))
	on := fmt.Sprint("n", rapid.IntRange(0, 2).Draw(rt, "node"))
	action := rapid.SampledFrom(actions).Draw(rt, "action")
	seconds := int64(rapid.SampledFrom([]int{0, 5, 60}).Draw(rt, "tolerationSeconds"))
	s.do(at, func(c *memory.Cluster) error {
		switch action { // failed calls change nothing
		case "pod":
			_, _ = c.Create(mk.Pod(name).Label("app", "web").CPU("1500m").Memory("1Gi").
				Toleration(v1.Toleration{Key: "repair", Operator: v1.TolerationOpExists, TolerationSeconds: &seconds}).Obj())
		case "preemptor":
			_, _ = c.Create(withPriorityClass(mk.Pod(name).CPU("3").Obj(), "high"))
		case "taint":
			return taintNode(on, tainted("repair"))(c)
		case "untaint":
			return taintNode(on)(c)
		case "evict":
			_ = c.Evict(eviction(name))
		case "memory":
			return c.ReportUsage(memory.UsageReport{Namespace: "default", Pod: name, Usage: memory.Usage{Memory: 9 << 30}})
		case "delete":
			_ = c.Delete(world.Pod, "default", name, metav1.DeleteOptions{})
		case "lose":
			_ = c.LoseNode(on)
		}
		return nil
	})
}

func checkConsistent(rt *rapid.T, b *evict.Record, now time.Time) {
	type key struct {
		uid   types.UID
		cause evict.Cause
	}
	evicted := map[key]bool{}
	for _, d := range append(b.Open(), b.Ended()...) {
		ended := d.Phase >= evict.Evicted
		switch {
		case d.Pod.UID == "" || d.Cause == "" || d.Initiator == "" || d.Reason == "" || d.FirstSeen.IsZero():
			rt.Errorf("%+v lacks a field", d)
		case ended != !d.Ended.IsZero() || d.Ended.After(now) || ended && d.Ended.Before(d.FirstSeen):
			rt.Errorf("the times of %+v are inconsistent at %v", d, now)
		case d.Phase == evict.CountingDown && (d.Deadline.IsZero() || !d.Predicted):
			rt.Errorf("%+v counts down without a predicted deadline", d)
		case d.Phase == evict.Evicted && evicted[key{d.Pod.UID, d.Cause}]:
			rt.Errorf("%s was evicted twice for %s", d.Pod, d.Cause)
		}
		evicted[key{d.Pod.UID, d.Cause}] = d.Phase == evict.Evicted
	}
}

// podModel is a model of the observer: it keeps the last state of every pod.
type podModel struct {
	last map[types.UID]*v1.Pod
	gone map[types.UID]bool
}

func (l *podModel) NextWake() (time.Time, bool) { return time.Time{}, false }
func (l *podModel) Effects() []world.Effect     { return nil }

func (l *podModel) Apply(in world.Input) {
	switch event := in.Event.(type) {
	case world.Changed:
		if pod, ok := event.Object.(*v1.Pod); ok {
			l.last[pod.UID] = pod
			l.gone[pod.UID] = event.Op == world.Deleted || pod.Status.Phase == v1.PodFailed
		}
	case world.Listed:
		if event.Kind == world.Pod {
			for uid := range l.last {
				l.gone[uid] = true
			}
			for _, o := range event.Objects {
				pod := o.(*v1.Pod)
				l.last[pod.UID], l.gone[pod.UID] = pod, pod.Status.Phase == v1.PodFailed
			}
		}
	}
}

func (l *podModel) check(rt *rapid.T, b *evict.Record) {
	times := map[types.UID]int{}
	for _, d := range b.Ended() {
		if d.Phase == evict.Evicted {
			times[d.Pod.UID]++
		}
	}
	for uid, pod := range l.last {
		disrupted := pod.Status.Reason == "Evicted"
		for _, c := range pod.Status.Conditions {
			disrupted = disrupted || c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue
		}
		if want := disrupted && l.gone[uid]; want && times[uid] != 1 {
			rt.Errorf("%s had the condition and is gone, and was evicted %d times", pod.Name, times[uid])
		} else if times[uid] > 1 {
			rt.Errorf("%s was evicted %d times", pod.Name, times[uid])
		}
	}
}
