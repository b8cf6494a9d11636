package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/demo"
	"orrery/views"
)

// climax is what the screen shows of a built-in recording at its climax, so long after the demo has opened it.
type climax struct {
	story string
	after time.Duration
	shows []string
	// later is what came of it, after so long.
	laterAfter time.Duration
	later      []string
}

var climaxes = []climax{
	{
		story: "morning-rush", after: 10 * time.Second, shows: []string{"52s: East is full", "2 Queue", "5 Evictions", "☠ deleted", "backoff", "topolo"},
		laterAfter: 21 * time.Second, later: []string{"1m04s: A celebrity has mentioned the shop", "▼ terminating"},
	},
	{
		story: "priority-storm", after: 4 * time.Second, shows: []string{"20s: First wave: payments pushes out batch", "20 terminating", "▼ terminating", "batch-thumb", "by payments-"},
		laterAfter: 12 * time.Second, later: []string{"☠ deleted"},
	},
	{
		story: "zone-failure", after: 9 * time.Second, shows: []string{"1m02s: Silent for too long: unreachable.", "south", "✗✗✗", "▼ terminating", "gateway"},
		laterAfter: 14 * time.Second, later: []string{" terminating"},
	},
	{
		story: "node-drain", after: 13 * time.Second,
		shows:      []string{"50s: The gateway wants four of its four replicas", "2 blocked", "⊘ blocked", "gateway-85f", "budget gateway needs 4 healthy pods and has 4 · by drain of old-b-1"},
		laterAfter: 45 * time.Second, later: []string{"▼ terminating", "gateway-85f"},
	},
	{
		story: "memory-pressure", after: time.Second,
		shows: []string{
			"20s: It leaks, and on worker-a-03 fastest", "worker-a-03   ≥ MemoryPressure since", "next: default/session-cache-jfpq24xc7-8zqlk: it uses",
			"usage exceeds", "usage from the kubelet's summary", "1 node under pressure",
		},
		laterAfter: 6 * time.Second, later: []string{"≥ MemoryPressure since"},
	},
	{
		story: "leader-failover", after: 7 * time.Second,
		shows:      []string{"22s: No scheduler leads.", "✗ scheduler-1   silent for", "renewals missed", "until it expires", " pending, a pod was last bound"},
		laterAfter: 10 * time.Second, later: []string{"scheduler-2 became leader", "♥ scheduler-2", "scheduler-1 → scheduler-2  taken over after expiry, 16s", "queue    0 pending"},
	},
	{
		story: "stateful-rollout", after: 7 * time.Second,
		shows:      []string{"57s: db-5 belongs in zone b", "✗ fast zone b", "50Gi left", "data-db-5", "free"},
		laterAfter: 20 * time.Second, later: []string{"1m08s: Storage is added in zone b", "✓ bound"},
	},
	{
		story: "gpu-day", after: 8 * time.Second,
		shows:      []string{"20s: A large one wants eight H100s on one node", "1 pod Pending, train-large-ftnvj for 2s: no devices", "at most 2 together"},
		laterAfter: 38 * time.Second, later: []string{"50s: Fine-tuning would like H100s, and takes A100s", "1 pod Pending, train-"},
	},
	{
		story: "gang-deadlock", after: time.Second,
		shows:      []string{"11s: And then the rest. Each run lacks four places", "✗ 8 pods Pending", "2 groups", "room for 4 pods"},
		laterAfter: 21 * time.Second, later: []string{"5m09s: The deadline of vision has passed", "2 groups"},
	},
	{
		story: "upgrade", after: 5 * time.Second,
		shows:      []string{"50s: The benchmark still waits. Press K", "3 pods Pending", "benchmark-"},
		laterAfter: 11 * time.Second, later: []string{"55s: A sale begins", "3 pods Pending"},
	},
}

func TestStories_ShowTheirClimax(t *testing.T) {
	for _, c := range climaxes {
		for _, size := range [][2]int{{80, 24}, {140, 40}} {
			t.Run(fmt.Sprintf("%s %dx%d", c.story, size[0], size[1]), func(t *testing.T) {
				s := openStory(t, c.story, size[0], size[1]).keys("esc").advance(c.after)
				s.shows(c.shows...)
				checkSize(t, s)
				checkBoxes(t, s)
				if size[0] == 80 {
					golden(t, filepath.Join("stories", c.story, "80x24.txt"), s.plain())
				}
				s.advance(c.laterAfter - c.after).shows(c.later...)
			})
		}
	}
	for _, tr := range demo.Traces() {
		if !slices.ContainsFunc(climaxes, func(c climax) bool { return c.story == tr.Name }) {
			t.Errorf("nothing says what %s shows at its climax", tr.Name)
		}
	}
}

// TestStories_CanBeSeenWhole: the key that the start card names plays a story from its start.
func TestStories_CanBeSeenWhole(t *testing.T) {
	for _, tr := range demo.Traces() {
		if tr.Opening.At <= 0 || tr.Opening.At >= tr.Length*3/4 || tr.Opening.Speed <= 0 {
			t.Errorf("%s is opened at %v of %v, at the speed %v", tr.Name, tr.Opening.At, tr.Length, tr.Opening.Speed)
		}
		t.Run(tr.Name, func(t *testing.T) {
			s := openStory(t, tr.Name, 140, 40)
			if slices.Contains([]string{"node-drain", "morning-rush"}, tr.Name) {
				s.shows("^ plays the whole from its start").keys("^").shows("00:00.000")
			}
		})
	}
}

// TestEvictions_BlockedByBudget plays the drain that a budget holds up: pods are blocked only on nodes that are being drained,
// and only while their budget allows no eviction.
func TestEvictions_BlockedByBudget(t *testing.T) {
	d := builtIn(t, "node-drain")
	for _, tt := range []struct {
		at      time.Duration
		blocked int
	}{{3 * time.Second, 0}, {54 * time.Second, 2}, {118 * time.Second, 0}} {
		d.Recording.SeekTo(d.Start().Add(tt.at))
		m := watch(t, d, 140, 40).keys("5").screen.frame.Model.Evictions
		if got := m.Counts[views.StateBlocked]; got != tt.blocked {
			t.Errorf("at %v %d evictions are blocked, want %d", tt.at, got, tt.blocked)
		}
		for i := range tt.blocked {
			row := m.List.At(i)
			if row.State() != views.StateBlocked || !strings.HasPrefix(row.Pod, "default/gateway-") || row.Reason != "budget gateway needs 4 healthy pods and has 4" ||
				!strings.HasPrefix(row.NodeKey, "old-b-") || row.Budget != "gateway" || row.Allowed != 0 {
				t.Errorf("at %v row %d is %+v, want a gateway that its budget blocks", tt.at, i, row)
			}
		}
	}
}

// TestPressure_NextIsEvicted compares what the pane says is evicted next with what the recording shows to be, and goes back.
func TestPressure_NextIsEvicted(t *testing.T) {
	const next = "default/session-cache-jfpq24xc7-8zqlk"
	s := openStory(t, "memory-pressure", 140, 40).keys("esc").shows("next: "+next+": it uses", "≥ below")
	s.advance(3 * time.Second).keys("5")
	m := s.screen.frame.Model.Evictions
	if n := m.List.Total; n != 2 || m.List.At(0).Key != next {
		t.Errorf("%d pods were evicted, want that one last: %+v", n, m.List.Rows)
	}
	s.advance(40*time.Second).keys(":").typeText("goto 40.1s").keys("enter", "!").shows("next: "+next+": it uses", "1s old")
}
