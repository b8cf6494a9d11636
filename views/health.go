package views

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// Trouble is one thing that is wrong: in words, in brief, and where it is seen.
type Trouble struct {
	Text, Brief string
	Bad         bool
	// Pane shows it, of the pod or the node of that key, if it is about one.
	Pane      PaneID
	Pod, Node string
	// Sort is the order of the pane's list that has it at the top; empty for the list's own.
	Sort string
}

// Troubles returns what is wrong, the worst first: without a leader nothing is scheduled, lost nodes and devices take their pods
// along, and pods without a node do not run. What only waits comes after that.
func (m *Model) Troubles(now time.Time) []Trouble {
	now = m.asOf(now)
	h := &m.Header.Health
	var list []Trouble
	for _, find := range [...]func(*Health, time.Time) *Trouble{leaderTrouble, unboundTrouble, nodeTrouble, panicTrouble, deviceTrouble, podTrouble, gangTrouble, claimTrouble, refusedTrouble, overdueTrouble, blockedTrouble, pressureTrouble} {
		if t := find(h, now); t != nil {
			list = append(list, *t)
		}
	}
	return list
}

func leaderTrouble(h *Health, now time.Time) *Trouble {
	if h.Lease <= 0 {
		return nil
	}
	l := Leader{Holder: h.Holder, Renewed: h.Renewed, Retry: h.Retry, Lease: h.Lease}
	missed, silent := l.missed(now)
	left, _ := l.left(now)
	t := &Trouble{Bad: true, Pane: LeaderPane}
	switch {
	case h.Holder == "":
		t.Text, t.Brief = "no scheduler leads: no pod is scheduled", "no leader"
	case left <= 0:
		t.Text, t.Brief = "the lease of "+h.Holder+" expired "+wholeSpan(-left)+" ago: no pod is scheduled", "no leader"
	case missed > 0:
		t.Text, t.Brief = h.Holder+" has not renewed its lease for "+wholeSpan(silent)+": failover in "+wholeSpan(left), "leader silent"
	default:
		return nil
	}
	return t
}

func unboundTrouble(h *Health, _ time.Time) *Trouble {
	if h.Unbound == 0 {
		return nil
	}
	t := &Trouble{Text: counted(h.Unbound, "pod") + " have a place and nobody binds them", Brief: counted(h.Unbound, "pod") + " not bound", Bad: true, Pane: QueuePane}
	if h.Unbound == 1 {
		t.Text = "1 pod has a place and nobody binds it"
	}
	if h.Unheld != "" {
		t.Text, t.Pane = t.Text+": no scheduler holds "+h.Unheld, LeaderPane
	}
	return t
}

func nodeTrouble(h *Health, _ time.Time) *Trouble {
	if h.NotReady == 0 {
		return nil
	}
	brief := count(h.NotReady, "of ") + countNodes(h.Nodes) + " NotReady"
	return &Trouble{Text: brief, Brief: brief, Bad: true, Pane: NodesPane, Sort: "status"}
}

func panicTrouble(h *Health, _ time.Time) *Trouble {
	if h.Panics == 0 {
		return nil
	}
	brief := counted(h.Panics, "plugin panic")
	return &Trouble{Text: brief + ": " + h.LastPanic, Brief: brief, Bad: true, Pane: PluginsPane}
}

func refusedTrouble(h *Health, _ time.Time) *Trouble {
	if h.Refused == 0 {
		return nil
	}
	brief := counted(h.Refused, "object") + " refused in part"
	return &Trouble{Text: brief + ": " + h.LastRefused, Brief: brief, Pane: PodsPane}
}

func deviceTrouble(h *Health, _ time.Time) *Trouble {
	if h.Evicting == 0 {
		return nil
	}
	text := counted(h.EvictingPods, "pod") + " on " + counted(h.Evicting, "tainted device")
	return &Trouble{Text: text + ", " + h.OneEvicting, Brief: text, Bad: true, Pane: DevicesPane, Sort: "trouble"}
}

func claimTrouble(h *Health, _ time.Time) *Trouble {
	if h.UnmetClaims == 0 {
		return nil
	}
	brief := counted(h.UnmetClaims, "claim") + " without devices"
	return &Trouble{Text: brief, Brief: brief, Pane: DeviceClaimsPane}
}

func podTrouble(h *Health, now time.Time) *Trouble {
	if h.Unplaced == 0 {
		return nil
	}
	brief := counted(h.Unplaced, "pod") + " Pending"
	t := &Trouble{Text: brief, Brief: brief, Bad: true, Pane: QueuePane}
	if h.StuckKey == "" {
		return t
	}
	t.Pane, t.Pod = ExplainPane, h.StuckKey
	t.Text += ", " + strings.TrimPrefix(h.Stuck, "default/")
	if !h.StuckSince.IsZero() {
		t.Text += " for " + string(draw.AppendAge(nil, max(now.Sub(h.StuckSince), 0)))
	}
	if why := onNodes(h.StuckReason, h.StuckOn, h.Nodes); why != "" {
		t.Text += ": " + why
	}
	return t
}

