package nodename_test

import (
	"testing"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain_NamesNode(t *testing.T) {
	a, b := cache.NewNodeInfo(), cache.NewNodeInfo()
	a.SetNode(mk.Node("a").Obj())
	b.SetNode(mk.Node("b").Obj())
	for pod, want := range map[string]string{
		"a":   "node-name on b: is not a | wants: spec.nodeName a",
		"off": "node-name on a b: are not off | sentence: spec.nodeName is off, and there is no such node | wants: spec.nodeName off",
	} {
		if got := plugintest.Explain(plugin(t), mk.Pod("p").Node(pod).Obj(), a, b); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
