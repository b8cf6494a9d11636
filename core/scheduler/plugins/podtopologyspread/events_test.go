package podtopologyspread

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestEventsToRegister(t *testing.T) {
	got := plugintest.Events(t, newFixture(t, nil, nil).PodTopologySpread)
	want := []fwk.ClusterEvent{
		{Resource: fwk.Pod, ActionType: fwk.Add | fwk.UpdatePodLabel | fwk.UpdatePodToleration | fwk.Delete},
		{Resource: fwk.Node, ActionType: fwk.Add | fwk.Delete | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestQueueingHints_PodChange(t *testing.T) {
	waiting := testPod(hard(zone, 1), with(hard(host, 1), func(c *v1.TopologySpreadConstraint) {
		c.LabelSelector.MatchLabels = map[string]string{"tier": "front"}
	}))
	waiting.Spec.TopologySpreadConstraints[1].LabelSelector = waiting.Spec.TopologySpreadConstraints[1].LabelSelector.DeepCopy()
	waiting.Spec.TopologySpreadConstraints[0] = hard(zone, 1)
	honoring := testPod(with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) { c.NodeTaintsPolicy = ptr.To(v1.NodeInclusionPolicyHonor) }))
	tolerant := honoring.DeepCopy()
	tolerant.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
	ignoring := testPod(hard(zone, 1))
	assigned := func() *mk.PodBuilder { return mk.Pod("other").Node("n1") }

	for _, row := range []struct {
		name          string
		waiting       *v1.Pod
		before, after any
		want          fwk.QueueingHint
	}{
		{"a pod that counts was assigned", waiting, nil, assigned().Label("foo", "bar").Obj(), fwk.Queue},
		{"a pod that counts for one of two constraints was assigned", waiting, nil, assigned().Label("tier", "front").Obj(), fwk.Queue},
		{"a pod that does not count was assigned", waiting, nil, assigned().Label("foo", "baz").Obj(), fwk.QueueSkip},
		{"a pod that counts was created without a node", waiting, nil, mk.Pod("other").Label("foo", "bar").Obj(), fwk.QueueSkip},
		{"a pod of another namespace was assigned", waiting, nil, assigned().Namespace("other").Label("foo", "bar").Obj(), fwk.QueueSkip},
		{"a pod that counted was deleted", waiting, assigned().Label("foo", "bar").Obj(), nil, fwk.Queue},
		{
			"a pod that counted was deleted unobserved", waiting,
			cache.DeletedFinalStateUnknown{Obj: assigned().Label("foo", "bar").Obj()},
			nil, fwk.Queue,
		},
		{"a pod that did not count was deleted", waiting, assigned().Obj(), nil, fwk.QueueSkip},
		{"a pod began to count", waiting, assigned().Obj(), assigned().Label("foo", "bar").Obj(), fwk.Queue},
		{"a pod ceased to count", waiting, assigned().Label("foo", "bar").Obj(), assigned().Obj(), fwk.Queue},
		{"a pod changed labels that no selector uses", waiting, assigned().Label("foo", "bar").Obj(), assigned().Label("foo", "bar").Label("x", "y").Obj(), fwk.QueueSkip},
		{"a pod kept its labels", waiting, assigned().Label("foo", "bar").Obj(), assigned().Label("foo", "bar").Obj(), fwk.QueueSkip},
		{"the pod's tolerations changed, nodeTaintsPolicy Honor", honoring, honoring, tolerant, fwk.Queue},
		{"the pod's tolerations changed, nodeTaintsPolicy Ignore", ignoring, honoring, tolerant, fwk.QueueSkip},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := newFixture(t, nil, nil).isSchedulableAfterPodChange(klog.Logger{}, row.waiting, row.before, row.after)
			if got != row.want || err != nil {
				t.Errorf("%v, error %v, want %v", got, err, row.want)
			}
		})
	}
}

