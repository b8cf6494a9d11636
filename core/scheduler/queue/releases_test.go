package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
