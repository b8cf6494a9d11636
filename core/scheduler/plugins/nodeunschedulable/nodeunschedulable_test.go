package nodeunschedulable_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/nodeunschedulable"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func plugin(t *testing.T) *nodeunschedulable.NodeUnschedulable {
	p, err := nodeunschedulable.New(t.Context(), nil, nil, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return p.(*nodeunschedulable.NodeUnschedulable)
}

const rejected = "UnschedulableAndUnresolvable: node(s) were unschedulable"

var cordonTolerated = v1.Toleration{Key: "node.kubernetes.io/unschedulable", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}

func TestFilter(t *testing.T) {
	for name, tc := range map[string]struct {
		pod  *v1.Pod
		node *v1.Node
		want string
	}{
		"a node that is not cordoned": {mk.Pod("p").Obj(), mk.Node("n").Obj(), "Success"},
		"a cordoned node is rejected even before it has its taint": {
			mk.Pod("p").Obj(), mk.Node("n").Unschedulable().Obj(), rejected,
		},
		"a pod that tolerates the cordon fits": {
			mk.Pod("p").Toleration(cordonTolerated).Obj(), mk.Node("n").Unschedulable().Obj(), "Success",
		},
		"a pod that tolerates every taint fits": {
			mk.Pod("p").Toleration(v1.Toleration{Operator: v1.TolerationOpExists}).Obj(), mk.Node("n").Unschedulable().Obj(), "Success",
		},
		"a toleration of the empty value matches the cordon, which has none": {
			mk.Pod("p").Toleration(v1.Toleration{Key: "node.kubernetes.io/unschedulable"}).Obj(), mk.Node("n").Unschedulable().Obj(), "Success",
		},
		"a toleration for NoExecute does not tolerate the cordon": {
			mk.Pod("p").Toleration(v1.Toleration{Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute}).Obj(),
			mk.Node("n").Unschedulable().Obj(), rejected,
		},
		"the taint alone is left to TaintToleration": {
			mk.Pod("p").Obj(), mk.Node("n").Taint("node.kubernetes.io/unschedulable", "", v1.TaintEffectNoSchedule).Obj(), "Success",
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := cache.NewNodeInfo()
			node.SetNode(tc.node)
			if got := plugintest.Filter(plugin(t), tc.pod, node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestQueueingHints(t *testing.T) {
	open, cordoned := mk.Node("n").Obj(), mk.Node("n").Unschedulable().Obj()
	pod := mk.Pod("p").Obj()
	for name, tc := range map[string]struct {
		resource      fwk.EventResource
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a usable node is added":           {fwk.Node, fwk.Add, nil, open, "Queue"},
		"a cordoned node is added":         {fwk.Node, fwk.Add, nil, cordoned, "QueueSkip"},
		"a node is uncordoned":             {fwk.Node, fwk.UpdateNodeTaint, cordoned, open, "Queue"},
		"a node is cordoned":               {fwk.Node, fwk.UpdateNodeTaint, open, cordoned, "QueueSkip"},
		"a usable node stays usable":       {fwk.Node, fwk.UpdateNodeTaint, open, open, "QueueSkip"},
		"a cordoned node stays cordoned":   {fwk.Node, fwk.UpdateNodeTaint, cordoned, cordoned, "QueueSkip"},
		"the pod now tolerates cordons":    {fwk.Pod, fwk.UpdatePodToleration, pod, mk.Pod("p").Toleration(cordonTolerated).Obj(), "Queue"},
		"the pod tolerates something else": {fwk.Pod, fwk.UpdatePodToleration, pod, mk.Pod("p").Toleration(v1.Toleration{Key: "k"}).Obj(), "QueueSkip"},
		"another pod tolerates cordons":    {fwk.Pod, fwk.UpdatePodToleration, pod, mk.Pod("q").Toleration(cordonTolerated).Obj(), "QueueSkip"},
		"a node's labels change":           {fwk.Node, fwk.UpdateNodeLabel, open, open, "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, plugin(t), tc.resource, tc.action, pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
