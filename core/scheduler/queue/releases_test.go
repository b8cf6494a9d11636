package queue_test

import (
	"testing"

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
