package topology

import (
	"slices"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/reuse"
)

// After any changes, the columns say of each node what is said of it by its name and labels.
func TestColumns_AgreeWithSingleNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		index := NewPodIndex(testClassifier, w.snapshot)
		counts := NewDomainCounts(index, &colourRules{colour: "red", terms: map[string]int{}}, Options{})
		for _, kind := range []AxisKind{PerValue, PerValueOrEmpty, PerNode} {
			counts.Axis("zone", kind)
		}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			for range rapid.IntRange(0, 5).Draw(t, "changes") {
				w.change(t)
			}
			if len(w.nodes) == 0 {
				continue
			}
			w.refresh(t)
			nodes, _ := w.snapshot.List()
			index.Sync(nodes)
			counts.Refresh()
			columns, ok := index.Columns(index.Revision())
			if !ok {
				t.Fatal("there are no columns of a snapshot with places")
			}
			for axis := range counts.axes {
				view := counts.View(axis)
				compareColumns(t, columns, &view, nodes, w.snapshot.Places())
			}
		}
	})
}

func compareColumns(t *rapid.T, columns Columns, v *AxisView, nodes []fwk.NodeInfo, places []reuse.Place) {
	sums, verdicts, domains, lacking := make([]int64, len(places)), make([]uint8, len(places)), map[int32]bool{}, 0
	pass := Bounds{Least: 1, Most: 2}
	columns.Sums(v, places, sums)
	columns.Reject(v, places, verdicts, pass, 1, 2)
	for i, info := range nodes {
		slot := columns.index.SlotOf(info.Node())
		if got := columns.Slot(places[i]); got != slot {
			t.Fatalf("%s has slot %d, and %d by its number", info.Node().Name, slot, got)
		}
		domain, has := v.DomainOf(info.Node(), slot)
		if counting := v.CountingDomain(info.Node(), slot); counting >= 0 {
			domains[counting] = true
		}
		if !has {
			lacking++
			if sums[i] != Lacking || verdicts[i] != 1 {
				t.Fatalf("%s lacks the key, its sum is %d and its verdict %d", info.Node().Name, sums[i], verdicts[i])
			}
			continue
		}
		want := v.Sum(domain)
		if v.kind != PerNode && (verdicts[i] == 2) != (want < pass.Least || want > pass.Most) {
			t.Fatalf("%s has the sum %d and the verdict %d", info.Node().Name, want, verdicts[i])
		}
		if v.kind == PerNode {
			want = v.Sum(slot)
		}
		if sums[i] != want {
			t.Fatalf("%s has the sum %d, and %d by its number", info.Node().Name, want, sums[i])
		}
	}
	if got := columns.AllHave(v); got != (lacking == 0) {
		t.Fatalf("%d nodes lack the key, and all have it: %v", lacking, got)
	}
	if got := columns.MostDomains(v); v.kind != PerNode && got != len(domains) {
		t.Fatalf("the nodes are in %d domains, not %d", len(domains), got)
	}
}

// A verdict that was given before stays.
func TestColumns_FirstVerdictStays(t *testing.T) {
	w := newWorld()
	w.cache.AddNode(someZoned("n", "a"))
	if err := w.cache.UpdateSnapshot(w.snapshot); err != nil {
		t.Fatal(err)
	}
	index := NewPodIndex(testClassifier, w.snapshot)
	nodes, _ := w.snapshot.List()
	index.Sync(nodes)
	counts, _ := redCounts(index)
	counts.Refresh()
	columns, _ := index.Columns(index.Revision())
	view, verdicts := counts.View(0), []uint8{7}
	columns.Reject(&view, w.snapshot.Places(), verdicts, Bounds{Least: 1, Most: 1}, 1, 2)
	if verdicts[0] != 7 {
		t.Errorf("the verdict is now %d", verdicts[0])
	}
}

// The columns are those of the last Sync, so there are none once the snapshot has changed, or for other lists.
func TestColumns_OnlyOfSyncedSnapshot(t *testing.T) {
	w := newWorld()
	node := someZoned("n", "a")
	w.cache.AddNode(node)
	refresh := func() []fwk.NodeInfo {
		if err := w.cache.UpdateSnapshot(w.snapshot); err != nil {
			t.Fatal(err)
		}
		nodes, _ := w.snapshot.List()
		return nodes
	}
	index := NewPodIndex(testClassifier, w.snapshot)
	check := func(when string, want bool) {
		t.Helper()
		if _, got := index.Columns(index.Revision()); got != want {
			t.Errorf("%s: there are columns: %v", when, got)
		}
	}
	check("before the first Sync", false)
	index.Sync(refresh())
	check("after Sync", true)
	w.cache.UpdateNode(someZoned("n", "b"))
	nodes := refresh()
	check("after a node changed", false)
	index.Sync(nodes)
	check("after Sync of that", true)
	w.cache.AddNode(someZoned("m", "b"))
	nodes = refresh()
	check("after a node came", false)
	index.Sync(nodes)
	check("after Sync of both", true)
	index.Sync(slices.Clone(nodes))
	check("after Sync of another list", false)
}
