package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

// From 1.37 on a gated pod holds its place on the node that it is nominated for.
func TestAdd_NominationOfGatedPod(t *testing.T) {
	for _, onAdd := range []bool{false, true} {
		opts := queue.DefaultOptions()
		opts.NominateOnAdd = onAdd
		opts.Profiles = map[string]queue.Profile{"default-scheduler": {PreEnqueue: []fwk.PreEnqueuePlugin{testPlugin{name: "Open"}}}}
		q := queue.New(opts)
		gated := mk.Pod("gated").Label("Open", "").Obj()
		gated.Status.NominatedNodeName = "n1"
		open := mk.Pod("open").Obj()
		open.Status.NominatedNodeName = "n2"
		q.Add(gated, clock("12:00:00"))
		q.Add(open, clock("12:00:00"))
		if _, has := q.NominatedNode(gated); has != onAdd {
			t.Errorf("nominations are recorded when a pod is added: %v; the gated pod has one: %v", onAdd, has)
		}
		if node, has := q.NominatedNode(open); !has || node != "n2" {
			t.Errorf("a pod that is not gated is nominated for %q, %v", node, has)
		}
	}
}

// From 1.37 on a plugin that registers for new nodes is not registered for changes of taints as well.
func TestNewExactHints_OnlyRegisteredEvents(t *testing.T) {
	plugin := testPlugin{name: "P", events: []fwk.ClusterEventWithHint{{Event: parseEvent("Node/Add")}, {Event: parseEvent("Pod/Delete")}}}
	for name, tt := range map[string]struct {
		build func(...fwk.EnqueueExtensions) (*queue.Hints, error)
		want  []fwk.ClusterEvent
	}{
		"up to 1.36": {queue.NewHints, []fwk.ClusterEvent{{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint}, parseEvent("Pod/Delete")}},
		"from 1.37":  {queue.NewExactHints, []fwk.ClusterEvent{parseEvent("Node/Add"), parseEvent("Pod/Delete")}},
	} {
		hints, err := tt.build(plugin)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, queue.WatchedEvents(hints)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// From 1.36 on a pod is signed in the queue: when it is added, and when it is updated there, but not when it is updated while it is tried.
func TestSign_InQueueOnly(t *testing.T) {
	opts := queue.DefaultOptions()
	opts.Profiles = map[string]queue.Profile{"default-scheduler": {Sign: func(pod *v1.Pod) fwk.PodSignature {
		return fwk.PodSignature(pod.Labels["app"])
	}}}
	q := queue.New(opts)
	now := clock("12:00:00")
	pod := mk.Pod("web").Label("app", "a").Obj()
	relabel := func(to string) *v1.Pod {
		was := pod
		pod = was.DeepCopy()
		pod.Labels["app"] = to
		q.Update(was, pod, now)
		return pod
	}
	q.Add(pod, now)
	relabel("b")
	popped, _ := q.Pop(now)
	if got := string(popped.Signature()); got != "b" {
		t.Errorf("the pod was signed in activeQ as %q", got)
	}
	relabel("c")
	popped.Update(pod)
	popped.Reject(sets.New("Fit"), nil)
	if err := q.AddUnschedulableIfNotPresent(popped, q.SchedulingCycle(), now); err != nil {
		t.Fatal(err)
	}
	if got := string(popped.Signature()); got != "b" {
		t.Errorf("after an attempt during which it was updated the pod is signed as %q", got)
	}
	relabel("d")
	if got := string(popped.Signature()); got != "d" {
		t.Errorf("the pod was signed again as %q", got)
	}
}

// From 1.36 on it is known of a pod that the flush brought it back, until the attempt has failed.
func TestFlush_IsNoted(t *testing.T) {
	for _, noted := range []bool{false, true} {
		opts := queue.DefaultOptions()
		opts.NoteFlushed, opts.Start = noted, clock("12:00:00")
		q := queue.New(opts)
		q.Add(mk.Pod("web").Obj(), clock("12:00:00"))
		fail := func(at string, brought bool) {
			popped, ok := q.Pop(clock(at))
			if !ok || popped.WasFlushed() != brought {
				t.Fatalf("at %s, noted %v: popped %v, brought back by the flush: %v", at, noted, ok, popped.WasFlushed())
			}
			popped.Reject(sets.New("Fit"), nil)
			if err := q.AddUnschedulableIfNotPresent(popped, q.SchedulingCycle(), clock(at)); err != nil {
				t.Fatal(err)
			}
			if popped.WasFlushed() {
				t.Errorf("at %s the pod has failed, and still counts as brought back by the flush", at)
			}
		}
		fail("12:00:00", false)
		fail("12:06:00", noted)
	}
}
