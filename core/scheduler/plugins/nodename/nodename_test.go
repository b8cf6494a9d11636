package nodename_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/nodename"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func plugin(t *testing.T) *nodename.NodeName {
	p, err := nodename.New(t.Context(), nil, nil, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return p.(*nodename.NodeName)
}

func TestFilter(t *testing.T) {
	node := cache.NewNodeInfo()
	node.SetNode(mk.Node("n1").Label(v1.LabelHostname, "host-of-n1").Obj())
	for name, tc := range map[string]struct {
		pod  *v1.Pod
		want string
	}{
		"a pod without nodeName fits any node":      {mk.Pod("p").Obj(), "Success"},
		"a pod fits the node it names":              {mk.Pod("p").Node("n1").Obj(), "Success"},
		"a pod does not fit another node":           {mk.Pod("p").Node("n2").Obj(), "UnschedulableAndUnresolvable: node(s) didn't match the requested node name"},
		"the hostname label is not the node's name": {mk.Pod("p").Node("host-of-n1").Obj(), "UnschedulableAndUnresolvable: node(s) didn't match the requested node name"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(plugin(t), tc.pod, node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestEventsToRegister_NodeAdd(t *testing.T) {
	pod := mk.Pod("p").Node("n2").Obj()
	if got := plugintest.Hint(t, plugin(t), fwk.Node, fwk.Add, pod, nil, mk.Node("n3").Obj()); got != "Queue" {
		t.Errorf("a new node: %q, want Queue", got)
	}
	if got := plugintest.Hint(t, plugin(t), fwk.Node, fwk.UpdateNodeLabel, pod, nil, nil); got != "not registered" {
		t.Errorf("a changed label: %q, want not registered: names do not change", got)
	}
}

func TestSignPod(t *testing.T) {
	want := map[string]string{"v1.Pod.Spec.NodeName": `"n1"`}
	if diff := cmp.Diff(want, plugintest.Signature(t, plugin(t), mk.Pod("p").Node("n1").Obj())); diff != "" {
		t.Errorf("signature (-want +got):\n%s", diff)
	}
}
