// Package views draws Orrery's screen. Drawing is one function of five arguments and keeps no state:
//
//	  Model     the data            plain values, made by views/collect or by hand, not changed once handed over
//	  State     the view            the pane, the cursor, the filter
//	  size      of the canvas
//	  glyphs    of the terminal
//	  now       the time that countdowns count from
//	    │
//	    ▼
//	[Screen] ─► draw.Canvas: cells, for a terminal, a picture or text
//
// The same arguments give the same bytes on every machine. Nothing here reads a clock, knows the engine, or handles a
// key; package tui does.
//
// Around the panes are the header, the health (health.go: what is wrong, the worst first), and of a recording the caption
// (caption.go) and the timeline. The rows of the overview say what they are about (overview_rows.go), so that tui can open it.
//
// Each pane has a file. It draws into any area, leaves out the least important parts when the area is small, and below
// its minimum draws a card with the size it needs. In the overview, a pane without room for a box becomes one line.
//
// The orrery is a picture: package orbit places its bodies, orrery_sweep.go says how far its movements are at a time,
// orrery_sky.go draws them, and orrery_words.go writes the facts around them.
//
// A list holds the visible rows and the number of all rows ([List]), so the cost of a frame depends on what is shown
// and not on the cluster's size. A filtered list shows how many rows match, and whether the filter has finished
// ([Filtered]).
//
// Strings in a model are printable already, and so may differ from the names in the cluster: two names may look the
// same. A row that can be opened has a Key beside its name, which tui uses and views does not draw: the unchanged
// "namespace/name" of a pod, or name of a node.
//
// A glyph and a word show each state ([PodState]); colour only repeats it.
package views
