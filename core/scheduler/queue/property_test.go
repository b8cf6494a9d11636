package queue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

// action is one random thing done to a queue; what its numbers mean depends on what there is.
type action struct{ kind, a, b int }

// often has each kind of action as often as it should happen, and evenly all numbers: left to itself, rapid prefers small
// ones, and hardly a pod would ever be popped.
var (
	often  = rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 7, 8, 9, 9, 9})
	evenly = rapid.SampledFrom(func() (numbers []int) {
		for i := range 100 {
			numbers = append(numbers, i)
		}
		return numbers
	}())
)

func drawActions(t *rapid.T) []action {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) action {
		return action{often.Draw(t, "kind"), evenly.Draw(t, "a"), evenly.Draw(t, "b")}
	}), 40, 80).Draw(t, "actions")
}

func drawOptions(t *rapid.T) queue.Options {
	opts := queue.DefaultOptions()
	opts.PopFromBackoff = rapid.Bool().Draw(t, "pop early")
	opts.FlushGated = rapid.Bool().Draw(t, "flush gated pods")
	opts.RequeueRule = rapid.SampledFrom([]queue.RequeueRule{queue.QueueingHints, queue.QueueingHints, queue.MoveRequestCycle}).Draw(t, "rule")
	opts.Start = clock("12:00:00").Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "start")) * time.Millisecond)
	register := func(name string, answer string, events ...string) testPlugin {
		p := testPlugin{name: name}
		for _, e := range events {
			p.events = append(p.events, fwk.ClusterEventWithHint{Event: parseEvent(e), QueueingHintFn: answers[answer]})
		}
		return p
	}
	gate := register("Gate", "own", "Pod/Label")
	wild := register("Wild", "queue", "*/All")
	hints, err := queue.NewHints(gate, wild, register("Fit", "queue", "Node/Add", "Pod/Delete"), register("Own", "own", "Pod/Update"),
		register("Dull", "skip", "Node/Add"), register("Mute", "queue"))
	if err != nil {
		t.Fatal(err)
	}
	opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {PreEnqueue: []fwk.PreEnqueuePlugin{gate, wild}, Hints: hints}}
	return opts
}

// model applies actions, and records the transitions that the queue reports.
type model struct {
	queue   *queue.Queue
	now     time.Time
	pods    map[string]*v1.Pod
	records []queue.Transition
	version int
	jump    bool // from tick to tick, rather than in small steps
}

func newModel(opts queue.Options) *model {
	a := &model{now: opts.Start, pods: map[string]*v1.Pod{}}
	opts.Observe = a.observe
	a.queue = queue.New(opts)
	return a
}

func (a *model) observe(t queue.Transition) { a.records = append(a.records, t) }

func (a *model) apply(d action) {
	name := fmt.Sprint("p", d.a%6)
	pod := a.pods[name]
	a.version++
	switch d.kind {
	case 0, 1:
		if pod == nil {
			a.pods[name] = a.build(name, d)
			a.queue.Add(a.pods[name], a.now)
		}
	case 2:
		if pod != nil {
			a.pods[name] = a.changed(pod, d)
			a.queue.Update(pod, a.pods[name], a.now)
		}
	case 3:
		if pod != nil && d.b%3 == 0 {
			delete(a.pods, name)
			a.queue.Delete(pod, a.now)
		}
	case 4:
		a.queue.Pop(a.now)
	case 5:
		a.end(d)
	case 6:
		event := parseEvent([]string{"Node/Add", "AssignedPod/Delete", "Node/Taint", "PVC/Add", "*/All"}[d.b%5])
		a.queue.Move(event, nil, nil, a.now, nil)
	case 7:
		if pod != nil {
			a.queue.Activate([]*v1.Pod{pod}, a.now)
		}
	case 8:
		if pod != nil {
			info := &fwk.NominatingInfo{NominatingMode: fwk.NominatingMode(d.b % 2), NominatedNodeName: fmt.Sprint("n", d.b%3)}
			if p, ok := a.queue.Get(pod.Namespace, pod.Name); ok {
				a.queue.AddNominatedPod(klog.Logger{}, p.GetPodInfo(), info)
			}
		}
	case 9:
		a.wait(time.Duration([]int{1, 300, 1000, 2500, 12_000, 31_000, 330_000}[d.b%7]) * time.Millisecond)
	}
}

func (a *model) build(name string, d action) *v1.Pod {
	pod := mk.Pod(name).UID(fmt.Sprint(name, ".", a.version)).Priority(int32(d.b % 3))
	switch d.b % 8 {
	case 0:
		pod.Label("Gate", "")
	case 1:
		pod.Label("Wild", "")
	case 2:
		pod.Scheduler("nobody")
	}
	return pod.Obj()
}

