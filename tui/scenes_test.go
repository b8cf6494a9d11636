package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"orrery/core/testing/race"
	"orrery/core/trace"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/views"
)

// scene is a pane and the keys that lead to it from the overview.
type scene struct {
	name string
	pane views.PaneID
	keys []string
	// goldens are the sizes that have a golden. Panes that package views/collect draws of an engine need none.
	goldens [][2]int
}

var (
	// everyLayout has the stacked frame, the usual and the wide one.
	everyLayout = [][2]int{{80, 24}, {140, 40}, {220, 60}}
	oneSize     = [][2]int{{140, 40}}
)

// offset is a time from the start of a recording, or from its first mark of a kind.
type offset struct {
	after *trace.MarkKind
	by    time.Duration
}

func (m offset) of(d *Recording) time.Time {
	if m.after != nil {
		marks := d.Recording.Marks()
		if i := slices.IndexFunc(marks, func(at trace.MarkAt) bool { return at.Mark.Kind == *m.after }); i >= 0 {
			return marks[i].At.Add(m.by)
		}
	}
	return d.Start().Add(m.by)
}

func afterFirst(k trace.MarkKind, by time.Duration) offset { return offset{&k, by} }

// album lists every pane, with recordings in which the pane is not empty. The times of a recording increase.
var album = []struct {
	trace string
	at    offset
	// surveyed waits for the survey of the recording: the timeline's curves need it.
	surveyed bool
	scenes   []scene
}{
	{"morning-rush", offset{by: 58 * time.Second}, false, []scene{
		{"overview", views.Overview, nil, everyLayout},
		{"finder", views.Overview, []string{"/", "e", "a", "s", "t"}, everyLayout},
		{"orrery", views.OrreryPane, []string{"0", "down", "down"}, oneSize},
		{"compare", views.ComparePane, []string{"3", "down", "=", "down", "="}, everyLayout},
		{"snapshot", views.SnapshotPane, []string{"3", "down"}, nil},
		{"plugins", views.PluginsPane, []string{"8"}, nil},
		{"metrics", views.MetricsPane, []string{"9"}, nil},
		{"whatif", views.WhatIfPane, []string{"3", "w", "d"}, oneSize},
		{"help", views.HelpPane, []string{"2", "?"}, oneSize},
	}},
	{"morning-rush", offset{by: 64 * time.Second}, false, []scene{
		{"queue", views.QueuePane, []string{"2", "down"}, everyLayout},
		{"pods", views.PodsPane, []string{":", "p", "o", "enter", "s", "down"}, nil},
		{"explain", views.ExplainPane, []string{"2", "G", "e"}, nil},
		{"journey", views.JourneyPane, []string{"2", "G", "enter"}, nil},
	}},
	{"zone-failure", afterFirst(trace.Eviction, 2500*time.Millisecond), false, []scene{{"evictions", views.EvictionsPane, []string{"5", "down"}, nil}}},
	{"zone-failure", afterFirst(trace.Eviction, 28*time.Second), true, []scene{
		{"a zone fails", views.Overview, nil, oneSize},
		{"zones", views.ZonesPane, []string{"4"}, nil},
		{"orrery of a failed zone", views.OrreryPane, []string{"0"}, oneSize},
		{"timeline", views.TimelinePane, []string{"M"}, oneSize},
	}},
	{"leader-failover", afterFirst(trace.LeaderChange, 6*time.Second), false, []scene{
		{"leader", views.LeaderPane, []string{"6"}, nil}, {"orrery of a new leader", views.OrreryPane, []string{"0"}, oneSize},
	}},
	{"priority-storm", afterFirst(trace.Preemption, 0), false, []scene{{"orrery of a preemption", views.OrreryPane, []string{"0"}, oneSize}}},
	{"priority-storm", offset{by: 21 * time.Second}, false, []scene{
		{"decisions", views.DecisionsPane, []string{"7", "down"}, nil},
		{"pending", views.PendingPane, []string{"2", "P"}, oneSize},
	}},
	{"stateful-rollout", offset{by: 62 * time.Second}, false, []scene{
		{"storage", views.StoragePane, []string{":", "p", "v", "c", "enter"}, oneSize},
		{"volumes", views.VolumesPane, []string{":", "p", "v", "enter"}, oneSize},
	}},
	{"stateful-rollout", offset{by: 157 * time.Second}, false, []scene{{"a stuck volume", views.StoragePane, []string{":", "p", "v", "c", "enter"}, oneSize}}},
	{"memory-pressure", afterFirst(trace.Eviction, time.Second), false, []scene{
		{"node", views.NodePane, []string{"3", "enter"}, nil}, {"pressure", views.PressurePane, []string{"3", "enter", "p"}, oneSize},
	}},
}

