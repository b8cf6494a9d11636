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
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Whatever happens in a cluster, every eviction on the record makes sense, and every pod that was marked and is gone has
// left on it once, for what its last mark said.
func TestObserver_Properties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, func(o *memory.Options) {
			o.Seed = rapid.Uint64().Draw(rt, "seed")
			o.Latency = memory.TypicalLatency()
			if rapid.Bool().Draw(rt, "bad day") {
				o.Faults.Watch = map[world.Kind]memory.WatchFaults{
					"": {Break: 0.03, RelistAfter: memory.Delay{Base: 2 * time.Second}, Duplicate: 0.1},
				}
			}
		})
		for i := range 3 {
			s.create(node(fmt.Sprint("n", i)))
		}
		s.create(pdb("web", 2))
		for range rapid.IntRange(5, 25).Draw(rt, "acts") {
			drawAct(rt, s, allActs, 0)
		}
		tally := &ledger{last: map[types.UID]*v1.Pod{}, gone: map[types.UID]bool{}}
		s.others = append(s.others, tally)
		for at := 10 * time.Second; at <= 6*time.Minute; at += 10 * time.Second {
			s.until(at)
			wellFormed(rt, s.clerk.Record(), s.Now())
		}
		tally.check(rt, s.clerk.Record())
	})
}

// The acts, of which calm ones leave the nodes as they are.
var (
	calmActs = []string{"pod", "pod", "pod", "boss", "taint", "untaint", "evict", "hunger", "delete"}
	allActs  = append(slices.Clone(calmActs), "lose")
)

// drawAct puts something in the event queue that makes pods come or leave, so long after a whole second.
func drawAct(rt *rapid.T, s *stage, acts []string, after time.Duration) {
	at := time.Duration(rapid.IntRange(0, 200).Draw(rt, "at"))*time.Second + after
	name := fmt.Sprint("p", rapid.IntRange(0, 11).Draw(rt, "pod"))
	on := fmt.Sprint("n", rapid.IntRange(0, 2).Draw(rt, "node"))
	act := rapid.SampledFrom(acts).Draw(rt, "act")
	seconds := int64(rapid.SampledFrom([]int{0, 5, 60}).Draw(rt, "patience"))
	s.do(at, func(c *memory.Cluster) error {
		switch act { // what cannot be done is not done
		case "pod":
			_, _ = c.Create(mk.Pod(name).Label("app", "web").CPU("1500m").Memory("1Gi").
				Toleration(v1.Toleration{Key: "repair", Operator: v1.TolerationOpExists, TolerationSeconds: &seconds}).Obj())
		case "boss":
			_, _ = c.Create(classed(mk.Pod(name).CPU("3").Obj(), "high"))
		case "taint":
			return taintNode(on, tainted("repair"))(c)
		case "untaint":
			return taintNode(on)(c)
		case "evict":
			_ = c.Evict(eviction(name))
		case "hunger":
			return c.ReportUsage(memory.UsageReport{Namespace: "default", Pod: name, Usage: memory.Usage{Memory: 9 << 30}})
		case "delete":
			_ = c.Delete(world.Pod, "default", name, metav1.DeleteOptions{})
		case "lose":
			_ = c.LoseNode(on)
		}
		return nil
	})
}

func wellFormed(rt *rapid.T, b *evict.Record, now time.Time) {
	type key struct {
		uid   types.UID
		cause evict.Cause
	}
	left := map[key]bool{}
	for _, d := range append(b.Open(), b.Ended()...) {
		over := d.Phase == evict.Evicted || d.Phase == evict.Cancelled
		switch {
		case d.Pod.UID == "" || d.Cause == "" || d.Initiator == "" || d.Reason == "" || d.FirstSeen.IsZero():
			rt.Errorf("something is missing from %+v", d)
		case over != !d.Ended.IsZero() || d.Ended.After(now) || over && d.Ended.Before(d.FirstSeen):
			rt.Errorf("the times of %+v make no sense at %v", d, now)
		case d.Phase == evict.CountingDown && (d.Deadline.IsZero() || !d.Predicted):
			rt.Errorf("%+v counts down to nothing", d)
		case d.Phase == evict.Evicted && left[key{d.Pod.UID, d.Cause}]:
			rt.Errorf("%s has left twice for %s", d.Pod, d.Cause)
		}
		left[key{d.Pod.UID, d.Cause}] = d.Phase == evict.Evicted
	}
}

// ledger is a second opinion: it keeps the last state of every pod that an ever-open watch would show.
type ledger struct {
	last map[types.UID]*v1.Pod
	gone map[types.UID]bool
}

func (l *ledger) NextWake() (time.Time, bool) { return time.Time{}, false }
func (l *ledger) Effects() []world.Effect     { return nil }

func (l *ledger) Apply(in world.Input) {
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

func (l *ledger) check(rt *rapid.T, b *evict.Record) {
	times := map[types.UID]int{}
	for _, d := range b.Ended() {
		if d.Phase == evict.Evicted {
			times[d.Pod.UID]++
		}
	}
	for uid, pod := range l.last {
		mark := pod.Status.Reason == "Evicted"
		for _, c := range pod.Status.Conditions {
			mark = mark || c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue
		}
		if want := mark && l.gone[uid]; want && times[uid] != 1 {
			rt.Errorf("%s was marked and is gone, and has left %d times", pod.Name, times[uid])
		} else if times[uid] > 1 {
			rt.Errorf("%s has left %d times", pod.Name, times[uid])
		}
	}
}