func (a *model) changed(pod *v1.Pod, d action) *v1.Pod {
	pod = pod.DeepCopy()
	pod.ResourceVersion = fmt.Sprint(a.version)
	switch d.b % 5 {
	case 0:
		pod.Labels = map[string]string{"Gate": ""}
	case 1, 2:
		pod.Labels = map[string]string{"v": pod.ResourceVersion}
	case 3:
		pod.Status.NominatedNodeName = "n1"
	}
	return pod
}

// end ends an attempt, one way or another.
func (a *model) end(d action) {
	inFlight := a.queue.InFlight()
	if len(inFlight) == 0 {
		return
	}
	p := inFlight[d.a%len(inFlight)]
	pod := a.pods[p.Pod().Name]
	if pod == nil || pod.UID != p.Pod().UID || d.b%7 == 0 {
		a.queue.Done(p.Pod().UID)
		return
	}
	unschedulable, pending := sets.New[string](), sets.New[string]()
	for bit, plugin := range []string{"Fit", "Own", "Dull", "Mute"} {
		if d.b>>bit&1 == 1 {
			unschedulable.Insert(plugin)
		}
	}
	if d.b >= 80 {
		pending.Insert("Fit")
	}
	p.Reject(unschedulable, pending)
	p.Update(pod)
	_ = a.queue.AddUnschedulableIfNotPresent(p, a.queue.SchedulingCycle(), a.now) // a name that is taken is one of the cases
}

func (a *model) wait(d time.Duration) {
	until := a.now.Add(d)
	for a.now.Before(until) {
		next := a.now.Add(250 * time.Millisecond)
		if a.jump {
			if at, ok := a.queue.NextWake(a.now); ok && at.Before(until) {
				next = at
			} else {
				next = until
			}
		}
		if next.After(until) {
			next = until
		}
		a.now = next
		a.queue.Flush(a.now)
	}
}

// checkCounts adds up records as metrics do, and returns what is wrong with them.
func checkCounts(records []queue.Transition, counts queue.Counts) error {
	in := map[queue.State]int{}
	kept, rejectors, last := 0, map[string]int{}, uint64(0)
	for _, r := range records {
		if r.Seq != last+1 {
			return fmt.Errorf("record %d follows %d", r.Seq, last)
		}
		last = r.Seq
		switch r.Kind {
		case queue.Moved:
			in[r.From]--
			in[r.To]++
			for _, plugin := range r.NewRejectors {
				rejectors[plugin]++
			}
			for _, plugin := range r.ClearedRejectors {
				rejectors[plugin]--
			}
		case queue.InFlightEventAdded:
			kept++
		case queue.InFlightEventsReleased:
			kept -= r.Count
		}
	}
	got := queue.Counts{
		Active: in[queue.Active], Backoff: in[queue.Backoff], ErrorBackoff: in[queue.ErrorBackoff],
		Unschedulable: in[queue.Unschedulable], Gated: in[queue.Gated], InFlight: in[queue.InFlight],
	}
	if got != counts {
		return fmt.Errorf("by the records there are %+v, by the queue %+v", got, counts)
	}
	if counts.InFlight == 0 && kept != 0 {
		return fmt.Errorf("by the records %d events are kept for no pod in flight", kept)
	}
	for plugin, n := range rejectors {
		waiting := counts.Active + counts.Backoff + counts.ErrorBackoff + counts.Unschedulable + counts.Gated
		if n < 0 || n > waiting {
			return fmt.Errorf("by the records %s has %d of %d pods on its account", plugin, n, waiting)
		}
	}
	return nil
}

func TestQueue_Safety(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newModel(drawOptions(t))
		for i, d := range drawActions(t) {
			a.apply(d)
			if err := a.queue.Check(); err != nil {
				t.Fatalf("after action %d: %v", i, err)
			}
			if err := checkCounts(a.records, a.queue.Counts()); err != nil {
				t.Fatalf("after action %d: %v", i, err)
			}
		}
	})
}

func TestQueue_Liveness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := drawOptions(t)
		a := newModel(opts)
		for _, d := range drawActions(t) {
			a.apply(d)
		}
		unschedulable := names(sortedPods(a.queue, queue.Unschedulable))
		a.jump = true
		a.wait(5*time.Minute + 31*time.Second)
		for _, p := range sortedPods(a.queue, queue.Unschedulable) {
			if slices.Contains(unschedulable, p.Pod().Name) {
				t.Fatalf("pod %s is still unschedulable after five and a half minutes", p.Pod().Name)
			}
		}
		a.wait(11 * time.Second)
		if c := a.queue.Counts(); c.Backoff+c.ErrorBackoff+c.Unschedulable > 0 {
			t.Fatalf("with nothing happening, %+v are left", c)
		}
		retried := anyGatedByWildcard(a.queue) || opts.FlushGated && a.queue.Counts().Gated > 0
		if at, ok := a.queue.NextWake(a.now); ok && !retried && a.queue.Counts().InFlight == 0 {
			t.Fatalf("nothing can move, and yet the queue wants to be woken at %s", at)
		}
	})
}

