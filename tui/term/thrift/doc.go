// Package thrift writes to a terminal only the cells that change.
//
//	Bubble Tea ──bytes──► Writer ──fewer bytes──► the terminal
//	                        │
//	                 want: what the bytes would show
//	                shown: what the terminal shows
//
// Bubble Tea's painter compares a line with what it was, and writes it anew from the first cell that differs to the last.
// Panes stand side by side, so a number that changes on the left and one that changes on the right cost everything between
// them, with a colour code of up to twenty bytes at each change of colour: a multiple of what there is to tell.
//
// A [Writer] plays the terminal for the painter. It keeps the cells that the painter's bytes lead to, and after each Write
// it writes those that the terminal does not show already: grouped by style if that is shorter, since a style then is set
// once for the whole screen, else from top to bottom. Lines that scroll are scrolled. What has nothing to do with cells, such
// as modes, titles and questions, is passed on as it is and in its place.
//
// # Doubt
//
// It only knows what it understands. A sequence that it does not, a character that is not one rune of one column, or a size
// that has changed put it in doubt about the screen. From there on everything is passed on unchanged, until the painter
// clears the whole screen, which it does when it starts, comes back or has a new size. So a terminal never shows anything
// else than it would without this package; it may at worst be written more to.
package thrift
