package queue_test

import (
	"context"
	"fmt"
	"slices"
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

// teams holds back the pods of a team until there are enough of them.
type teams struct {
	size  map[string]int
	least *int
	calls *int
}

func (teams) Name() string { return "Teams" }

func (g teams) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	*g.calls++
	if team := pod.Labels["team"]; team != "" && g.size[team] < *g.least {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("fewer than %d", *g.least))
	}
	return nil
}

func (teams) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	ofTeam := func(_ klog.Logger, pod *v1.Pod, _, added any) (fwk.QueueingHint, error) {
		if other, is := added.(*v1.Pod); is && other.Labels["team"] == pod.Labels["team"] {
			return fwk.Queue, nil
		}
		return fwk.QueueSkip, nil
	}
	return []fwk.ClusterEventWithHint{
		{Event: parseEvent("Pod/Add"), QueueingHintFn: ofTeam}, {Event: parseEvent("Node/Add"), QueueingHintFn: answers["queue"]},
	}, nil
}

// teamGate is teams as a GroupGate.
type teamGate struct{ teams }

func (teamGate) GateGroup(pod *v1.Pod) any {
	if team := pod.Labels["team"]; team != "" {
		return team
	}
	return nil
}

// teamQueue is a queue with a gate, and what it counts.
type teamQueue struct {
	*queue.Queue
	entered map[string]int // scheduler_queue_incoming_pods_total
	popped  []*queue.Pod
}

func newTeamQueue(t testing.TB, gate interface {
	fwk.PreEnqueuePlugin
	fwk.EnqueueExtensions
}, popEarly bool,
) *teamQueue {
	t.Helper()
	hints, err := queue.NewHints(gate, testPlugin{name: "Fit", events: []fwk.ClusterEventWithHint{{Event: parseEvent("Node/Add")}}})
	if err != nil {
		t.Fatal(err)
	}
	q := &teamQueue{entered: map[string]int{}}
	opts := queue.DefaultOptions()
	opts.PopFromBackoff = popEarly
	opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {PreEnqueue: []fwk.PreEnqueuePlugin{gate}, Hints: hints}}
	opts.Observe = func(r queue.Transition) {
		switch {
		case r.Kind == queue.GroupHeld:
			q.entered[queue.Gated.QueueLabel()+" "+r.Event] += r.Count
		case r.Entered && r.To.QueueLabel() != "":
			q.entered[r.To.QueueLabel()+" "+r.Event]++
		}
	}
	q.Queue = queue.New(opts)
	return q
}

// places are the states of all pods.
func (q *teamQueue) places() (all []string) {
	for _, state := range []queue.State{queue.Active, queue.Backoff, queue.Unschedulable, queue.Gated, queue.InFlight} {
		for _, p := range q.Pods(nil, state) {
			all = append(all, fmt.Sprint(p.Pod().Name, " ", p.State(), " ", p.Rejectors(), " ", p.GetAttempts()))
		}
	}
	slices.Sort(all)
	return all
}

var podAdd = fwk.ClusterEvent{Resource: queue.UnschedulablePod, ActionType: fwk.Add}

// What happens to pods is the same whether a gate holds them back one by one or by group.
func TestGroupGate_ChangesNoPod(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		size, least, calls := map[string]int{}, 3, 0
		gate, early := teams{size, &least, &calls}, rapid.Bool().Draw(r, "pop early")
		both := []*teamQueue{newTeamQueue(t, gate, early), newTeamQueue(t, teamGate{gate}, early)}
		now, pods := clock("12:00:00"), map[string]*v1.Pod{}
		each := func(do func(q *teamQueue)) {
			for _, q := range both {
				do(q)
				if err := q.Check(); err != nil {
					r.Fatal(err)
				}
			}
		}
		for i := range rapid.IntRange(20, 60).Draw(r, "steps") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{1, 1, 300, 3000}).Draw(r, "pass")) * time.Millisecond)
			kind := rapid.SampledFrom([]string{"add", "add", "add", "add", "delete", "pop", "fail", "node", "least", "update", "activate"}).Draw(r, "step")
			name := fmt.Sprint("p", rapid.IntRange(0, 15).Draw(r, "pod"))
			pod := pods[name]
			switch {
			case kind == "add" && pod == nil:
				added := mk.Pod(name).UID(fmt.Sprint(name, "-", i)).Obj()
				if team := rapid.SampledFrom([]string{"", "a", "a", "b"}).Draw(r, "team"); team != "" {
					added.Labels = map[string]string{"team": team}
					size[team]++
				}
				pods[name] = added
				each(func(q *teamQueue) {
					q.Add(added, now)
					q.Move(podAdd, nil, added, now, nil)
				})
			case kind == "delete" && pod != nil:
				delete(pods, name)
				size[pod.Labels["team"]]--
				each(func(q *teamQueue) { q.Delete(pod, now) })
			case kind == "update" && pod != nil:
				updated := pod.DeepCopy()
				updated.Labels = map[string]string{"team": rapid.SampledFrom([]string{"a", "b"}).Draw(r, "team")}
				size[pod.Labels["team"]]--
				size[updated.Labels["team"]]++
				pods[name] = updated
				each(func(q *teamQueue) { q.Update(pod, updated, now) })
			case kind == "activate" && pod != nil:
				each(func(q *teamQueue) { q.Activate([]*v1.Pod{pod}, now) })
			case kind == "pop":
				each(func(q *teamQueue) {
					if p, popped := q.Pop(now); popped {
						q.popped = append(q.popped, p)
					}
				})
			case kind == "fail" && len(both[0].popped) > 0:
				each(func(q *teamQueue) {
					p := q.popped[0]
					q.popped = q.popped[1:]
					if p.Reject(sets.New("Fit"), nil); pods[p.Pod().Name] == nil {
						q.Done(p.Pod().UID)
					} else if err := q.AddUnschedulableIfNotPresent(p, q.SchedulingCycle(), now); err != nil {
						q.Done(p.Pod().UID)
					}
				})
			case kind == "node":
				each(func(q *teamQueue) { q.Move(queue.EventNodeAdd, nil, mk.Node("n").Obj(), now, nil) })
			case kind == "least":
				least = rapid.IntRange(2, 5).Draw(r, "least")
			}
			if diff := cmp.Diff(both[0].places(), both[1].places()); diff != "" {
				r.Fatalf("after %s (-one by one +by group):\n%s", kind, diff)
			}
			if diff := cmp.Diff(both[0].entered, both[1].entered); diff != "" {
				r.Fatalf("incoming pods after %s (-one by one +by group):\n%s", kind, diff)
			}
		}
	})
}

// Adding the pods of a group one by one asks the gate of one of them, not of all.
func TestGroupGate_AsksOfOnePod(t *testing.T) {
	const pods = 100
	size, least, calls := map[string]int{}, pods, 0
	q, now := newTeamQueue(t, teamGate{teams{size, &least, &calls}}, true), clock("12:00:00")
	for i := range pods {
		pod := mk.Pod(fmt.Sprint("p", i)).Label("team", "a").Obj()
		size["a"]++
		q.Add(pod, now)
		q.Move(podAdd, nil, pod, now, nil)
	}
	if got := q.Counts(); got.Active != pods || calls > 4*pods {
		t.Errorf("%+v after %d calls of the gate for %d pods", got, calls, pods)
	}
}
