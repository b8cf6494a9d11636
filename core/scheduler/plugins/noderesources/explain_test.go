package noderesources

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain(t *testing.T) {
	node := func(name, cpu string, used ...*v1.Pod) fwk.NodeInfo {
		return onNode(mk.Node(name).CPU(cpu).Memory("8Gi").Resource(gpu, "0").Obj(), used...)
	}
	for _, tc := range []struct {
		name  string
		pod   *mk.PodBuilder
		nodes []fwk.NodeInfo
		want  string
	}{
		{
			"one node", mk.Pod("p").CPU("3500m"),
			[]fwk.NodeInfo{node("a", "4", mk.Pod("x").CPU("1").Obj())},
			`resources-insufficient on a: is 500m short of cpu (requests 3500m, 3 of 4 free) | hint: would fit with 500m more cpu free on one node, or with as much less requested`,
		},
		{
			"several nodes, of which the nearest is named", mk.Pod("p").CPU("4"),
			[]fwk.NodeInfo{node("a", "4", mk.Pod("x").CPU("3").Obj()), node("b", "4", mk.Pod("y").CPU("1").Obj())},
			`resources-insufficient on a b: are 1 short of cpu at best (requests 4, at most 3 free, on b) | hint: would fit with 1 more cpu free on one node, or with as much less requested`,
		},
		{
			"a node that is too small", mk.Pod("p").CPU("4"),
			[]fwk.NodeInfo{node("a", "2"), node("b", "4")},
			`resources-insufficient on a: is too small (requests 4 cpu, at most 2 allocatable) | hint: would fit with 2 more cpu free on one node, or with as much less requested`,
		},
		{
			"no node can ever hold it", mk.Pod("p").CPU("9"),
			[]fwk.NodeInfo{node("a", "2"), node("b", "4")},
			`resources-insufficient on a b: are too small (requests 9 cpu, at most 4 allocatable) | sentence: it requests 9 cpu, and the largest of 2 nodes has 4 allocatable: no node here can ever hold it | hint: would fit on a node with 9 cpu free; none is that large`,
		},
		{
			"no node is large enough for all of it", mk.Pod("p").CPU("4").Memory("16Gi"),
			[]fwk.NodeInfo{node("a", "4"), onNode(mk.Node("b").CPU("2").Memory("16Gi").Obj())},
			`resources-insufficient on b: is too small (requests 4 cpu, at most 2 allocatable) | sentence: it requests 4 cpu, 16Gi memory; none of 2 nodes is large enough for all of that, even without pods: no node here can ever hold it | hint: would fit with 2 more cpu free on one node, or with as much less requested
			resources-insufficient on a: is too small (requests 16Gi memory, at most 8Gi allocatable) | sentence: it requests 4 cpu, 16Gi memory; none of 2 nodes is large enough for all of that, even without pods: no node here can ever hold it | hint: would fit with 8Gi more memory free on one node, or with as much less requested`,
		},
		{
			"a resource that no node offers", mk.Pod("p").CPU("1").Request(gpu, "1"),
			[]fwk.NodeInfo{node("a", "4")},
			`resources-insufficient on a: offers no example.com/gpu (requests 1) | sentence: it requests 1 example.com/gpu, and no node offers any | hint: would fit on a node that offers 1 example.com/gpu`,
		},
		{
			"too many pods", mk.Pod("p"),
			[]fwk.NodeInfo{onNode(mk.Node("a").CPU("4").Memory("8Gi").Pods("1").Obj(), mk.Pod("x").Obj())},
			`pods-limit on a: has no room for another pod (1 of 1 allowed)`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, want := plugintest.Explain(fitWith(t, nil), tc.pod.Obj(), tc.nodes...), strings.ReplaceAll(tc.want, "\t", ""); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
