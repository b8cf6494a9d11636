package evict_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/testing/mk"
)

func budget(name string, allowed int32, selector *metav1.LabelSelector) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: selector},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

func TestRecord_BudgetOf(t *testing.T) {
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	everything, invalid := &metav1.LabelSelector{}, &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
	tests := []struct {
		name    string
		pod     *v1.Pod
		budgets []*policyv1.PodDisruptionBudget
		want    string
	}{
		{"no budget", mk.Pod("a").Obj(), nil, "(0)"},
		{"a budget that selects the pod", mk.Pod("a").Label("app", "web").Obj(), []*policyv1.PodDisruptionBudget{budget("b", 2, web)}, "b(2)"},
		{"a budget that selects other pods", mk.Pod("a").Obj(), []*policyv1.PodDisruptionBudget{budget("b", 2, web)}, "(0)"},
		{"an empty selector selects every pod", mk.Pod("a").Obj(), []*policyv1.PodDisruptionBudget{budget("b", 2, everything)}, "b(2)"},
		{"a missing selector selects no pod", mk.Pod("a").Obj(), []*policyv1.PodDisruptionBudget{budget("b", 2, nil)}, "(0)"},
		{"an invalid selector selects no pod", mk.Pod("a").Obj(), []*policyv1.PodDisruptionBudget{budget("b", 2, invalid)}, "(0)"},
		{"a budget in another namespace", mk.Pod("a").Namespace("other").Obj(), []*policyv1.PodDisruptionBudget{budget("b", 2, everything)}, "(0)"},
		{
			"of several the one that allows fewest, then the first by name", mk.Pod("a").Label("app", "web").Obj(),
			[]*policyv1.PodDisruptionBudget{budget("d", 1, web), budget("c", 1, everything), budget("b", 2, web)},
			"c(1)",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := evict.NewRecord()
			for _, pdb := range tt.budgets {
				b.SetBudget(pdb)
			}
			name, allowed := b.BudgetOf(tt.pod)
			if got := fmt.Sprintf("%s(%d)", name, allowed); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestRecord_DisruptionsAllowedIsCurrent(t *testing.T) {
	everything := &metav1.LabelSelector{}
	b := evict.NewRecord()
	if !b.SetBudget(budget("b", 2, everything)) || b.SetBudget(budget("b", 2, everything)) {
		t.Error("SetBudget must report other pods for a new budget, and for no unchanged one")
	}
	b.Write(evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.CountingDown, Budget: "b", DisruptionsAllowed: 2})
	fork := b.Fork()
	b.SetBudget(budget("b", 0, everything))
	if got := b.Open()[0].DisruptionsAllowed; got != 0 {
		t.Errorf("%d are allowed, want 0", got)
	}
	if got := fork.Open()[0].DisruptionsAllowed; got != 2 {
		t.Errorf("in the fork %d are allowed, want 2", got)
	}
	b.DeleteBudget("default", "b")
	if name, _ := b.BudgetOf(mk.Pod("a").Obj()); name != "" {
		t.Errorf("%s selects a pod after the budget was deleted", name)
	}
	if name, _ := fork.BudgetOf(mk.Pod("a").Obj()); name != "b" {
		t.Error("a change of the original after the fork changed the fork")
	}
}

func TestRecord_OneEvictionPerPodAndCause(t *testing.T) {
	b := evict.NewRecord()
	d := evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.Evicted, Ended: noon}
	b.Write(d)
	fork := b.Fork()
	for _, record := range []*evict.Record{b, fork} {
		for _, phase := range []evict.Phase{evict.Terminating, evict.Evicted, evict.Cancelled} {
			d.Phase = phase
			record.Write(d)
		}
		if len(record.Open()) != 0 || len(record.Ended()) != 1 {
			t.Errorf("%d are open and %d have ended, want 0 and 1", len(record.Open()), len(record.Ended()))
		}
	}
	d.Cause, d.Phase = evict.EvictionAPI, evict.Evicted
	fork.Write(d)
	if len(b.Ended()) != 1 || len(fork.Ended()) != 2 {
		t.Errorf("%d have ended and %d in the fork, want 1 and 2", len(b.Ended()), len(fork.Ended()))
	}
}

func TestRecord_KeepsNewestEnded(t *testing.T) {
	b := evict.NewRecord()
	for i := range 20_000 {
		b.Write(evict.Eviction{Pod: ref(fmt.Sprint("p", i)), Cause: evict.Taint, Phase: evict.Evicted, Ended: noon})
	}
	ended := b.Ended()
	if first, last := ended[0].Pod.Name, ended[len(ended)-1].Pod.Name; len(ended) != 4096 || first != "p15904" || last != "p19999" {
		t.Errorf("kept %d ended evictions, from %s to %s", len(ended), first, last)
	}
}

func TestRecord_Printable(t *testing.T) {
	b := evict.NewRecord()
	limit := evict.TolerationLimitOf(nil, []v1.Taint{{Key: "\x1b[2J", Value: "a\u202eb", Effect: v1.TaintEffectNoExecute}}, false)
	b.Write(evict.Eviction{Pod: ref("a"), Cause: evict.Taint, Phase: evict.CountingDown, Initiator: "me\r\n", Reason: limit.Reason()})
	if d := b.Open()[0]; d.Initiator != "me··" || d.Reason != `\x1b[2J=a\u202eb:NoExecute is not tolerated` {
		t.Errorf("initiator %q, reason %q", d.Initiator, d.Reason)
	}
}
