package tui

import (
	"fmt"
	"strings"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views/draw"
)

// largeCluster has more nodes than any pane has columns, in three zones of different sizes, and pods that fit on most of
// them.
func largeCluster(t *testing.T, nodes, pods int) staticSource {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(o world.Object) {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range nodes {
		cpu := "4"
		if i%7 == 3 {
			cpu = "10m" // fits no pod
		}
		apply(mk.Node(fmt.Sprintf("node-%d", i)).CPU(cpu).Memory("8Gi").Zone([]string{"a", "a", "b", "c"}[i%4]).Obj())
	}
	for i := range pods {
		apply(mk.Pod(fmt.Sprintf("web-%d", i)).CPU("100m").Scheduler("default-scheduler").Obj())
	}
	return staticSource{e}
}

// TestZones_ShowLastSearch steps through decisions on clusters that are larger than the pane, at every size: the chosen
// node and the next start index are in view, and where a column is one pass, so is every examined node.
func TestZones_ShowLastSearch(t *testing.T) {
	const decisions = 12
	for _, nodes := range []int{90, 700, 2500} {
		source := largeCluster(t, nodes, decisions)
		for range decisions {
			if _, ok := source.engine.Step(); !ok {
				t.Fatal("there is no decision")
			}
			for _, size := range albumSizes {
				for _, keys := range [][]string{{"4"}, {"1"}} {
					s := watch(t, source, size[0], size[1]).keys(keys...)
					if keys[0] == "1" && size[0] < 120 {
						continue // the overview has one line for the zones
					}
					checkZones(t, s, fmt.Sprintf("%d nodes, %v at %v", nodes, keys, size))
				}
			}
		}
	}
}

func checkZones(t *testing.T, s *session, name string) {
	t.Helper()
	z := s.screen.frame.Model.Zones
	plain := s.plain()
	var lanes, passes string
	for line := range strings.Lines(plain) {
		if strings.Contains(line, "pass") && passes == "" {
			passes = line
		}
		for _, l := range z.Lanes {
			label := fmt.Sprintf("%s%*s", l.Zone, 15-len(l.Zone), draw.AppendCount(nil, int64(l.Nodes)))
			if at := strings.Index(line, label); at >= 0 {
				row, _, _ := strings.Cut(line[at+len(label):], "││")
				lanes += row
			}
		}
	}
	marks := strings.Count(lanes, "○") + strings.Count(lanes, "●") + strings.Count(lanes, "✗") + strings.Count(lanes, "★")
	switch {
	case strings.Count(lanes, "★") != 1:
		t.Fatalf("%s: the chosen node is not among the lanes:\n%s", name, plain)
	case !strings.Contains(passes, "passes each") && marks != z.Examined:
		t.Fatalf("%s: the lanes mark %d nodes, and %d were examined:\n%s", name, marks, z.Examined, plain)
	case marks == 0 || marks > z.Examined:
		t.Fatalf("%s: the lanes mark %d columns for %d examined nodes:\n%s", name, marks, z.Examined, plain)
	case !strings.Contains(passes, "▼"):
		t.Fatalf("%s: the next start index is out of view:\n%s", name, plain)
	}
}
