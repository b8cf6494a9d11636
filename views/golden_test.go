package views_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// golden compares a drawing with the reviewed one in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with -update, and review it", err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("%s changed (-want +got):\n%s", path, diff)
	}
}

type size struct{ w, h int }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.w, s.h) }

// goldenSizes are a terminal's usual size, where the overview is stacked and lists drop columns, and one with room for all.
var goldenSizes = []size{{80, 24}, {140, 40}}

func screen(m *views.Model, ui *views.State, s size, g draw.Glyphs) *draw.Canvas {
	c := draw.New(s.w, s.h)
	views.Screen(c, m, ui, g, noon)
	return c
}

var paneNames = map[views.PaneID]string{
	views.Overview: "overview", views.QueuePane: "queue", views.SnapshotPane: "snapshot", views.ZonesPane: "zones",
	views.EvictionsPane: "evictions", views.LeaderPane: "leader", views.DecisionsPane: "decisions", views.PluginsPane: "plugins",
	views.MetricsPane: "metrics", views.ExplainPane: "explain", views.JourneyPane: "journey", views.NodePane: "node",
	views.WhatIfPane: "whatif", views.TimelinePane: "timeline", views.HelpPane: "help", views.AgreementPane: "agreement",
	views.PressurePane: "pressure", views.PendingPane: "pending", views.OrreryPane: "orrery", views.StoragePane: "storage",
	views.VolumesPane: "volumes", views.DevicesPane: "devices", views.DeviceClaimsPane: "resource claims", views.GangsPane: "groups", views.ComparePane: "compare",
}

// TestPanes_Goldens draws every pane. Only the overview has layouts of its own on the smallest and on wide screens; that lists
// show more columns there is TestLists_ShowMoreColumnsOnWideScreens.
func TestPanes_Goldens(t *testing.T) {
	for id, name := range paneNames {
		sizes := goldenSizes
		if id == views.Overview {
			sizes = []size{{60, 16}, {80, 24}, {140, 40}, {220, 60}}
		}
		for _, s := range sizes {
			t.Run(name+"/"+s.String(), func(t *testing.T) {
				golden(t, filepath.Join(name, s.String()), screen(sample(312, 240), sampleState(id), s, draw.Braille).Plain())
			})
		}
	}
}

