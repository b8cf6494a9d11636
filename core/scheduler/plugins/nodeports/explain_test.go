package nodeports_test

import (
	"testing"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain_NamesHolders(t *testing.T) {
	node := func(name string, pods ...string) fwk.NodeInfo {
		info := cache.NewNodeInfo()
		info.SetNode(mk.Node(name).Obj())
		for _, pod := range pods {
			info.AddPod(claiming(pod, "", "", 80))
		}
		return info
	}
	pod := claiming("p", "", "", 80)
	for want, nodes := range map[string][]fwk.NodeInfo{
		"": {node("free")},
		"port-in-use on a: has host port 80/TCP held by default/web | hint: would fit without the pod default/web | try: delete pod default/web": {
			node("a", "web"),
		},
		"port-in-use on a b: have host port 80/TCP in use (on a by default/web) | try: delete pod default/web, delete pod default/proxy": {
			node("a", "web"), node("b", "proxy"),
		},
	} {
		if got := plugintest.Explain(plugin(t), pod, nodes...); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	nominated := cache.NewNodeInfo(claiming("vip", "", "", 80)).GetPods()
	e := plugin(t).Explain(t.Context(), nil, pod, framework.Rejection{Nodes: []framework.RejectedNode{{NodeInfo: node("a"), Nominated: nominated}}})
	if got, want := e[0].Predicate, "has host port 80/TCP held for default/vip, which is nominated to it"; got != want || len(e[0].Changes) > 0 {
		t.Errorf("%q, want %q; %q", got, want, e[0].Changes)
	}
}
