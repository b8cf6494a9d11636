package fit_test

import (
	"strings"
	"testing"

	"orrery/core/answers/change"
	"orrery/core/answers/fit"
	"orrery/core/testing/drawn"
)

// A new node takes a pod that waits, and gives its place to another one that waits and comes first. The objects have no part in that: they fit
// on the one node.
func TestFewestNodes_PreemptionBeforeTheObjectsIsNoHarm(t *testing.T) {
	cluster := strings.Join([]string{
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: 10\n",
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n",
		"node n0 1 a\n",
		drawn.Written("ReplicaSet", "old0", "app: old0", 1, "900m"),
		drawn.Written("StatefulSet", "old1", "app: old1", 2, "1700m", "priorityClassName: low"),
		drawn.Written("StatefulSet", "old2", "app: old2", 4, "300m", "priorityClassName: high"),
	}, "---\n")
	set := drawn.Set(t, drawn.Written("Deployment", "new", "set: new", 1, "200m", "nodeSelector: {topology.kubernetes.io/zone: a}"))
	adding := func(n int) change.Change {
		c, err := change.ParseShape("cpu=4,memory=64Gi,pods=30,zone=a", n)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	nodes, err := fit.FewestNodes(drawn.New(t, 7, cluster).Engine, set, adding, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if nodes.Nodes != 1 || !nodes.Enough {
		t.Errorf("%d nodes are needed, want 1: with that %s, with one fewer %s", nodes.Nodes, nodes.Answer.Verdict(), nodes.Fewer.Verdict())
	}
}
