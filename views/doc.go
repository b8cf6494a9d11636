// Package views draws Orrery's screen. It is one function of five arguments and has no memory:
//
//	  Model     what is so        plain data, made by views/collect or by hand, not changed once handed over
//	  State     what is looked at the pane, the cursor, the filter
//	  size      of the canvas
//	  glyphs    that the terminal has
//	  now       the time by which countdowns count
//	    │
//	    ▼
//	[Screen] ─► draw.Canvas ─► Render(theme) or Plain()
//
// The same arguments give the same bytes on every machine. Nothing here reads a clock, knows the engine, or handles a
// key; the program around it does.
//
// A pane is a file. It draws into whatever area it is given, leaves out what matters least when that is small, and below
// its minimum draws a card that says so. In the overview, panes that have no room for a box become one line each.
//
// A list holds the rows that are on the screen and the number of all of them ([List]), so a frame costs what is shown and
// not what exists. One that is filtered says how many rows are left, and whether it has been gone through yet ([Narrowed]).
//
// Strings in a model are printable already, and so no longer what the cluster calls things: two names may look the same. A
// row that can be opened has a Key beside its name, which is for the program around and is not drawn: "namespace/name" of a
// pod, the name of a node, as they are.
//
// States are told by glyph and word ([PodState]); colour only repeats it.
package views
