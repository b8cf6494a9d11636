package views

import "orrery/views/draw"

// PaneID names a pane.
type PaneID uint8

// The panes. The first has all the others that fit; those up to MetricsPane have a digit.
const (
	Overview PaneID = iota
	QueuePane
	SnapshotPane
	ZonesPane
	EvictionsPane
	LeaderPane
	DecisionsPane
	PluginsPane
	MetricsPane
	ExplainPane
	JourneyPane
	NodePane
	WhatIfPane
	TimelinePane
	HelpPane
	AgreementPane
	PressurePane

	paneCount
)

// State is what is looked at.
type State struct {
	// Open is the pane on the screen, Focus the one of the overview that has the keys.
	Open, Focus PaneID
	// Cursors are where in its list each pane is.
	Cursors [paneCount]Cursor
	// Hints are the keys that work here.
	Hints []draw.Hint
	// Filter is what lists were narrowed by, Matches how many rows are left of Of.
	Filter      string
	Matches, Of int
	// Sort is what the list is sorted by, empty for its own order, and Reverse says that the last comes first.
	Sort    string
	Reverse bool
	// Status is said once instead of the hints.
	Status string
	// Zoomed takes the border away from the open pane.
	Zoomed bool
	// Keys are the bindings that the help pane tells of.
	Keys []KeyGroup
	// Seen, if not nil, is told where things came to stand.
	Seen *Seen
	// Places, if not nil, remembers which row shows what from one drawing to the next.
	Places *Places
}

// Cursor is a place in a list.
type Cursor struct{ Selected, First int }

// KeyGroup is the keys of one purpose.
type KeyGroup struct {
	Name string
	Keys []draw.Hint
}