var albumSizes = [][2]int{{60, 16}, {80, 24}, {140, 40}, {220, 60}}

// TestScenes_MatchGoldens draws every pane at every size at a fixed time of a recording, and compares those that have goldens.
func TestScenes_MatchGoldens(t *testing.T) {
	recordings := map[string]*Recording{}
	for _, page := range album {
		recording, ok := recordings[page.trace]
		if !ok {
			recording = builtIn(t, page.trace)
			recordings[page.trace] = recording
		}
		recording.Recording.SeekTo(page.at.of(recording))
		if page.surveyed {
			for recording.Moving() { // until the survey is complete
				recording.Advance(0)
			}
		}
		for _, size := range albumSizes {
			for _, scene := range page.scenes {
				t.Run(fmt.Sprintf("%s %dx%d", scene.name, size[0], size[1]), func(t *testing.T) {
					s := watch(t, recording, size[0], size[1]).keys(scene.keys...)
					if s.screen.top().pane != scene.pane {
						t.Fatalf("the keys %v lead to\n%s", scene.keys, s.plain())
					}
					checkSize(t, s)
					checkBoxes(t, s)
					if slices.Contains(scene.goldens, size) {
						golden(t, filepath.Join("scenes", scene.name, fmt.Sprintf("%dx%d.txt", size[0], size[1])), s.plain())
					}
				})
			}
		}
	}
}

// TestScenes_CoverEveryPane fails if a pane is not in the album, unless it has its own test; such a pane is drawn here
// as its command opens it.
func TestScenes_CoverEveryPane(t *testing.T) {
	shown := map[views.PaneID]bool{}
	for _, page := range album {
		for _, scene := range page.scenes {
			shown[scene.pane] = true
		}
	}
	for _, pane := range views.Panes() {
		switch {
		case shown[pane.ID]:
		case pane.ID == views.ClustersPane: // of several live clusters, and drawn in clusters_test.go
		case pane.Help == "":
			t.Errorf("no recording shows %s", pane.Title)
		default:
			for _, size := range albumSizes {
				s := watch(t, builtIn(t, "morning-rush"), size[0], size[1]).keys(":").typeText(string(pane.ID)).keys("enter")
				if s.screen.top().pane != pane.ID {
					t.Errorf("the command %s leads to\n%s", pane.ID, s.plain())
				}
				checkSize(t, s)
				checkBoxes(t, s)
			}
		}
	}
}

// builtIn opens a built-in recording.
func builtIn(t testing.TB, name string) *Recording {
	t.Helper()
	race.Alone(t)
	file, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenRecording(file, playback.Options{Name: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Trace = name
	return d
}

// checkBoxes fails unless every box on the screen is closed: from each upper left corner a line leads to an upper right one,
// and down from both to the lower ones.
func checkBoxes(t *testing.T, s *session) {
	t.Helper()
	s.view()
	grid := cellsOf(s.screen.canvas.Plain())
	boxes := 0
	if s.screen.finder != nil {
		return // it is over the boxes
	}
	for y, row := range grid {
		for x, cell := range row {
			if cell != "╭" {
				continue
			}
			boxes++
			right := slices.Index(row[x:], "╮") + x
			bottom := y + 1
			for bottom < len(grid) && grid[bottom][x] == "│" && right > x && grid[bottom][right] == "│" {
				bottom++
			}
			if right <= x || bottom == len(grid) || grid[bottom][x] != "╰" || grid[bottom][right] != "╯" {
				t.Fatalf("the box at column %d of row %d is broken at row %d:\n%s", x, y, bottom, s.plain())
			}
			for _, line := range grid[bottom][x+1 : right] {
				if line != "─" {
					t.Fatalf("the lower edge of the box at column %d of row %d contains %q:\n%s", x, y, line, s.plain())
				}
			}
		}
	}
	if boxes == 0 && !s.screen.zoom {
		t.Fatalf("there is no box on the screen:\n%s", s.plain())
	}
}

// cellsOf returns the columns of every line, as a terminal counts them. The second column of a wide character is empty.
func cellsOf(plain string) [][]string {
	var grid [][]string
	for line := range strings.SplitSeq(plain, "\n") {
		var row []string
		for line != "" {
			cluster, width := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
			line = line[len(cluster):]
			row = append(row, cluster)
			for range width - 1 {
				row = append(row, "")
			}
		}
		grid = append(grid, row)
	}
	return grid
}
