package views

import (
	"strconv"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// Pane is one subject of the screen.
type Pane struct {
	ID    PaneID
	Title string
	// Digit is the key that opens it, zero if it is opened from another pane.
	Digit byte
	// Priority says which panes keep their boxes when there is little room: the lowest number longest.
	Priority int

	minW, minH int
	draw       func(a draw.Area, s *scene)
	strip      func(a draw.Area, s *scene) // the pane in one line
	right      func(m *Model) string       // a fact for its border
}

// Min is the least inside that the pane can be drawn in.
func (p *Pane) Min() (w, h int) { return p.minW, p.minH }

// Draw draws the pane's inside.
func (p *Pane) Draw(a draw.Area, m *Model, ui *State, now time.Time) {
	p.inside(a, &scene{Model: m, ui: ui, now: now, pane: p})
}

// scene is what a drawing is made from.
type scene struct {
	*Model
	ui   *State
	now  time.Time
	pane *Pane
	// full says that the pane has the screen to itself.
	full bool
}

func (p *Pane) inside(a draw.Area, s *scene) {
	if a.W < p.minW || a.H < p.minH {
		tooSmall(a, p.minW, p.minH)
		return
	}
	if why := s.Hidden[p.ID]; why != "" {
		hidden(a, why)
		return
	}
	p.draw(a, s)
}

// hidden says what a pane may not show.
func hidden(a draw.Area, why string) {
	a.Set(0, 0, themes.Style(themes.Warn), '✗')
	a.Wrap(2, 0, a.W-2, a.H, themes.Style(themes.Text), why)
}

// line draws the pane in one line.
func (p *Pane) line(a draw.Area, s *scene) {
	if why := s.Hidden[p.ID]; why != "" {
		hidden(a, why)
		return
	}
	p.strip(a, s)
}

// fact is what the pane's border says.
func (p *Pane) fact(m *Model) string {
	if p.right == nil || m.Hidden[p.ID] != "" {
		return ""
	}
	return p.right(m)
}

// tooSmall says how much room is needed.
func tooSmall(a draw.Area, w, h int) {
	if a.Empty() {
		return
	}
	text := "need " + strconv.Itoa(w) + "x" + strconv.Itoa(h) + ", have " + strconv.Itoa(a.W) + "x" + strconv.Itoa(a.H) + ", press q"
	a.Center(a.H/2, themes.Style(themes.Warn), text)
}

// panes are all of them, in the order of their IDs after the overview.
var panes = []*Pane{
	{ID: QueuePane, Title: "Queue", Digit: '2', Priority: 0, minW: 30, minH: 3, draw: drawQueue, strip: stripQueue, right: queueRight},
	{ID: SnapshotPane, Title: "Snapshot", Digit: '3', Priority: 1, minW: 30, minH: 3, draw: drawSnapshot, strip: stripSnapshot, right: snapshotRight},
	{ID: ZonesPane, Title: "Zones", Digit: '4', Priority: 3, minW: 24, minH: 3, draw: drawZones, strip: stripZones, right: zonesRight},
	{ID: EvictionsPane, Title: "Evictions", Digit: '5', Priority: 2, minW: 28, minH: 2, draw: drawEvictions, strip: stripEvictions, right: evictionsRight},
	{ID: LeaderPane, Title: "Leader", Digit: '6', Priority: 4, minW: 24, minH: 3, draw: drawLeader, strip: stripLeader, right: leaderRight},
	{ID: DecisionsPane, Title: "Decisions", Digit: '7', minW: 50, minH: 4, draw: drawDecisions, right: decisionsRight},
	{ID: PluginsPane, Title: "Plugins", Digit: '8', minW: 50, minH: 4, draw: drawPlugins},
	{ID: MetricsPane, Title: "Metrics", Digit: '9', minW: 50, minH: 10, draw: drawMetrics},
	{ID: ExplainPane, Title: "Explain", minW: 50, minH: 8, draw: drawExplain},
	{ID: JourneyPane, Title: "Journey", minW: 50, minH: 5, draw: drawJourney},
	{ID: NodePane, Title: "Node", minW: 50, minH: 6, draw: drawNode},
	{ID: WhatIfPane, Title: "What if", minW: 50, minH: 10, draw: drawWhatIf},
	{ID: TimelinePane, Title: "Timeline", Digit: 'M', minW: 50, minH: 8, draw: drawTimelinePane, right: timelineRight},
	{ID: HelpPane, Title: "Help", Digit: '?', minW: 30, minH: 4, draw: drawHelp},
	{ID: AgreementPane, Title: "Agreement", minW: 50, minH: 6, draw: drawAgreement, right: agreementRight},
	{ID: PressurePane, Title: "Pressure", minW: 50, minH: 8, draw: drawPressure, right: pressureRight},
}

// Panes are all panes but the overview.
func Panes() []*Pane { return panes }

// paneOf finds a pane; the overview is none.
func paneOf(id PaneID) *Pane {
	if id == Overview || int(id) > len(panes) {
		return nil
	}
	return panes[id-1]
}

// absent says why a pane is empty.
func absent(a draw.Area, text string) {
	a.Center(max(a.H/2-1, 0), themes.Style(themes.Dim), text)
}
