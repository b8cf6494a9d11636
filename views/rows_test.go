package views

import (
	"strings"
	"testing"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// drawn returns one row drawn by a function.
func drawn(w int, what func(draw.Area)) string {
	c := draw.New(w, 1)
	what(c.All(draw.Braille))
	return strings.TrimRight(c.Plain(), " ")
}

func TestReason_Shortens(t *testing.T) {
	const spread = "64 node(s) didn't match pod topology spread constraints"
	for _, tt := range []struct {
		name, reason string
		w            int
		want         string
	}{
		{"in full where it fits", spread, 60, spread},
		{"shortened where it does not", spread, 22, "64 topology spread"},
		{"cut where that is too long", spread, 12, "64 topology…"},
		{"without a number", "node(s) had untolerated taint(s)", 20, "untolerated taints"},
		{"a name at the end is kept", "waiting for scheduling gates: [hold]", 20, "gates: [hold]"},
		{"without a short form it loses node(s)", "3 node(s) had something else amiss", 26, "3 had something else amiss"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := drawn(80, func(a draw.Area) { drawReason(a, 0, tt.w, themes.Style(themes.Text), tt.reason) })
			if got != tt.want {
				t.Errorf("drew %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPodName_OmitsNamespace(t *testing.T) {
	for _, tt := range []struct {
		name  string
		w     int
		shown string // the only namespace
		want  string
	}{
		{"default/web-1", 60, "", "default/web-1"},
		{"default/web-1", 20, "", "web-1"},
		{"kube-system/dns-1", 20, "", "kube-system/dns-1"},
		{"kube-system/dns-1", 60, "kube-system", "dns-1"},
		{"kube-system/dns-1", 20, "kube-system", "dns-1"},
		{"default/web-1", 20, "kube-system", "default/web-1"},
	} {
		s := &drawCtx{ui: &State{Namespace: tt.shown}}
		got := drawn(80, func(a draw.Area) { s.podName(a, draw.Slot{W: tt.w}, themes.Style(themes.Text), tt.name) })
		if got != tt.want {
			t.Errorf("%s in %d columns, of namespace %q, is %q, want %q", tt.name, tt.w, tt.shown, got, tt.want)
		}
	}
}

func TestSearch_WrapsAround(t *testing.T) {
	for _, tt := range []struct {
		name string
		q    Search
		want string
	}{
		{"from the start", Search{Start: 0, Examined: 5, Feasible: 5, Nodes: 10, Chosen: "n", Place: 2}, "▸━★━━┄┄┄┄┄"},
		{"across the end", Search{Start: 8, Examined: 4, Feasible: 1, Nodes: 10, Chosen: "n", Place: 1}, "━★┄┄┄┄┄┄▸━"},
		{"all nodes", Search{Start: 3, Examined: 10, Nodes: 10, Place: -1}, "━━━▸━━━━━━"},
		{"the chosen node was deleted", Search{Start: 0, Examined: 2, Feasible: 1, Nodes: 10, Chosen: "n", Place: -1}, "▸━┄┄┄┄┄┄┄┄"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := drawn(10, func(a draw.Area) { drawSearchRange(a, draw.Slot{W: 10}, &tt.q) })
			if got != tt.want {
				t.Errorf("drew %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHeat_FewNodesGetLargeCells(t *testing.T) {
	zones := func(n ...int) (list []HeatZone) {
		for _, n := range n {
			list = append(list, HeatZone{Cells: make([]HeatCell, n)})
		}
		return list
	}
	const w = heatLabel + 40
	for _, tt := range []struct {
		name  string
		zones []HeatZone
		most  int
		want  heatPlan
	}{
		{"very few have the widest cells", zones(3, 4), 5, heatPlan{rows: 2, perCell: 1, wide: 4}},
		{"some are two columns wide", zones(20, 4), 5, heatPlan{rows: 2, perCell: 1, wide: 2}},
		{"as many as columns have one column each", zones(40), 5, heatPlan{rows: 1, perCell: 1, wide: 1}},
		{"more continue in the next row", zones(90, 10), 5, heatPlan{rows: 4, perCell: 1, wide: 1}},
		{"more than rows share cells", zones(400, 10), 5, heatPlan{rows: 5, perCell: 3, wide: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := planHeat(tt.zones, w, tt.most); got != tt.want {
				t.Errorf("planned %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTimeLeft_BehindWhatABindingWaitsFor(t *testing.T) {
	const reason, left = "waits for claim data (provisioner disks)", 580 * time.Second
	for w, want := range map[int]string{80: reason + ", 9m40s left", 40: "waits for claim data (provi…, 9m40s left", 15: "waits for clai…"} {
		got := drawn(80, func(a draw.Area) {
			a.Fit(0, 0, drawTimeLeft(a, 0, w, left, reason), themes.Style(themes.Text), reason)
		})
		if got != want {
			t.Errorf("in %d columns: %q, want %q", w, got, want)
		}
	}
}