// anyGatedByWildcard reports whether the gate with the wildcard event holds a pod, which every tick therefore retries.
func anyGatedByWildcard(q *queue.Queue) bool {
	return slices.ContainsFunc(sortedPods(q, queue.Gated), func(p *queue.Pod) bool { return p.GetGatingPlugin() == "Wild" })
}

func TestRequeuesOn_MovesUnschedulablePod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newModel(drawOptions(t))
		for _, d := range drawActions(t) {
			a.apply(d)
		}
		for _, p := range sortedPods(a.queue, queue.Unschedulable) {
			helps := slices.Contains(p.Rejectors(), "Fit") || p.Pod().Spec.SchedulerName == "nobody"
			awaits := slices.ContainsFunc(a.queue.RequeuesOn(p), func(e fwk.ClusterEvent) bool { return queue.Matches(e, queue.EventNodeAdd) })
			if helps && !awaits {
				t.Fatalf("pod %s, rejected by %v, does not await nodes", p.Pod().Name, p.Rejectors())
			}
			if !helps {
				continue
			}
			a.queue.Move(queue.EventNodeAdd, nil, nil, a.now, nil)
			if state := a.queue.StateOf("default", p.Pod().Name); state == queue.Unschedulable {
				t.Fatalf("pod %s, rejected by %v, is not moved by a node", p.Pod().Name, p.Rejectors())
			}
		}
	})
}

// Without events, a pod enters activeQ, or a gate takes it, at the moment that RetryBy names and not earlier.
func TestRetryBy_TimersKeepIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := drawOptions(t)
		a := newModel(opts)
		for _, d := range drawActions(t) {
			a.apply(d)
		}
		opts.Observe = nil
		for _, state := range []queue.State{queue.Backoff, queue.ErrorBackoff, queue.Unschedulable, queue.Gated} {
			for _, p := range sortedPods(a.queue, state) {
				at, ok := a.queue.RetryBy(p)
				if ok != (p.GetGatingPlugin() == "") || ok && at.Before(a.now) {
					t.Fatalf("%s pod %s, gated by %q: %s, %t", state, p.Pod().Name, p.GetGatingPlugin(), at, ok)
				}
				if !ok {
					continue
				}
				f := a.queue.Fork(opts)
				f.Flush(at.Add(-1))
				if got := f.StateOf("default", p.Pod().Name); got == queue.Active || got == queue.Gated {
					t.Fatalf("%s pod %s is %s before %s", state, p.Pod().Name, got, at)
				}
				f.Flush(at)
				if got := f.StateOf("default", p.Pod().Name); got != queue.Active && got != queue.Gated {
					t.Fatalf("%s pod %s is %s at %s", state, p.Pod().Name, got, at)
				}
			}
		}
	})
}

func TestFlush_FrequencyDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := drawOptions(t)
		often, seldom := newModel(opts), newModel(opts)
		seldom.jump = true
		for _, d := range drawActions(t) {
			often.apply(d)
			seldom.apply(d)
		}
		if diff := cmp.Diff(printRecords(often.records), printRecords(seldom.records)); diff != "" {
			t.Fatalf("flushed often and at ticks only (-often +seldom):\n%s", diff)
		}
	})
}

func TestFork_DoesWhatQueueDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := drawOptions(t)
		a := newModel(opts)
		for _, d := range drawActions(t) {
			a.apply(d)
		}
		twin := *a
		twin.records = nil
		twin.pods = map[string]*v1.Pod{}
		for name, pod := range a.pods {
			twin.pods[name] = pod
		}
		opts.Observe = twin.observe
		twin.queue = a.queue.Fork(opts)
		if err := twin.queue.Check(); err != nil {
			t.Fatalf("the fork: %v", err)
		}
		past := len(a.records)
		more := drawActions(t)
		for _, d := range more {
			twin.apply(d)
		}
		if len(a.records) != past {
			t.Fatal("the fork moved pods of the queue")
		}
		for _, d := range more {
			a.apply(d)
		}
		if diff := cmp.Diff(printRecords(a.records[past:]), printRecords(twin.records)); diff != "" {
			t.Fatalf("after the fork (-queue +fork):\n%s", diff)
		}
	})
}

func names(pods []*queue.Pod) []string {
	var list []string
	for _, p := range pods {
		list = append(list, p.Pod().Name)
	}
	return list
}

func printRecords(records []queue.Transition) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%d %s %s\n", r.Seq, r.At.Format("15:04:05.999999999"), describe(r))
	}
	return b.String()
}
