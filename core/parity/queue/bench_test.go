package queue

import (
	"context"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"

	ours "orrery/core/scheduler/queue"
)

const parked = 10_000

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func benchPod(name string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID(name)},
		Spec:       v1.PodSpec{SchedulerName: "bench"},
	}
}

func benchScheme() scheme {
	no := func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.QueueSkip, nil }
	return scheme{storage: &storagePlugins{}, exts: map[string][]fwk.EnqueueExtensions{"bench": {
		rejector{"Fit", []fwk.ClusterEventWithHint{on(fwk.Pod, fwk.Delete, no)}},
		rejector{"Spread", []fwk.ClusterEventWithHint{on(fwk.Pod, fwk.Add, no)}},
	}}}
}

// unschedulableQueues returns both queues with 10,000 unschedulable pods: one that the addition of an assigned pod requeues;\n// the rest are requeued only by a deletion.
func unschedulableQueues(b *testing.B) (*upstream.PriorityQueue, *ours.Queue) {
	gates, hints := benchScheme().upstreamMaps()
	them := upstream.NewPriorityQueue((&queuesort.PrioritySort{}).Less, factory, upstream.WithPreEnqueuePluginMap(gates),
		upstream.WithQueueingHintMapPerProfile(hints), upstream.WithMetricsRecorder(recorder), upstream.WithPodLister(&player{}))
	opts := newestOptions()
	opts.Profiles = benchScheme().profiles()
	us := ours.New(opts)
	for i := range parked {
		pod := benchPod(fmt.Sprint("parked", i))
		rejector := "Fit"
		if i == 0 {
			rejector = "Spread"
		}
		them.Add(context.Background(), pod)
		entity, err := them.Pop(klog.Logger{})
		if err != nil {
			b.Fatal(err)
		}
		t := entity.(*framework.QueuedPodInfo)
		t.UnschedulablePlugins = sets.New(rejector)
		if err := them.AddUnschedulablePodIfNotPresent(klog.Logger{}, t, them.SchedulingCycle()); err != nil {
			b.Fatal(err)
		}
		us.Add(pod, noon)
		u, _ := us.Pop(noon)
		u.Reject(sets.New(rejector), nil)
		if err := us.AddUnschedulableIfNotPresent(u, us.SchedulingCycle(), noon); err != nil {
			b.Fatal(err)
		}
	}
	return them, us
}

func BenchmarkEvent_RequeuesOnePod(b *testing.B) { benchEvent(b, ours.EventAssignedPodAdd) }

func BenchmarkEvent_RequeuesAllPods(b *testing.B) { benchEvent(b, ours.EventAssignedPodDelete) }

func benchEvent(b *testing.B, event fwk.ClusterEvent) {
	them, us := unschedulableQueues(b)
	b.Run("theirs", func(b *testing.B) {
		for b.Loop() {
			them.MoveAllToActiveOrBackoffQueue(klog.Logger{}, event, nil, nil, nil)
		}
	})
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			us.Move(event, nil, nil, noon, nil)
		}
	})
}

func BenchmarkOneAttempt(b *testing.B) {
	them, us := unschedulableQueues(b)
	pod := benchPod("web")
	b.Run("theirs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			them.Add(context.Background(), pod)
			p, _ := them.Pop(klog.Logger{})
			them.Done(p.(*framework.QueuedPodInfo).Pod.UID)
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			us.Add(pod, noon)
			p, _ := us.Pop(noon)
			us.Done(p.Pod().UID)
		}
	})
}
