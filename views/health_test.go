package views_test

import (
	"strings"
	"testing"
	"time"

	"orrery/views"
	"orrery/views/draw"
)

func wellHealth() views.Health {
	return views.Health{Known: true, Nodes: 40, Holder: "replica-b", Renewed: ago(time.Second), Lease: 15 * time.Second, Retry: 2 * time.Second}
}

func TestHealth_SaysTheWorstFirst(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*views.Model)
		line  string
		pane  views.PaneID
	}{
		{"well", func(*views.Model) {}, " ✓ healthy   40 nodes ready, no pod unschedulable or backing off", ""},
		{"no nodes", func(m *views.Model) { m.Header.Health.Nodes = 0 }, " ? health unknown: no node is known yet", ""},
		{"no election", func(m *views.Model) { m.Header.Health.Lease, m.Header.Health.Holder = 0, "" }, " ✓ healthy", ""},
		{"stuck pods", func(m *views.Model) {
			h := &m.Header.Health
			h.Unplaced, h.Stuck, h.StuckKey, h.StuckReason, h.StuckOn, h.StuckSince = 42, "shop/checkout-7d9f", "shop/checkout-7d9f", "Insufficient cpu", 38, ago(3*time.Minute)
		}, " ✗ 42 pods Pending, shop/checkout-7d9f for 3m: Insufficient cpu on 38 of 40 nodes  ! goes there", views.ExplainPane},
		{"fewer nodes than then", func(m *views.Model) {
			h := &m.Header.Health
			h.Unplaced, h.Stuck, h.StuckKey, h.StuckReason, h.StuckOn = 1, "default/web", "default/web", "node(s) didn't match pod topology spread constraints", 41
		}, " ✗ 1 pod Pending, web: topology spread on 41 nodes  ! goes there", views.ExplainPane},
		{"lost nodes before pods", func(m *views.Model) { m.Header.Health.NotReady, m.Header.Health.Unplaced = 26, 9 }, " ✗ 26 of 40 nodes NotReady  ! goes there   9 pods Pending", views.NodesPane},
		{"devices that evict before pods that wait", func(m *views.Model) {
			h := &m.Header.Health
			h.Evicting, h.EvictingPods, h.OneEvicting, h.Unplaced, h.UnmetClaims = 1, 2, "gpu-1 h100-0", 9, 3
		}, " ✗ 2 pods on 1 tainted device, gpu-1 h100-0  ! goes there   9 pods Pending   3 claims without devices", views.DevicesPane},
		{"gangs on permit", func(m *views.Model) {
			h := &m.Header.Health
			h.HoldingGangs, h.OneHolding, h.HoldsUntil = 2, "default/train/workers", in(4*time.Minute)
		}, " ≥ 2 gangs on permit, train/workers for 4m00s yet  ! goes there", views.GangsPane},
		{"gangs that timed out, after pods that wait", func(m *views.Model) {
			h := &m.Header.Health
			h.HoldingGangs, h.TimedOutGangs, h.OneTimedOut, h.Unplaced = 2, 1, "ml/train/workers", 3
		}, " ✗ 3 pods Pending  ! goes there   1 gang timed out", views.QueuePane},
		{"claims without devices", func(m *views.Model) { m.Header.Health.UnmetClaims = 1 }, " ≥ 1 claim without devices  ! goes there", views.DeviceClaimsPane},
		{"a plugin that panics", func(m *views.Model) {
			h := &m.Header.Health
			h.Panics, h.LastPanic, h.Unplaced = 2, "plugin Picky panicked at Filter of pod shop/web: no zone", 9
		}, " ✗ 2 plugin panics: plugin Picky panicked at Filter of pod shop/web: no zone  ! goes there   9 pods Pending", views.PluginsPane},
		{"an object that is used without a field", func(m *views.Model) {
			m.Header.Health.Refused, m.Header.Health.LastRefused = 1, "using Node \"n\" without a field: it is odd"
		}, " ≥ 1 object refused in part: using Node \"n\" without a field: it is odd  ! goes there", views.PodsPane},
		{
			"a silent leader before all", func(m *views.Model) { m.Header.Health.Renewed, m.Header.Health.NotReady = ago(9*time.Second), 3 },
			" ✗ replica-b has not renewed its lease for 9s: failover in 6s  ! goes there   3 of 40 nodes NotReady", views.LeaderPane,
		},
		{"an expired lease", func(m *views.Model) { m.Header.Health.Renewed = ago(19 * time.Second) }, " ✗ the lease of replica-b expired 4s ago: no pod is scheduled  ! goes there", views.LeaderPane},
		{"a free lease", func(m *views.Model) { m.Header.Health.Holder = "" }, " ✗ no scheduler leads: no pod is scheduled  ! goes there", views.LeaderPane},
		{"pods that nobody binds", func(m *views.Model) {
			h := &m.Header.Health
			h.Holder, h.Lease, h.Unbound, h.Unheld, h.Unplaced = "", 0, 396, "kube-system/kube-scheduler", 4
		}, " ✗ 396 pods have a place and nobody binds them: no scheduler holds kube-system/kube-scheduler  ! goes there   4 pods Pending", views.LeaderPane},
		{"a pod that nobody binds, and leases that may not be read", func(m *views.Model) {
			m.Header.Health.Unbound = 1
		}, " ✗ 1 pod has a place and nobody binds it  ! goes there", views.QueuePane},
		{"an API server that says nothing, and so of the leader neither", func(m *views.Model) {
			m.Header.Health.Renewed = ago(9 * time.Second)
			m.Header.Alert, m.Header.Blind, m.Header.AsOf, m.Header.Silent = "nothing heard from the API server for 8s", true, ago(8*time.Second), 8*time.Second
		}, " ? nothing heard from the API server for 8s ", ""},
		{"a blocked drain", func(m *views.Model) {
			m.Header.Health.Blocked, m.Header.Health.BlockedReason = 2, "budget gateway needs 4 healthy pods and has 4"
		}, " ≥ 2 evictions blocked: budget gateway needs 4 healthy pods and has 4  ! goes there", views.EvictionsPane},
		{"overdue evictions", func(m *views.Model) { m.Header.Health.Overdue = 1 }, " ≥ 1 eviction overdue: is taint eviction running?  ! goes there", views.EvictionsPane},
		{"pressure", func(m *views.Model) {
			m.Header.Health.Pressed, m.Header.Health.OnePressed, m.Header.Health.OnePressedKey = 3, "worker-a-03", "worker-a-03"
		}, " ≥ 3 nodes under pressure: worker-a-03  ! goes there", views.PressurePane},
		{"a lost connection", func(m *views.Model) { m.Header.Alert = "the connection to the cluster is lost" }, " ? health unknown: see the first line", ""},
		{"no rights", func(m *views.Model) {
			m.Forbidden = map[views.PaneID]string{views.QueuePane: "there is no right to read pods"}
		}, " ? health unknown: there is no right to read pods", ""},
		{"no rights to some kinds", func(m *views.Model) {
			m.Header.Alert, m.Header.Unreadable = "no right to read poddisruptionbudgets, leases", 2
		}, " · no trouble in what can be read   ? 2 kinds unreadable", ""},
		{"no rights, and trouble all the same", func(m *views.Model) {
			m.Header.Alert, m.Header.Unreadable, m.Header.Health.Unplaced = "no right to read poddisruptionbudgets", 1, 4
		}, " ✗ 4 pods Pending  ! goes there", views.QueuePane},
		{"no right to read pods, and lost nodes", func(m *views.Model) {
			m.Forbidden, m.Header.Unreadable = map[views.PaneID]string{views.QueuePane: "there is no right to read pods"}, 1
			m.Header.Alert, m.Header.Health.NotReady = "no right to read pods", 3
		}, " ✗ 3 of 40 nodes NotReady  ! goes there", views.NodesPane},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sample(312, 60)
			m.Header.Health = wellHealth()
			tt.spoil(m)
			line := strings.Split(screen(m, sampleState(views.MetricsPane), size{140, 40}, draw.Braille).Plain(), "\n")[1]
			if !strings.HasPrefix(line, tt.line) {
				t.Errorf("the line is\n%q, want\n%q", line, tt.line)
			}
			if unreadable := strings.Contains(line, "unreadable"); unreadable != (m.Header.Unreadable > 0) {
				t.Errorf("%d kinds are unreadable, and the line is %q", m.Header.Unreadable, line)
			}
			if troubles := m.Troubles(noon); tt.pane != "" && (len(troubles) == 0 || troubles[0].Pane != tt.pane) {
				t.Errorf("the troubles are %+v, want one that leads to %s", troubles, tt.pane)
			}
		})
	}
}

// TestHealth_NarrowKeepsTheKey: whatever is cut, the key that leads there is on the line, in every glyph set.
func TestHealth_NarrowKeepsTheKey(t *testing.T) {
	for _, name := range hostile {
		for _, g := range []draw.Glyphs{draw.Braille, draw.ASCII} {
			m := sample(312, 60)
			m.Header.Health = wellHealth()
			h := &m.Header.Health
			h.Unplaced, h.Stuck, h.StuckKey, h.StuckReason, h.Holder = 42, name, "a/b", name, "x"+name
			line := strings.Split(screen(m, sampleState(views.Overview), size{60, 16}, g).Plain(), "\n")[1]
			if !strings.Contains(line, "! goes there") || !strings.Contains(line, "42 pods Pending") {
				t.Errorf("with %.40q the line is %q", name, line)
			}
		}
	}
}