func TestOverview_Goldens(t *testing.T) {
	wide := size{120, 40}
	whatIf := sample(312, 240)
	whatIf.Header.Mode = views.WhatIfMode
	alert := sample(312, 240)
	alert.Header.Alert, alert.Timeline = "the connection to the cluster is lost; showing what was known 12s ago", nil
	filtered := sampleState(views.QueuePane)
	filtered.Filter, filtered.Sort = "trainer", "priority"
	filteredEmpty := sample(312, 240)
	filteredEmpty.Filtered = &views.Filtered{Matches: 24, Of: 312, Partial: true}
	zoomed := sampleState(views.QueuePane)
	zoomed.Zoomed = true
	unknown := sample(312, 240)
	unknown.Pressure = sampleUnknown()
	noStorage := sample(312, 240)
	noStorage.Storage = &views.Storage{Size: "0"}
	noDevices := sample(312, 240)
	noDevices.Devices = &views.Devices{}
	podGroups := sample(312, 240)
	podGroups.Gangs = samplePodGroups()
	noGangs := sample(312, 240)
	noGangs.Gangs = &views.Gangs{GateOff: true}
	placed := sample(312, 240)
	placed.Explain = samplePlaced()
	deviceless := sample(312, 240)
	deviceless.Explain = sampleDeviceless()
	attached := sample(312, 240)
	attached.Header.Mode, attached.Header.Source, attached.Header.Leader = views.Attached, "orrery-7d4f9c-x2x9p", "orrery-7d4f9c-x2x9p_5b1f0c9e-7c0a-4d0b"
	gone := sample(312, 240)
	gone.Header = attached.Header
	gone.Header.Alert = "the leader is gone since 5s: no scheduler leads: the lease kube-system/kube-scheduler has no holder; asking again in 2s"
	quiet := sample(312, 240)
	quiet.Evictions, quiet.Leader = &views.Evictions{}, &views.Leader{State: "absent"}
	noEvictions := sample(312, 240)
	noEvictions.Evictions = &views.Evictions{}
	podBeside, nodeBeside := sample(312, 240), sample(312, 240)
	podBeside.Preview = &views.Preview{Name: "ml/trainer-0", Explain: sampleExplain(), Journey: sampleJourney()}
	nodeBeside.Preview = &views.Preview{Name: "ip-10-0-0-43.internal", Node: sampleNode()}
	goneBeside := sample(312, 240)
	goneBeside.Preview = &views.Preview{Name: "ml/trainer-0", Journey: sampleJourney()}
	for _, tt := range []struct {
		name   string
		m      *views.Model
		ui     *views.State
		s      size
		glyphs draw.Glyphs
	}{
		{"blocks", sample(312, 240), sampleState(views.Overview), wide, draw.Block},
		{"ascii", sample(312, 240), sampleState(views.Overview), wide, draw.ASCII},
		{"ascii metrics", sample(312, 240), sampleState(views.MetricsPane), wide, draw.ASCII},
		{"five thousand nodes", sample(100000, 5000), sampleState(views.Overview), wide, draw.Braille},
		{"five thousand nodes in full", sample(100000, 5000), sampleState(views.SnapshotPane), size{220, 60}, draw.Braille},
		{"nothing is known", &views.Model{}, sampleState(views.Overview), wide, draw.Braille},
		{"something is wrong", alert, sampleState(views.Overview), wide, draw.Braille},
		{"filtered", filteredEmpty, filtered, wide, draw.Braille},
		{"zoomed", sample(312, 240), zoomed, wide, draw.Braille},
		{"no usage data", unknown, sampleState(views.PressurePane), size{100, 30}, draw.Braille},
		{"a placed pod explained", placed, sampleState(views.ExplainPane), wide, draw.Braille},
		{"too few devices explained", deviceless, sampleState(views.ExplainPane), wide, draw.Braille},
		{"no storage", noStorage, sampleState(views.StoragePane), size{100, 30}, draw.Braille},
		{"storage in ascii", sample(312, 240), sampleState(views.StoragePane), wide, draw.ASCII},
		{"no devices", noDevices, sampleState(views.DevicesPane), size{100, 30}, draw.Braille},
		{"devices in ascii", sample(312, 240), sampleState(views.DevicesPane), wide, draw.ASCII},
		{"no gangs", noGangs, sampleState(views.GangsPane), size{100, 30}, draw.Braille},
		{"groups", podGroups, sampleState(views.GangsPane), size{80, 24}, draw.Braille},
		{"groups wide", podGroups, sampleState(views.GangsPane), size{140, 40}, draw.Braille},
		{"groups widest", podGroups, sampleState(views.GangsPane), size{220, 60}, draw.Braille},
		{"gangs in ascii", sample(312, 240), sampleState(views.GangsPane), wide, draw.ASCII},
		{"what if", whatIf, sampleState(views.Overview), size{100, 30}, draw.Braille},
		{"attached, and the leader is gone", gone, sampleState(views.Overview), size{140, 40}, draw.Braille},
		{"no evictions and no leader", quiet, sampleState(views.Overview), size{140, 40}, draw.Braille},
		{"no evictions", noEvictions, sampleState(views.Overview), size{140, 40}, draw.Braille},
		{"a pod beside the queue", podBeside, previewState(views.QueuePane), size{160, 40}, draw.Braille},
		{"a pod beside the queue, large", podBeside, previewState(views.QueuePane), size{220, 60}, draw.Braille},
		{"a node beside the nodes", nodeBeside, previewState(views.SnapshotPane), size{160, 40}, draw.Braille},
		{"a pod that is gone", goneBeside, previewState(views.EvictionsPane), size{160, 40}, draw.Braille},
		{"a preview to come", sample(312, 240), previewState(views.QueuePane), size{160, 40}, draw.ASCII},
		{"too small", sample(312, 240), sampleState(views.Overview), size{50, 12}, draw.Braille},
	} {
		t.Run(tt.name, func(t *testing.T) {
			golden(t, filepath.Join("circumstances", tt.name), screen(tt.m, tt.ui, tt.s, tt.glyphs).Plain())
		})
	}
}

// previewState is the state of a pane with a preview beside it.
func previewState(id views.PaneID) *views.State {
	ui := sampleState(id)
	ui.Preview = true
	return ui
}

// TestThemes_Goldens draws the overview with colours and without; of the other themes, only the colours differ.
func TestThemes_Goldens(t *testing.T) {
	c := screen(sample(312, 240), sampleState(views.Overview), size{120, 40}, draw.Braille)
	colour, colours := regexp.MustCompile("#[0-9a-f]{6}"), ""
	for _, theme := range themes.Shipped() {
		picture := c.SVG(theme)
		if theme.Name == "dark" || theme.Name == "mono" {
			golden(t, filepath.Join("themes", theme.Name), picture)
		}
		used := colour.FindAllString(picture, -1)
		slices.Sort(used)
		colours += theme.Name + "\n  " + strings.Join(slices.Compact(used), "\n  ") + "\n"
	}
	golden(t, filepath.Join("themes", "colours"), colours)
}

// TestLists_ShowMoreColumnsOnWideScreens names the columns that only wide screens have.
func TestLists_ShowMoreColumnsOnWideScreens(t *testing.T) {
	for id, columns := range map[views.PaneID][]string{
		views.QueuePane: {"rejected by"}, views.SnapshotPane: {"affinity", "claims", "images", "ports"}, views.StoragePane: {"volume"},
		views.DevicesPane: {"driver"},
	} {
		ui := sampleState(id)
		ui.Zoomed = true
		heading := func(s size) string {
			lines := strings.Split(screen(sample(312, 240), ui, s, draw.Braille).Plain(), "\n")
			return lines[slices.IndexFunc(lines, func(line string) bool {
				return strings.HasPrefix(line, "  state ") || strings.HasPrefix(line, "  node ")
			})]
		}
		for _, column := range columns {
			if wide, narrow := heading(size{220, 60}), heading(size{140, 40}); !strings.Contains(wide, column) || strings.Contains(narrow, column) {
				t.Errorf("%s: want the heading %q on a wide screen only:\n%s\n%s", paneNames[id], column, wide, narrow)
			}
		}
	}
}
