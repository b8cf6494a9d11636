// Package celldiff writes to a terminal the cells that differ from what it shows.
//
//	draw.Canvas ──Show──► Writer ──► the terminal
//	                        ▲
//	Bubble Tea ───Write─────┘  modes, titles, questions; passed on as they are
//
// The program draws cells. Bubble Tea draws nothing: its view is a blank, and its output switches modes, queries the
// terminal, and clears the screen when it starts, resumes or is resized. A [Writer] keeps the cells that the terminal
// shows. [Writer.Show] schedules a canvas: the Writer writes the cells that differ, grouped by style if that is
// shorter, since each style is then set once for the whole screen, else from top to bottom.
//
// After any output of Bubble Tea the Writer no longer knows what the terminal shows: it clears the screen and writes
// all cells, in the same write. Outside the alternate screen it writes no cells.
//
// The Writer writes at most sixty frames a second, by a timer that only runs while a frame is pending.
package celldiff
