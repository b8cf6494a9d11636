package collect

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/views"
)

// TestCompareMoments_SaysWhatBecameOfPods has a pod for everything that can happen between two moments.
func TestCompareMoments_SaysWhatBecameOfPods(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	name := func(n string) types.NamespacedName { return types.NamespacedName{Namespace: "shop", Name: n} }
	bound := func(node string) podPlace { return podPlace{state: views.Bound, node: node} }
	waits := podPlace{state: views.Unschedulable, reason: "0/2 nodes are available: 2 Insufficient cpu."}
	a := &Moment{At: at, Label: "0s", pods: map[types.NamespacedName]podPlace{
		name("stays"): bound("n1"), name("moves"): bound("n1"), name("lost"): bound("n1"), name("done"): bound("n1"), name("waited"): waits, name("waits"): waits, name("unbound"): bound("n2"),
	}}
	b := &Moment{At: at.Add(time.Minute), Label: "1m0s", pods: map[types.NamespacedName]podPlace{
		name("stays"): bound("n1"), name("moves"): bound("n2"), name("waited"): bound("n2"), name("waits"): waits, name("unbound"): waits, name("fresh"): bound("n2"), name("stuck"): waits,
	}, gone: map[types.NamespacedName]string{name("lost"): "preemption: by shop/important"}}
	marks := []views.Mark{{At: at, Label: "before", Annotated: true}, {At: at.Add(30 * time.Second), Label: "a sale", Annotated: true}, {At: at.Add(time.Hour), Label: "after", Bad: true}, {At: at.Add(time.Second), Label: "detected"}}
	for _, of := range []*views.WhatIf{CompareMoments(a, b, marks), CompareMoments(b, a, marks)} { // in whatever order they were held
		var rows []string
		for _, r := range of.Changes.Rows {
			rows = append(rows, r.Key+" "+r.From.Word()+" "+r.To.Word()+" "+r.Reason)
		}
		want := []string{
			"shop/lost bound evicted preemption: by shop/important", "shop/stuck new unschedulable 2 Insufficient cpu", "shop/unbound bound unschedulable 2 Insufficient cpu",
			"shop/waited unschedulable bound ", "shop/moves bound bound ", "shop/fresh new bound ", "shop/done bound deleted ",
		}
		if !slices.Equal(rows, want) {
			t.Errorf("the rows are\n%q, want\n%q", rows, want)
		}
		if want := "1 pod evicted, 2 without a place, 1 placed, 1 on another node, 1 created, 1 deleted or done"; of.Verdict != want || !of.Bad {
			t.Errorf("the verdict is %q, want %q", of.Verdict, want)
		}
		if want := []string{"+30s a sale"}; !slices.Equal(of.Notes, want) {
			t.Errorf("the notes are %q, want %q", of.Notes, want)
		}
	}
	if same := CompareMoments(a, a, nil); same.Bad || same.Changes.Total != 0 || same.Verdict != "no pod is anywhere else" {
		t.Errorf("a moment compared with itself is %+v", same)
	}
}
