package tui

import (
	"strings"
	"testing"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
)

// openPods opens the list of all pods.
func openPods(s *session) *session { return s.keys(":").typeText("po").keys("enter") }

// The list of pods opens, copies, filters, sorts and follows its rows as any other.
func TestPods_ListAsOthers(t *testing.T) {
	s := openPods(atUnschedulable(t)).shows("Pods", "pods ─╮", "✓ bound", "✗ unsched", "node, or reason")
	all := s.screen.total()
	if queued := s.screen.frame.Model; queued.Queue != nil || all <= 9 {
		t.Fatalf("there are %d pods in %+v", all, queued.Queue)
	}
	s.keys("down", "down", "y").shows("copied default/web-")
	pod, _ := s.screen.selectedPod()
	s.keys("r")
	if now, _ := s.screen.selectedPod(); now != pod {
		t.Errorf("with the sort reversed the cursor is on %s, want %s", now, pod)
	}
	s.keys("r", "enter").shows("Journey", pod.Name, "priority").keys("esc")
	s.keys("e").shows("Explain", pod.Name).keys("esc")
	s.keys("d").shows("kind: Pod", "name: "+pod.Name).keys("esc")
	s.keys("/").typeText("unschedulable").keys("enter").shows("✗ unsched").lacks("✓ bound")
	if some := s.screen.total(); some == 0 || some >= all {
		t.Errorf("%d of %d pods are unschedulable", some, all)
	}
	s.keys("esc", "s", "g").shows("↓ state")
	if first := s.selected(); !strings.Contains(first, "✗") {
		t.Errorf("by state the first pod is %q", first)
	}
	s.keys("s", "G").shows("↓ node")
	node, ok := s.screen.selectedNode()
	if !ok || !strings.Contains(s.selected(), node) {
		t.Errorf("by node the last pod is %q, on node %q", s.selected(), node)
	}
	s.keys("w").shows("What-if", "pod default/web-", "node "+node)
}

func TestPods_OfOneNamespace(t *testing.T) {
	s := atUnschedulable(t).keys(":").typeText("ns elsewhere").keys("enter")
	openPods(s).shows("no pods match /-n elsewhere/ (of ", " · :ns shows all")
	s.keys(":").typeText("ns default").keys("enter").shows("default/web-")
}

// E, X and the others change the selected pod, after a dialog.
func TestPods_AreChanged(t *testing.T) {
	source, _ := operableSource(t)
	e := source.Engine()
	bound := mk.Pod("three").CPU("100m").Node("node-0").Obj()
	if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Added, Object: bound}}); err != nil {
		t.Fatal(err)
	}
	s := openPods(watch(t, source, 120, 30)).shows("one", "two", "three", "✓ bound")
	s.keys("X").shows("Delete pod default/one?").wait(confirmDelay).keys("n")
	s.keys("E").shows("pod default/one is on no node that it could be evicted from")
	s.keys("/").typeText("three").keys("enter", "E").shows("Evict pod default/three?").wait(confirmDelay).keys("n")
	s.keys("y").shows("copied default/three")
}

// A pod that this scheduler does not place waits for its own.
func TestPods_OfAnotherScheduler(t *testing.T) {
	source, _ := operableSource(t)
	e := source.Engine()
	foreign := mk.Pod("theirs").Obj()
	foreign.Spec.SchedulerName = "volcano"
	if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Added, Object: foreign}}); err != nil {
		t.Fatal(err)
	}
	openPods(watch(t, source, 120, 30)).shows("· new", "waits for the scheduler volcano")
}

func TestPods_UnreadableSaysWhy(t *testing.T) {
	s := openPods(atUnschedulable(t))
	s.screen.frame.Model.Forbidden = map[views.PaneID]string{views.PodsPane: "there is no right to read pods"}
	s.screen.dirty = true
	s.shows("there is no right to read pods").lacks("✓ bound")
}