func gangTrouble(h *Health, now time.Time) *Trouble {
	t := &Trouble{Pane: GangsPane}
	switch {
	case h.TimedOutGangs > 0:
		t.Brief = counted(h.TimedOutGangs, "gang") + " timed out"
		t.Text, t.Bad = t.Brief+", "+strings.TrimPrefix(h.OneTimedOut, "default/"), true
	case h.HoldingGangs > 0:
		t.Brief = counted(h.HoldingGangs, "gang") + " on permit"
		t.Text = t.Brief + ", " + strings.TrimPrefix(h.OneHolding, "default/") + " for " + wholeSpan(max(h.HoldsUntil.Sub(now), 0)) + " yet"
	default:
		return nil
	}
	return t
}

func overdueTrouble(h *Health, _ time.Time) *Trouble {
	if h.Overdue == 0 {
		return nil
	}
	brief := counted(h.Overdue, "eviction") + " overdue"
	return &Trouble{Text: brief + ": is taint eviction running?", Brief: brief, Pane: EvictionsPane}
}

func blockedTrouble(h *Health, _ time.Time) *Trouble {
	if h.Blocked == 0 {
		return nil
	}
	brief := counted(h.Blocked, "eviction") + " blocked"
	return &Trouble{Text: brief + ": " + h.BlockedReason, Brief: brief, Pane: EvictionsPane}
}

func pressureTrouble(h *Health, _ time.Time) *Trouble {
	if h.Pressed == 0 {
		return nil
	}
	brief := countNodes(h.Pressed) + " under pressure"
	return &Trouble{Text: brief + ": " + h.OnePressed, Brief: brief, Pane: PressurePane, Node: h.OnePressedKey}
}

// onNodes is "Insufficient cpu on 38 of 40 nodes", briefly.
func onNodes(reason string, on, nodes int) string {
	why := briefReason(reason)
	switch {
	case on == 0:
		return why
	case on > nodes: // there were more when the pod was tried
		return why + " on " + countNodes(on)
	}
	return why + " on " + strconv.Itoa(on) + " of " + countNodes(nodes)
}

// drawHealth draws that all is well, or the worst trouble with the key that leads there, and the others in brief as far as they
// fit. Where something could not be read, it says so beside what is known, and calls nothing well.
func drawHealth(a draw.Area, s *drawCtx) {
	h, gap := &s.Header.Health, s.healthGap()
	warn := themes.Warn.With(themes.Bold)
	switch {
	case s.Clusters != nil:
		drawClustersHealth(a, s)
		return
	case s.Header.Silent > 0:
		a.Fit(1, 0, a.W-2, warn, "? nothing heard from the API server for "+wholeSpan(s.Header.Silent))
		return
	case s.Header.Alert != "" && s.Header.Unreadable == 0:
		unknownHealth(a, "see the first line")
		return
	case !h.Known:
		a.Text(1, 0, themes.Style(themes.Dim), "· reading")
		return
	case h.Nodes == 0 && s.Forbidden[SnapshotPane] == "":
		unknownHealth(a, "no node is known yet")
		return
	}
	troubles := s.Troubles(s.now)
	if len(troubles) == 0 {
		if why := cmp.Or(s.Forbidden[QueuePane], s.Forbidden[SnapshotPane]); why != "" {
			unknownHealth(a, why)
			return
		}
		r := rowWriter{a: a, x: 1}
		if gap != "" {
			r.x = a.Text(1, 0, themes.Style(themes.Dim), "· no trouble in what can be read")
			r.fact(warn, gap, "")
			return
		}
		r.x = a.Text(1, 0, themes.Good.With(themes.Bold), "✓ healthy")
		r.fact(themes.Style(themes.Dim), countNodes(h.Nodes)+" ready, no pod unschedulable or backing off", "")
		return
	}
	if gap != "" && draw.Width(gap)+20 < a.W {
		right, rest := a.Right(draw.Width(gap) + 3)
		a.In(right).Text(1, 0, warn, gap)
		a.Rect = rest
	}
	drawTroubles(a, troubles)
}

func unknownHealth(a draw.Area, why string) {
	x := a.Text(1, 0, themes.Warn.With(themes.Bold), "? health unknown:")
	a.Fit(x+1, 0, a.W-x-2, themes.Style(themes.Text), why)
}

// healthGap says that the health does not tell all; empty if it does.
func (s *drawCtx) healthGap() string {
	if s.Header.Unreadable == 0 {
		return ""
	}
	return "? " + counted(s.Header.Unreadable, "kind") + " unreadable"
}

func drawTroubles(a draw.Area, troubles []Trouble) {
	const key = "  ! goes there"
	worst := &troubles[0]
	sign, style := "✗ ", themes.Bad.With(themes.Bold)
	if !worst.Bad {
		sign, style = "≥ ", themes.Warn.With(themes.Bold)
	}
	x := a.Text(1, 0, style, sign)
	x = a.Fit(x, 0, a.W-x-len(key)-1, style, worst.Text)
	x = a.Text(x+2, 0, themes.Style(themes.Accent), "!")
	x = a.Text(x, 0, themes.Style(themes.Dim), " goes there")
	r := rowWriter{a: a, x: x}
	for i := range troubles[1:] {
		r.fact(themes.Style(themes.Warn), troubles[i+1].Brief, "")
	}
}
