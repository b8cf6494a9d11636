package views_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"orrery/views"
	"orrery/views/draw"
)

// chosenLeader is a leader that the control plane chose, in a cluster with other leases.
func chosenLeader() *views.Leader {
	l := sampleLeader()
	l.Strategy, l.Preferred = "OldestEmulationVersion", "replica-c"
	l.Candidates = []views.Candidate{
		{Name: "replica-b", Note: "leader, emulates 1.35.0, version 1.35.4, renewed 12s ago", Announced: true},
		{Name: "replica-c", Note: "emulates 1.34.0, version 1.35.4, renewed 1s ago", Announced: true},
		{Name: "replica-d", Note: "emulates 1.35.0, version 1.35.4, pinged 4s ago, not renewed since", Announced: true},
	}
	l.Others = []views.OtherLease{
		{Name: "kube-system/cloud-controller-manager", Transitions: 12},
		{Name: "kube-system/kube-controller-manager", Holder: "control-1_4be4", Expires: in(14 * time.Second), Transitions: 3},
		{Name: "monitoring/alerts", Holder: "alerts-0", Expires: ago(9 * time.Second), Transitions: 1},
	}
	l.History = append([]views.LeaderTransition{
		{Lease: "kube-controller-manager", At: ago(time.Hour), From: "control-2_9a11", To: "control-1_4be4", Why: "taken over after expiry"},
	}, l.History...)
	return l
}

func TestLeader_Goldens(t *testing.T) {
	others := &views.Leader{State: "absent", Others: chosenLeader().Others, History: chosenLeader().History[:1]}
	for name, l := range map[string]*views.Leader{"chosen by the control plane": chosenLeader(), "other leases only": others} {
		for _, s := range []size{{80, 24}, {140, 40}} {
			t.Run(name+"/"+s.String(), func(t *testing.T) {
				m := sample(312, 240)
				m.Leader = l
				golden(t, filepath.Join("leader", name+" "+s.String()), screen(m, sampleState(views.LeaderPane), s, draw.Braille).Plain())
			})
		}
	}
}

func TestLeader_ShowsClockSkew(t *testing.T) {
	for name, c := range map[string]struct {
		skew, seen float64
		want, not  string
	}{
		"the maximum of kube-scheduler's settings": {1.5, 1, "skew     1.50× max clock skew ", "observed"},
		"with an observed skew":                    {1.5, 1.02, "skew     1.50× max clock skew, 1.02× observed", ""},
		"with an observed skew beyond it":          {1.25, 1.4, "skew     1.25× max clock skew, 1.40× observed", ""},
		"none without a maximum":                   {0, 1.4, "failover", "skew"},
	} {
		t.Run(name, func(t *testing.T) {
			m := sample(312, 240)
			m.Leader.MaxClockSkew, m.Leader.ObservedClockSkew = c.skew, c.seen
			got := screen(m, sampleState(views.LeaderPane), size{120, 40}, draw.Braille).Plain()
			if !strings.Contains(got, c.want) || (c.not != "" && strings.Contains(got, c.not)) {
				t.Errorf("want %q, and not %q:\n%s", c.want, c.not, got)
			}
		})
	}
}

func TestLeader_LongLeaseNames(t *testing.T) {
	for _, name := range hostile {
		for _, s := range []size{{20, 5}, {60, 16}, {80, 24}, {140, 40}} {
			m := sample(312, 60)
			l := chosenLeader()
			l.Holder, l.Strategy, l.Preferred, l.History[0].Lease, l.History[0].To = name, name, name, name, name
			l.Candidates[0].Name, l.Candidates[0].Note = name, name
			l.Others[1].Name, l.Others[1].Holder = name, name
			m.Leader = l
			for _, line := range strings.Split(screen(m, sampleState(views.LeaderPane), s, draw.Braille).Plain(), "\n") {
				if got := ansi.StringWidth(line); got != s.w || strings.ContainsAny(line, "\x1b\x00\t\r") {
					t.Fatalf("with %q at %s a row is %d columns wide: %q", name, s, got, line)
				}
			}
		}
	}
}

// TestLeader_SilentHolder: the heart stops when a renewal is missing, and the pane says since when and what waits.
func TestLeader_SilentHolder(t *testing.T) {
	m := sample(312, 240)
	m.Leader.Pending, m.Leader.LastBound = 114, ago(8*time.Second)
	for silent, want := range map[time.Duration][]string{
		4 * time.Second: {"♥ replica-b   for 47m", "114 pending, a pod was last bound 8s ago"},
		9 * time.Second: {"✗ replica-b   silent for 9s   3 renewals missed", "renewals  none for 9s", "6.0s until it expires"},
	} {
		m.Leader.Renewed = ago(silent)
		got := screen(m, sampleState(views.LeaderPane), size{120, 40}, draw.Braille).Plain()
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("silent for %v the pane lacks %q:\n%s", silent, text, got)
			}
		}
	}
	m.Leader.Renewed = ago(9 * time.Second)
	for _, s := range []size{{80, 24}, {60, 16}} {
		if got := screen(m, sampleState(views.Overview), s, draw.Braille).Plain(); !strings.Contains(got, "✗ replica-b   silent for 9s") {
			t.Errorf("at %v the leader's line does not say that it is silent:\n%s", s, got)
		}
	}
}