func TestQueueingHints_NodeChange(t *testing.T) {
	waiting := testPod(hard(zone, 1), hard(host, 1))
	node := func(zone string) *mk.NodeBuilder { return mk.Node("n").Label("node", "n").Zone(zone) }
	keyless := mk.Node("n").Label("node", "n").Obj()
	selecting, ignoring := testPod(hard(zone, 1)), testPod(with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) {
		c.NodeAffinityPolicy = ptr.To(v1.NodeInclusionPolicyIgnore)
	}))
	selecting.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	ignoring.Spec.NodeSelector = selecting.Spec.NodeSelector

	for _, row := range []struct {
		name          string
		waiting       *v1.Pod
		before, after any
		want          fwk.QueueingHint
	}{
		{"a node with all keys was added", waiting, nil, node("A").Obj(), fwk.Queue},
		{"a node that lacks a key was added", waiting, nil, keyless, fwk.QueueSkip},
		{"a node with all keys was removed", waiting, node("A").Obj(), nil, fwk.Queue},
		{"a node that lacks a key was removed", waiting, keyless, nil, fwk.QueueSkip},
		{"a node got all keys", waiting, keyless, node("A").Obj(), fwk.Queue},
		{"a node lost a key", waiting, node("A").Obj(), keyless, fwk.Queue},
		{"a node moved to another domain", waiting, node("A").Obj(), node("B").Obj(), fwk.Queue},
		{"a node changed labels that are no keys", waiting, node("A").Obj(), node("A").Label("x", "y").Obj(), fwk.QueueSkip},
		{"a node that was selected no longer is", selecting, node("A").Label("disk", "ssd").Obj(), node("A").Obj(), fwk.Queue},
		{"a node is selected now", selecting, node("A").Obj(), node("A").Label("disk", "ssd").Obj(), fwk.Queue},
		{"a node is selected as before", selecting, node("A").Label("disk", "ssd").Obj(), node("A").Label("disk", "ssd").Label("x", "y").Obj(), fwk.QueueSkip},
		{"a node that was selected no longer is, nodeAffinityPolicy Ignore", ignoring, node("A").Label("disk", "ssd").Obj(), node("A").Obj(), fwk.QueueSkip},
		{"a selected node that lacks a key changed its labels", selecting, mk.Node("n").Label("disk", "ssd").Obj(), keyless, fwk.QueueSkip},
		{"a node with all keys changed its taints", waiting, node("A").Obj(), node("A").Taint("t", "", v1.TaintEffectNoSchedule).Obj(), fwk.Queue},
		{"a node that lacks a key changed its taints", waiting, keyless, mk.Node("n").Taint("t", "", v1.TaintEffectNoSchedule).Obj(), fwk.QueueSkip},
		{"a pod without hard constraints wakes for any new node", testPod(), nil, keyless, fwk.Queue},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := newFixture(t, nil, nil).isSchedulableAfterNodeChange(klog.Logger{}, row.waiting, row.before, row.after)
			if got != row.want || err != nil {
				t.Errorf("%v, error %v, want %v", got, err, row.want)
			}
		})
	}
}

// A hint that returns an error requeues the pod.
func TestQueueingHints_UnreadableObjects(t *testing.T) {
	s := newFixture(t, nil, nil)
	broken := hard(zone, 1)
	broken.LabelSelector.MatchLabels["a b"] = ""
	for name, hint := range map[string]func() (fwk.QueueingHint, error){
		"a node where a pod should be": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterPodChange(klog.Logger{}, testPod(hard(zone, 1)), nil, &v1.Node{})
		},
		"a pod where a node should be": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterNodeChange(klog.Logger{}, testPod(hard(zone, 1)), nil, &v1.Pod{})
		},
		"a selector, when a pod changes": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterPodChange(klog.Logger{}, testPod(broken), nil, running("n1")[0])
		},
		"a selector, when a node changes": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterNodeChange(klog.Logger{}, testPod(broken), nil, mk.Node("n").Obj())
		},
	} {
		if got, err := hint(); got != fwk.Queue || err == nil {
			t.Errorf("%s: %v, error %v, want Queue and an error", name, got, err)
		}
	}
}
