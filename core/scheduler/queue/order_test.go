package queue_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

// reject fails a popped pod by some plugins.
func reject(t testing.TB, q *queue.Queue, p *queue.Pod, now time.Time, plugins ...string) {
	t.Helper()
	p.Reject(sets.New(plugins...), nil)
	if err := q.AddUnschedulableIfNotPresent(p, q.SchedulingCycle(), now); err != nil {
		t.Fatal(err)
	}
}

func popAll(q *queue.Queue, now time.Time) []string {
	var names []string
	for {
		p, ok := q.Pop(now)
		if !ok {
			return names
		}
		names = append(names, p.Pod().Name)
	}
}

// Shows QUEUE-02, QUEUE-29, FRAME-09, PRE-08 and PRE-12.
func TestActiveQ_Order(t *testing.T) {
	byName := func(a, b fwk.QueuedEntityInfo) bool {
		return a.(*queue.Pod).Pod().Name < b.(*queue.Pod).Pod().Name
	}
	nobodyFirst := func(a, b fwk.QueuedEntityInfo) bool { return false }
	now := clock("12:00:00")
	for _, row := range []struct {
		name  string
		less  fwk.LessFunc
		apart time.Duration
		pods  []*v1.Pod
		want  []string
	}{
		{"the highest priority first", nil, 0, []*v1.Pod{
			mk.Pod("zero").Priority(0).Obj(), mk.Pod("ten").Priority(10).Obj(), mk.Pod("five").Priority(5).Obj(),
		}, []string{"ten", "five", "zero"}},
		{"no priority is zero", nil, 0, []*v1.Pod{mk.Pod("none").Obj(), mk.Pod("below").Priority(-1).Obj()}, []string{"none", "below"}},
		{"never preempting does not matter", nil, 0, []*v1.Pod{
			mk.Pod("low").Priority(1).Obj(), mk.Pod("meek").Priority(2).NeverPreempt().Obj(),
		}, []string{"meek", "low"}},
		{"the earlier first among equals", nil, time.Nanosecond, []*v1.Pod{
			mk.Pod("a").Obj(), mk.Pod("b").Obj(), mk.Pod("c").Obj(),
		}, []string{"a", "b", "c"}},
		{"in order of arrival at one time", nil, 0, []*v1.Pod{
			mk.Pod("d").Obj(), mk.Pod("a").Obj(), mk.Pod("c").Obj(), mk.Pod("b").Obj(), mk.Pod("e").Obj(),
		}, []string{"d", "a", "c", "b", "e"}},
		{"a plugin may sort otherwise", byName, 0, []*v1.Pod{
			mk.Pod("b").Priority(9).Obj(), mk.Pod("c").Obj(), mk.Pod("a").Obj(),
		}, []string{"a", "b", "c"}},
		{"and whom it holds equal come as they came", nobodyFirst, 0, []*v1.Pod{
			mk.Pod("d").Obj(), mk.Pod("a").Obj(), mk.Pod("c").Obj(), mk.Pod("b").Obj(), mk.Pod("e").Obj(),
		}, []string{"d", "a", "c", "b", "e"}},
	} {
		q := queue.New(queue.Options{Less: row.less})
		for i, pod := range row.pods {
			q.Add(pod, now.Add(time.Duration(i)*row.apart))
		}
		if diff := cmp.Diff(row.want, popAll(q, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

// Shows QUEUE-09, QUEUE-10, QUEUE-11, CONF-09, B-1 and C-3.
func TestBackoff_Durations(t *testing.T) {
	hints, err := queue.NewHints(queue.AllEvents("P", false))
	if err != nil {
		t.Fatal(err)
	}
	const s = time.Second
	for _, row := range []struct {
		name string
		opts queue.Options
		want []time.Duration
	}{
		{"by default", queue.Options{}, []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 10 * s, 10 * s}},
		{"with other bounds", queue.Options{InitialBackoff: 3 * s, MaxBackoff: 20 * s}, []time.Duration{3 * s, 6 * s, 12 * s, 20 * s, 20 * s}},
		{"when the bounds are equal", queue.Options{InitialBackoff: 5 * s, MaxBackoff: 5 * s}, []time.Duration{5 * s, 5 * s}},
		{"by the older rule", queue.Options{RequeueRule: queue.MoveRequestCycle}, []time.Duration{2 * s, 4 * s, 8 * s, 10 * s, 10 * s}},
		{
			"by the older rule, with room for its examples",
			queue.Options{RequeueRule: queue.MoveRequestCycle, MaxBackoff: time.Hour},
			[]time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s},
		},
	} {
		row.opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {Hints: hints}}
		q := queue.New(row.opts)
		now := clock("12:00:00")
		q.Add(mk.Pod("web").Obj(), now)
		for i, want := range row.want {
			p, ok := q.Pop(now)
			if !ok {
				t.Fatalf("%s: nothing to pop for attempt %d", row.name, i+1)
			}
			reject(t, q, p, now, "P")
			if got := p.GetBackoffExpiration().Sub(now); got != want {
				t.Errorf("%s: after attempt %d it is %s, want %s", row.name, i+1, got, want)
			}
			now = now.Add(time.Hour)
		}
	}
}

func TestBackoff_NeverOverflows(t *testing.T) {
	q := queue.New(queue.Options{})
	now := clock("12:00:00")
	q.Add(mk.Pod("web").Obj(), now)
	for i := range 200 {
		p, _ := q.Pop(now)
		reject(t, q, p, now)
		if d := p.GetBackoffExpiration().Sub(now); d < time.Second || d > 10*time.Second {
			t.Fatalf("after %d errors the back-off is %s", i+1, d)
		}
		now = now.Add(time.Minute)
	}
}

func TestBackoff_OffRetriesAtOnce(t *testing.T) {
	q := queue.New(queue.Options{MaxBackoff: queue.NoBackoff})
	now := clock("12:00:00")
	q.Add(mk.Pod("web").Obj(), now)
	for range 3 {
		p, ok := q.Pop(now)
		if !ok {
			t.Fatal("the pod is not in activeQ")
		}
		reject(t, q, p, now)
	}
}

// A limit that is no power of two times the first back-off: 1, 2, 3, 3 s.
func TestBackoff_DoublesUpToTheLimit(t *testing.T) {
	q := queue.New(queue.Options{InitialBackoff: time.Second, MaxBackoff: 3 * time.Second})
	now := clock("12:00:00")
	q.Add(mk.Pod("web").Obj(), now)
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
		p, ok := q.Pop(now)
		if !ok {
			t.Fatalf("at %v the pod is not in activeQ", now)
		}
		reject(t, q, p, now)
		if got := p.GetBackoffExpiration().Sub(now); got != want {
			t.Errorf("back-off %v, want %v", got, want)
		}
		now = now.Add(want + time.Second)
		q.Flush(now)
	}
}

