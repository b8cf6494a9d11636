package tainttoleration_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain(t *testing.T) {
	red := func(name string) *mk.NodeBuilder { return mk.Node(name).Taint("team", "red", noSchedule) }
	for _, tc := range []struct {
		name  string
		pod   *mk.PodBuilder
		nodes []*mk.NodeBuilder
		want  string
	}{
		{
			"the taint of the most nodes comes first", mk.Pod("p"),
			[]*mk.NodeBuilder{mk.Node("a").Taint("gpu", "", noExecute), red("b"), red("c"), mk.Node("d")},
			`taint-untolerated on b c: have the taint team=red:NoSchedule | hint: would fit on 2 nodes with a toleration of team=red:NoSchedule | try: tolerate POD team=red:NoSchedule
			taint-untolerated on a: has the taint gpu:NoExecute | hint: would fit on 1 node with a toleration of gpu:NoExecute | try: tolerate POD gpu:NoExecute`,
		},
		{
			"two taints of one node need two tolerations", mk.Pod("p"),
			[]*mk.NodeBuilder{red("a").Taint("gpu", "", noExecute)},
			`taint-untolerated on a: has the taint team=red:NoSchedule | hint: would fit on 1 node with a toleration of team=red:NoSchedule and gpu:NoExecute
			taint-untolerated on a: has the taint gpu:NoExecute`,
		},
		{
			"a condition is named, and not tolerated", mk.Pod("p"),
			[]*mk.NodeBuilder{mk.Node("a").Taint(v1.TaintNodeUnreachable, "", noSchedule)},
			`taint-untolerated on a: is unreachable (taint node.kubernetes.io/unreachable:NoSchedule) | hint: would fit on 1 node with a toleration of node.kubernetes.io/unreachable:NoSchedule`,
		},
		{
			"the taint of a cordon is the cordon", mk.Pod("p"),
			[]*mk.NodeBuilder{mk.Node("a").Taint(v1.TaintNodeUnschedulable, "", noSchedule)},
			`node-cordoned on a: is cordoned | hint: would fit on 1 node with a toleration of node.kubernetes.io/unschedulable:NoSchedule`,
		},
		{
			"the same toleration with another effect", tolerating("team", equal, "red", noExecute),
			[]*mk.NodeBuilder{red("a")},
			`taint-untolerated on a: has the taint team=red:NoSchedule (the pod tolerates team with effect NoExecute only) | meant: team=red:NoSchedule | hint: would fit on 1 node with a toleration of team=red:NoSchedule | try: tolerate POD team=red:NoSchedule`,
		},
		{
			"a value one letter away", tolerating("team", equal, "rde", noSchedule),
			[]*mk.NodeBuilder{red("a")},
			`taint-untolerated on a: has the taint team=red:NoSchedule (the pod tolerates team=rde) | meant: team=red:NoSchedule | hint: would fit on 1 node with a toleration of team=red:NoSchedule | try: tolerate POD team=red:NoSchedule`,
		},
		{
			"a key one letter away", tolerating("taem", exists, "", noSchedule),
			[]*mk.NodeBuilder{red("a")},
			`taint-untolerated on a: has the taint team=red:NoSchedule (the pod tolerates taem) | meant: team=red:NoSchedule | hint: would fit on 1 node with a toleration of team=red:NoSchedule | try: tolerate POD team=red:NoSchedule`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var nodes []fwk.NodeInfo
			for _, n := range tc.nodes {
				nodes = append(nodes, onNode(n.Obj()))
			}
			if got, want := plugintest.Explain(plugin(t, false), tc.pod.Obj(), nodes...), strings.ReplaceAll(tc.want, "\t", ""); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
