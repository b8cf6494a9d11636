package nodeunschedulable_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain_NamesCordonedNodes(t *testing.T) {
	rejected := framework.Rejection{}
	for name, others := range map[string][]string{
		"alone": nil, "tainted-by-the-cordon": {"TaintToleration"}, "tainted": {"TaintToleration"}, "full": {"NodeResourcesFit"},
	} {
		node := mk.Node(name).Unschedulable().Taint(v1.TaintNodeUnschedulable, "", v1.TaintEffectNoSchedule)
		if name == "tainted" {
			node.Taint("team", "red", v1.TaintEffectNoSchedule)
		}
		node.Obj().Spec.Taints[0].TimeAdded = &metav1.Time{Time: time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)}
		info := cache.NewNodeInfo()
		info.SetNode(node.Obj())
		one := framework.Rejection{Nodes: []framework.RejectedNode{{NodeInfo: info, Others: others}}}
		e := plugin(t).Explain(t.Context(), nil, mk.Pod("p").Obj(), one)[0]
		want := "node-cordoned on " + name + ": is cordoned"
		if name == "alone" || name == "tainted-by-the-cordon" {
			want += " | hint: would fit with " + name + " uncordoned | try: uncordon " + name
		}
		if got := plugintest.EvidenceText(&e); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if got, want := e.Facts[0], "cordoned: "+name+" since 2026-03-01T06:00:00Z"; got != want {
			t.Errorf("fact %q, want %q", got, want)
		}
		rejected.Nodes = append(rejected.Nodes, one.Nodes...)
	}
	e := plugin(t).Explain(t.Context(), nil, mk.Pod("p").Obj(), rejected)[0]
	if want := "would fit with one of 2 nodes uncordoned"; e.Predicate != "are cordoned" || e.Hint != want {
		t.Errorf("%q, %q, want %q", e.Predicate, e.Hint, want)
	}
}
