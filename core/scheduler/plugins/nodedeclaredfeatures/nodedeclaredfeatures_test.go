package nodedeclaredfeatures_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/nodedeclaredfeatures"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func plugin(t *testing.T, on bool) *nodedeclaredfeatures.NodeDeclaredFeatures {
	features, err := config.ParseFeatures(map[string]bool{"NodeDeclaredFeatures": on})
	if err != nil {
		t.Fatal(err)
	}
	p, err := nodedeclaredfeatures.New(t.Context(), nil, nil, features)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*nodedeclaredfeatures.NodeDeclaredFeatures)
}

const restartAll = "RestartAllContainersOnContainerExits"

// needing is a pod that needs the node to be able to restart all containers when one exits.
func needing() *v1.Pod {
	pod := mk.Pod("p").Obj()
	pod.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}
	return pod
}

func declaring(features ...string) *v1.Node {
	node := mk.Node("n").Obj()
	node.Status.DeclaredFeatures = features
	return node
}

// Shows NDF-01, NDF-02 and NDF-03.
func TestFilter(t *testing.T) {
	for name, tc := range map[string]struct {
		on   bool
		pod  *v1.Pod
		node *v1.Node
		want string
	}{
		"a pod without required features: PreFilter skips": {true, mk.Pod("p").Obj(), declaring(), "Skip"},
		"the node declares the required feature":           {true, needing(), declaring("Other", restartAll), "Success"},
		"the node does not declare the required feature":   {true, needing(), declaring("Other"), "UnschedulableAndUnresolvable: node declared features check failed - unsatisfied requirements: " + restartAll},
		"the gate is off": {false, needing(), declaring(), "Skip"},
	} {
		t.Run(name, func(t *testing.T) {
			node := cache.NewNodeInfo()
			node.SetNode(tc.node)
			if got := plugintest.Filter(plugin(t, tc.on), tc.pod, node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestQueueingHints(t *testing.T) {
	pod := needing()
	for name, tc := range map[string]struct {
		resource      fwk.EventResource
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a node is added without features":       {fwk.Node, fwk.Add, nil, declaring(), "Queue"},
		"a node declares something else":         {fwk.Node, fwk.UpdateNodeDeclaredFeature, declaring("a"), declaring("b"), "Queue"},
		"a node declares the same":               {fwk.Node, fwk.UpdateNodeDeclaredFeature, declaring("a"), declaring("a"), "QueueSkip"},
		"the pod no longer requires the feature": {fwk.Pod, fwk.UpdatePodLabel, pod, mk.Pod("p").Obj(), "Queue"},
		"the pod still requires the feature":     {fwk.Pod, fwk.UpdatePodLabel, pod, needing(), "QueueSkip"},
		"another pod is updated":                 {fwk.Pod, fwk.UpdatePodLabel, mk.Pod("q").Obj(), mk.Pod("q").Obj(), "QueueSkip"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, plugin(t, true), tc.resource, tc.action, pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if got := plugintest.Hint(t, plugin(t, false), fwk.Node, fwk.Add, pod, nil, declaring()); got != "not registered" {
		t.Errorf("with the gate off: got %q, want not registered", got)
	}
}

func TestSignPod(t *testing.T) {
	for name, tc := range map[string]struct {
		on   bool
		want map[string]string
	}{
		"the gate is on":  {true, map[string]string{"v1.Pod.Spec.RequiredFeatures()": `["` + restartAll + `"]`}},
		"the gate is off": {false, map[string]string{}},
	} {
		if diff := cmp.Diff(tc.want, plugintest.Signature(t, plugin(t, tc.on), needing())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
