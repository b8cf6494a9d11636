package queue_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

// fullQueue returns a queue with n pods in unschedulablePods that Fit rejected, and one that Spread rejected.
func fullQueue(b *testing.B, n int) *queue.Queue {
	b.Helper()
	no := func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.QueueSkip, nil }
	hints, err := queue.NewHints(
		testPlugin{name: "Fit", events: []fwk.ClusterEventWithHint{{Event: parseEvent("Pod/Delete"), QueueingHintFn: no}}},
		testPlugin{name: "Spread", events: []fwk.ClusterEventWithHint{{Event: parseEvent("Pod/Add"), QueueingHintFn: no}}},
	)
	if err != nil {
		b.Fatal(err)
	}
	opts := queue.DefaultOptions()
	opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {Hints: hints}}
	q := queue.New(opts)
	now := clock("12:00:00")
	for i := range n + 1 {
		q.Add(mk.Pod(fmt.Sprint("parked", i)).Obj(), now)
		p, _ := q.Pop(now)
		if i < n {
			reject(b, q, p, now, "Fit")
		} else {
			reject(b, q, p, now, "Spread")
		}
	}
	return q
}

// With 10,000 pods in unschedulablePods, an event that can help one of them costs about 75 ns: it does not visit the others.
func BenchmarkMove_OneOfManyUnschedulable(b *testing.B) {
	q, now := fullQueue(b, 10_000), clock("12:00:00")
	b.ReportAllocs()
	for b.Loop() {
		q.Move(queue.EventAssignedPodAdd, nil, nil, now, nil)
	}
}

func BenchmarkMove_AllOfManyUnschedulable(b *testing.B) {
	q, now := fullQueue(b, 10_000), clock("12:00:00")
	b.ReportAllocs()
	for b.Loop() {
		q.Move(queue.EventAssignedPodDelete, nil, nil, now, nil)
	}
}

func BenchmarkQueue_AddPopDone(b *testing.B) {
	for _, waiting := range []int{0, 10_000} {
		b.Run(fmt.Sprint("behind ", waiting), func(b *testing.B) {
			q, now := queue.New(queue.DefaultOptions()), clock("12:00:00")
			for i := range waiting {
				q.Add(mk.Pod(fmt.Sprint("waiting", i)).Obj(), now)
			}
			pod := mk.Pod("web").Priority(1).Obj()
			b.ReportAllocs()
			for b.Loop() {
				q.Add(pod, now)
				p, _ := q.Pop(now)
				q.Done(p.Pod().UID)
			}
		})
	}
}

func BenchmarkQueue_FailAndRetry(b *testing.B) {
	q, now := fullQueue(b, 0), clock("12:00:00")
	q.Add(mk.Pod("web").Obj(), now)
	b.ReportAllocs()
	for b.Loop() {
		p, _ := q.Pop(now)
		reject(b, q, p, now, "Fit")
		q.Activate([]*v1.Pod{p.Pod()}, now)
	}
}
