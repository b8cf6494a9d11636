// Package draw provides the means to draw panes: a canvas of cells, rectangles to divide it by, and shapes that suit a
// terminal.
//
//	Canvas      cells: one grapheme and one style each, nothing else
//	  ▲
//	Area        a rectangle of a canvas, with the terminal's glyph set; all drawing goes through one and is clipped
//	  │
//	Rect        integer algebra: what is cut from a rectangle tiles it
//
// A cell's style is a token of package themes, so nothing here knows a colour. [Canvas.Cells] returns the cells for a
// terminal, [Canvas.Plain] text and [Canvas.WriteSVG] a picture. Rows are exactly as wide as the canvas for any
// strings: a wide character that would stick out is left out, cut text ends in an ellipsis between graphemes, and a
// number that does not fit is not drawn at all, because half a number is another number.
//
// Drawing allocates next to nothing. A canvas is reused for the next frame.
package draw