// Shows QUEUE-29 and PRE-12.
func TestBackoff_LowPriorityPodPopsWhileHighBacksOff(t *testing.T) {
	q := queue.New(queue.DefaultOptions())
	now := clock("12:00:00")
	q.Add(mk.Pod("low").Priority(1).Obj(), now)
	q.Add(mk.Pod("high").Priority(100).NeverPreempt().Obj(), now)
	p, _ := q.Pop(now)
	reject(t, q, p, now)
	if diff := cmp.Diff([]string{"low"}, popAll(q, now)); diff != "" {
		t.Errorf("popped while the high one backs off (-want +got):\n%s", diff)
	}
}

// Shows QUEUE-19.
func TestMoveRequestCycle_ListedKindsMoveAllPods(t *testing.T) {
	for _, kind := range []fwk.EventResource{
		fwk.Pod, fwk.Node, "Service", fwk.PersistentVolume, fwk.PersistentVolumeClaim, fwk.StorageClass, fwk.CSINode,
	} {
		q := queue.New(queue.Options{RequeueRule: queue.MoveRequestCycle})
		now := clock("12:00:00")
		q.Add(mk.Pod("web").Obj(), now)
		p, _ := q.Pop(now)
		reject(t, q, p, now, "Any")
		q.Move(fwk.ClusterEvent{Resource: kind, ActionType: fwk.Update}, nil, nil, now, nil)
		if got := q.Counts(); got.Backoff != 1 {
			t.Errorf("an event of a %s leaves the queue with %+v", kind, got)
		}
	}
}

