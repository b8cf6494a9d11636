package views

import (
	"time"

	"orrery/views/draw"
)

// State is what the user has opened, selected and typed.
type State struct {
	// Open is the pane on the screen, Focus the focused pane of the overview.
	Open, Focus PaneID
	// Row is the key of the selected row of the focused pane of the overview; empty for none.
	Row string
	// Cursor is the position in the open pane's list.
	Cursor Cursor
	// Cell is the position in the selected row of a pane whose rows have cells.
	Cell int
	// Offsets shows times as offsets from the start of the recording, in place of the time of day.
	Offsets bool
	// Marked are the keys of the rows that are selected together.
	Marked map[string]bool
	// Watched are the keys of the pods that are watched.
	Watched map[string]bool
	// Fix is the selected fix of the open explanation, unless OnNodes says that the cursor is in its list of nodes.
	Fix     int
	OnNodes bool
	// Scroll is the first visible row of the explanation's text.
	Scroll int
	// Hints are the keys that work here.
	Hints []draw.Hint
	// Filter is the list's filter; Matches of Of rows match it.
	Filter      string
	Matches, Of int
	// Scoped means that the filter is only the chosen namespace, which esc does not clear.
	Scoped bool
	// Searching means that a search is typed or on. Search is the text that is searched for in the pane, empty for none. SearchOf rows have it, or at least that many if SearchMore
	// says that not all were looked at, and the cursor is on the one numbered SearchAt; on none if zero.
	Searching          bool
	Search             string
	SearchAt, SearchOf int
	SearchMore         bool
	// Columns are those that lists show, by pane; a pane that is not in it shows all.
	Columns map[PaneID][]string
	// Sort is the list's order, empty for its own, and Reverse reverses it.
	Sort    string
	Reverse bool
	// Namespace is the only one whose pods are listed; empty for all.
	Namespace string
	// Status is shown once in place of the hints.
	Status string
	// Zoomed draws the open pane without its border.
	Zoomed bool
	// Keys are the bindings that the help pane shows.
	Keys []KeyGroup
	// Preview shows beside the open pane's list what its selected row opens.
	Preview bool
	// Hits, if not nil, receives where things were drawn.
	Hits *HitMap
	// Played is how long the what-if has been playing that the orrery shows.
	Played time.Duration
	// StableRows, if not nil, keeps the mapping of rows to items between drawings.
	StableRows *StableRows
	// Orbits, if not nil, keeps the orrery's geometry between drawings.
	Orbits *Orbits
}

// Cursor is a selected row and the first visible one.
type Cursor struct{ Selected, First int }

// KeyGroup is a group of keys, or of what can be typed; or a name with what it is about.
type KeyGroup struct {
	Name, About string
	// Disabled is why none of them works here; empty if they do.
	Disabled string
	Keys     []draw.Hint
}
