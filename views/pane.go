package views

import (
	"strconv"
	"time"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

// PaneID identifies a pane. The overview, which has all panes that fit, has the empty ID.
type PaneID string

// The panes that package tui opens by ID.
const (
	Overview      PaneID = ""
	QueuePane     PaneID = "queue"
	SnapshotPane  PaneID = "snapshot"
	ZonesPane     PaneID = "zones"
	EvictionsPane PaneID = "evictions"
	LeaderPane    PaneID = "leader"
	DecisionsPane PaneID = "decisions"
	PluginsPane   PaneID = "plugins"
	MetricsPane   PaneID = "metrics"
	ExplainPane   PaneID = "explain"
	JourneyPane   PaneID = "journey"
	NodePane      PaneID = "node"
	WhatIfPane    PaneID = "what-if"
	TimelinePane  PaneID = "timeline"
	HelpPane      PaneID = "help"
	AgreementPane PaneID = "agreement"
	PressurePane  PaneID = "pressure"
	PendingPane   PaneID = "pending"
	OrreryPane    PaneID = "orrery"
	StoragePane   PaneID = "storage"
	VolumesPane   PaneID = "volumes"
	DevicesPane   PaneID = "devices"
	// DeviceClaimsPane is called as kubectl calls its objects.
	DeviceClaimsPane PaneID = "resourceclaims"
	// GangsPane has the groups of every release: gangs of 1.35, and PodGroups.
	GangsPane PaneID = "groups"
	// ComparePane has two nodes or two pods beside each other.
	ComparePane PaneID = "compare"
	// ClustersPane lists the clusters of a console that watches several.
	ClustersPane PaneID = "clusters"
)

// Pane is one view of the screen. A [ListPane] makes those with a list.
type Pane struct {
	ID    PaneID
	Title string
	// Help describes the command named after the pane; empty for a pane that only another pane opens.
	Help string
	// Digit is the key that opens the pane; zero if it has none.
	Digit byte
	// About is the kind of object that the pane is opened on.
	About Subject
	// Opens is the pane that enter opens on the selection; empty for none.
	Opens PaneID
	// Describes is the kind of the objects that the list's rows name, if not of pods or nodes.
	Describes string
	// AllNamespaces means that the chosen namespace does not restrict the list.
	AllNamespaces bool

	minW, minH int
	body       func(a draw.Area, s *drawCtx)
	drawLine   func(a draw.Area, s *drawCtx) // draws the pane in one line
	borderFact func(m *Model) string         // a fact for its border
	list       list                          // nil for a pane without a list
	named      rowNames                      // what its rows are called
	scrolls    bool                          // the cursor is the first visible row of a text
}

// Subject is the kind of object that a pane is about.
type Subject uint8

// The subjects.
const (
	AboutAll Subject = iota
	AboutPod
	AboutNode
)

// Min returns the smallest inner size in which the pane can be drawn.
func (p *Pane) Min() (w, h int) { return p.minW, p.minH }

// HasList reports whether the pane has rows to select.
func (p *Pane) HasList() bool { return p.list != nil }

// HasCells reports whether the rows have cells that the cursor can be on.
func (p *Pane) HasCells() bool { return p.list != nil && p.list.cells() }

// Scrolls reports whether the pane is a text that the cursor scrolls.
func (p *Pane) Scrolls() bool { return p.scrolls }

// Filters reports whether the pane's list can be filtered.
func (p *Pane) Filters() bool { return p.list != nil && p.list.matches() }

// NamesPods reports whether a pod can be selected in the pane.
func (p *Pane) NamesPods() bool { return p.About == AboutPod || p.list != nil && p.list.ofPods() }

// NamesNodes reports whether a node can be selected in the pane.
func (p *Pane) NamesNodes() bool {
	return p.About == AboutNode || p.ID == ZonesPane || p.list != nil && p.list.ofNodes()
}

// Namespaced reports whether the chosen namespace restricts the list.
func (p *Pane) Namespaced() bool { return p.Filters() && p.list.ofPods() && !p.AllNamespaces }

// Sorts returns the names of the list's orders, beside its own.
func (p *Pane) Sorts() []string {
	if p.list == nil {
		return nil
	}
	return p.list.sorts()
}

// ColumnNames returns the headings of the list's columns.
func (p *Pane) ColumnNames() []string {
	if p.list == nil {
		return nil
	}
	return p.list.columns()
}

// Rows returns the pane's list in a model.
func (p *Pane) Rows(m *Model) RowSet {
	if p.list == nil {
		return RowSet{}
	}
	return p.list.rows(m)
}

// Collect fills a model's list with the visible rows. The caller keeps pickers from call to call, and empties it when
// the source changes.
func (p *Pane) Collect(m *Model, src Source, q filter.Query, pickers map[PaneID]any) {
	if p.list != nil {
		p.list.collect(m, src, q, pickers)
	}
}

// Draw draws the pane without its border.
func (p *Pane) Draw(a draw.Area, m *Model, ui *State, now time.Time) {
	p.inside(a, &drawCtx{Model: m, ui: ui, now: now, pane: p})
}

// asOf is the time from which ages are counted: that of the last news, while none comes.
func (m *Model) asOf(now time.Time) time.Time {
	if at := m.Header.AsOf; !at.IsZero() && at.Before(now) {
		return at
	}
	return now
}

// drawCtx is the input of a pane's drawing.
type drawCtx struct {
	*Model
	ui   *State
	now  time.Time
	pane *Pane
	// preview means that it is beside a list, and takes no keys.
	preview bool
	// full means that the pane has the screen to itself; box is the inside of its frame if it has not.
	full bool
	box  draw.Area
}

func (p *Pane) inside(a draw.Area, s *drawCtx) {
	if a.W < p.minW || a.H < p.minH {
		drawTooSmall(a, p.minW, p.minH)
		return
	}
	if why := s.Forbidden[p.ID]; why != "" {
		drawHidden(a, why)
		return
	}
	p.body(a, s)
}

// drawHidden draws why a pane may not show its data.
func drawHidden(a draw.Area, why string) {
	a.Set(0, 0, themes.Style(themes.Warn), '✗')
	a.Wrap(2, 0, a.W-2, a.H, themes.Style(themes.Text), why)
}

// line draws the pane in one line.
func (p *Pane) line(a draw.Area, s *drawCtx) {
	if why := s.Forbidden[p.ID]; why != "" {
		drawHidden(a, why)
		return
	}
	p.drawLine(a, s)
}

// fact returns the text on the pane's border.
func (p *Pane) fact(m *Model) string {
	if p.borderFact == nil || m.Forbidden[p.ID] != "" {
		return ""
	}
	return p.borderFact(m)
}

// drawTooSmall draws the size that is needed.
func drawTooSmall(a draw.Area, w, h int) {
	if a.Empty() {
		return
	}
	text := "need " + strconv.Itoa(w) + "x" + strconv.Itoa(h) + ", have " + strconv.Itoa(a.W) + "x" + strconv.Itoa(a.H) + ", press q"
	a.Center(a.H/2, themes.Style(themes.Warn), text)
}

// drawAbsent draws why a pane is empty.
func drawAbsent(a draw.Area, text string) {
	a.Center(max(a.H/2-1, 0), themes.Style(themes.Dim), text)
}
