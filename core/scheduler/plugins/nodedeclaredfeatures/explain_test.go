package nodedeclaredfeatures_test

import (
	"testing"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain_NamesFeature(t *testing.T) {
	named := func(name string, features ...string) fwk.NodeInfo {
		node, info := mk.Node(name).Obj(), cache.NewNodeInfo()
		node.Status.DeclaredFeatures = features
		info.SetNode(node)
		return info
	}
	const wants = " | wants: nodes whose kubelet declares " + restartAll
	old, other, fresh := named("old"), named("other", "Other"), named("fresh", restartAll)
	p := plugin(t, true)
	if got, want := plugintest.Explain(p, needing(), old, other, fresh),
		"feature-undeclared on old other: do not declare "+restartAll+", which its spec needs"+wants; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := plugintest.Explain(p, needing(), old), "feature-undeclared on old: does not declare "+restartAll+
		", which its spec needs | sentence: no node declares "+restartAll+", which its spec needs"+wants; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := plugintest.Explain(p, mk.Pod("plain").Obj(), old); got != "" {
		t.Errorf("a pod that needs nothing: %s", got)
	}
}