func TestQueue_HostilePods(t *testing.T) {
	q := queue.New(queue.DefaultOptions())
	now := clock("12:00:00")
	odd := []string{"", "\x00", "a/b", "a_b", "\x1b[2J", "\xff\xfe"}
	for _, name := range odd {
		q.Add(mk.Pod(name).UID("").Obj(), now)
		q.Add(mk.Pod(name).Namespace("_").UID("one for all").Obj(), now)
	}
	check := func(what string) {
		t.Helper()
		if err := q.Check(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	check("added")
	if got, want := q.Counts().Active, 2*len(odd); got != want {
		t.Fatalf("%d pods are active, want %d", got, want)
	}
	names := popAll(q, now)
	check("popped")
	// Of those that share a UID, one is scheduled and the others are dropped.
	if len(names) != len(odd)+1 {
		t.Errorf("popped %q", names)
	}
	for _, p := range q.InFlight() {
		if p.Pod().Name == "a/b" {
			reject(t, q, p, now)
			check("failed")
		}
	}
	for range odd {
		q.Done("")
		check("done")
	}
	q.Done("one for all")
	q.Done("nobody")
	if got := q.Counts(); got.InFlight != 0 {
		t.Errorf("still in flight: %s", fmt.Sprint(q.InFlight()))
	}
}

func TestMove_PodOfUnknownProfile(t *testing.T) {
	hints, err := queue.NewHints(queue.AllEvents("P", false))
	if err != nil {
		t.Fatal(err)
	}
	q := queue.New(queue.Options{Profiles: map[string]queue.Profile{"known": {Hints: hints}}})
	now := clock("12:00:00")
	q.Add(mk.Pod("web").Scheduler("unknown").Obj(), now)
	p, _ := q.Pop(now)
	reject(t, q, p, now, "Elsewhere")
	if diff := cmp.Diff([]string{"*All"}, []string{q.RequeuesOn(p)[0].Label()}); diff != "" {
		t.Errorf("it awaits (-want +got):\n%s", diff)
	}
	q.Move(fwk.ClusterEvent{Resource: "Unheard", ActionType: fwk.Add}, nil, nil, now, nil)
	if got := q.StateOf("default", "web"); got != queue.Unschedulable {
		t.Errorf("after an event of no interest it is %s", got)
	}
	q.Move(queue.EventNodeAdd, nil, nil, now, nil)
	if got := q.StateOf("default", "web"); got != queue.Backoff {
		t.Errorf("after an event of interest it is %s", got)
	}
}

func TestMove_PreCheckLimitsPods(t *testing.T) {
	hints, err := queue.NewHints(queue.AllEvents("P", false))
	if err != nil {
		t.Fatal(err)
	}
	q := queue.New(queue.Options{Profiles: map[string]queue.Profile{v1.DefaultSchedulerName: {Hints: hints}}})
	now := clock("12:00:00")
	q.Add(mk.Pod("low").Priority(1).Obj(), now)
	q.Add(mk.Pod("high").Priority(9).Obj(), now)
	for range 2 {
		p, _ := q.Pop(now)
		reject(t, q, p, now, "P")
	}
	q.Move(queue.EventAssignedPodDelete, nil, nil, now, func(pod *v1.Pod) bool { return *pod.Spec.Priority <= 5 })
	if got := [2]queue.State{q.StateOf("default", "low"), q.StateOf("default", "high")}; got != [2]queue.State{queue.Backoff, queue.Unschedulable} {
		t.Errorf("low and high are %v", got)
	}
}

// A tick more than a Duration after the start is no tick in the past, which the timers would never get past.
func TestTimers_LongestWaits(t *testing.T) {
	o := queue.DefaultOptions()
	o.InitialBackoff, o.MaxBackoff, o.MaxInUnschedulable = math.MaxInt64, math.MaxInt64, math.MaxInt64
	o.Start = clock("12:00:00")
	o.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {}}
	for name, rejectors := range map[string][]string{"in back-off": nil, "in unschedulablePods": {"Fit"}} {
		t.Run(name, func(t *testing.T) {
			q, now := queue.New(o), o.Start.Add(time.Second)
			for attempt := range 3 {
				q.Add(mk.Pod(fmt.Sprint("p", attempt)).Obj(), now)
				p, _ := q.Pop(now)
				reject(t, q, p, now, rejectors...)
				now = now.AddDate(60, 0, 0)
				if wake, ok := q.NextWake(now); !ok || wake.Before(o.Start.AddDate(292, 0, 0)) {
					t.Fatalf("at %v the next wake is at %v", now, wake)
				}
				q.Flush(now)
				if wake, ok := q.NextWake(now); ok && wake.Before(now) {
					t.Fatalf("flushed at %v, the next wake is at %v", now, wake)
				}
			}
		})
	}
}

// A Duration holds 292 years.
func TestTimers_TicksGoOnForAges(t *testing.T) {
	o := queue.DefaultOptions()
	o.Start = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
	o.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {}}
	q, now := queue.New(o), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	q.Add(mk.Pod("p").Obj(), now)
	p, _ := q.Pop(now)
	reject(t, q, p, now, "Fit")
	if wake, ok := q.NextWake(now); !ok || wake.Before(now.Add(5*time.Minute)) || wake.After(now.Add(5*time.Minute+30*time.Second)) {
		t.Errorf("a pod that was rejected at %v is moved at %v", now, wake)
	}
}
