package tui

import (
	"fmt"
	"strings"
	"testing"

	"orrery/core/operator/actions"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// TestMark_WhatIfOfAll selects three nodes, and tries one change of all of them.
func TestMark_WhatIfOfAll(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		s := newSession(t, size[0], size[1]).keys("$", "3", "x", "x", "x").shows("3 rows selected · w what-if of all, as c D X · esc lets them go")
		if n := strings.Count(s.plain(), "■"); n != 3 {
			t.Errorf("%d rows are marked, want 3:\n%s", n, s.plain())
		}
		golden(t, fmt.Sprintf("marked/%dx%d.txt", size[0], size[1]), s.plain())
		s.keys("w").shows("3 selected nodes", "cordon all", "drain all").keys("c").shows("what-if: cordon node-").keys("esc")
		s.keys("up", "x").shows("2 rows selected").keys("esc").lacks("■")
	}
}

// TestMark_PodsKeepTheirsInOtherOrders keeps rows marked while the list is sorted anew.
func TestMark_PodsKeepTheirsInOtherOrders(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "2", "x", "x")
	marked := len(s.screen.top().marked)
	for range 4 {
		if s.keys("s"); marked != 2 || strings.Count(s.plain(), "■") != 2 {
			t.Fatalf("in another order:\n%s", s.plain())
		}
	}
	s.keys("w").shows("2 selected pods", "delete all").keys("x").shows("what-if: delete pod default/web-", ", delete pod default/web-")
}

// TestMark_TriesOnACopyWhereNothingCanBeChanged presses the keys of an acting console in a recording.
func TestMark_TriesOnACopyWhereNothingCanBeChanged(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "3", "x", "x", "D").shows("what-if: drain node-0, drain node-").keys("esc", "c").shows("what-if: cordon node-0, cordon node-")
	s.keys("esc", "esc", "D").shows("D: read-only: this is a recording")
	s.keys("2", "x", "x", "X").shows("what-if: delete pod default/web-").keys("esc", "E").shows("E: pod default/web-", "is on no node")
}

func TestMark_BoundsAndRefusals(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "7")
	for range maxMarked + 3 {
		s.keys("x")
	}
	if n := len(s.screen.top().marked); n > maxMarked {
		t.Errorf("%d rows are selected, want at most %d", n, maxMarked)
	}
	newSession(t, 140, 40).keys("$", "9", "x").shows("x: not here")
}

// TestMark_ActsOnAll cordons two nodes of an acting console by one confirmation.
func TestMark_ActsOnAll(t *testing.T) {
	s, _ := actingConsole(t, 140, 40)
	s.keys("3", "x", "x").shows("2 rows selected · w what-if of all · c D E X act on all")
	s.keys("c").shows("Cordon node node-0; cordon node node-1?", "kubectl cordon node-0 && kubectl cordon node-1", "cordon all")
	s.wait(confirmDelay).keys("tab", "enter").shows("cordoned node node-0; cordoned node node-1").lacks("■")
}

// TestCarryOut_GoesFromTheWhatIfToTheCluster does what a what-if has tried, after a confirmation; and says why not where it cannot.
func TestCarryOut_GoesFromTheWhatIfToTheCluster(t *testing.T) {
	s, _ := actingConsole(t, 140, 40)
	s.keys("3", "w", "c").shows("what-if: cordon node-0", "C carry out").keys("C").shows("This changes", "Cordon node node-0?", "[ cancel ]")
	s.wait(confirmDelay).keys("tab", "enter").shows("cordoned node node-0")
	s.keys("esc", "down", "w", "a").shows("what-if: add 1 node").keys("C").shows("only cordon, uncordon, drain, delete pod and ungate are carried out from here")
	newSession(t, 140, 40).keys("$", "3", "w", "c", "C").shows("C: read-only: this is a recording")
}

// TestCarryOut_FindsThePodThatWasMeant does to a pod by its name alone what the what-if did: the one pod of that name, in whatever namespace.
func TestCarryOut_FindsThePodThatWasMeant(t *testing.T) {
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	propose := onPodNamed("web", actions.ProposeDelete)
	if _, err := propose(e); err == nil || !strings.Contains(err.Error(), "0 pods have the name") {
		t.Errorf("without the pod: %v", err)
	}
	add := func(namespace string) {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: mk.Pod("web").Namespace(namespace).Obj()}}); err != nil {
			t.Fatal(err)
		}
	}
	add("shop")
	if action, err := propose(e); err != nil || action.String() != (actions.Delete{Pod: world.PodRefOf(e.Store().Pod("shop", "web"))}).String() {
		t.Errorf("one pod in another namespace: %v, %v", action, err)
	}
	add("default")
	if action, err := propose(e); err == nil {
		t.Errorf("of two pods it chose %v", action)
	}
}
