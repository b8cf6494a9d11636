// Package draw is what panes are drawn with: a canvas of cells, rectangles to divide it by, and the few shapes that a
// terminal is good at.
//
//	Canvas      cells: one grapheme and one style each, nothing else
//	  ▲
//	Area        a rectangle of a canvas, with the glyphs the terminal has; everything is drawn into one and clipped
//	  │
//	Rect        integer algebra: what is cut from a rectangle tiles it
//
// A cell's style is a token of package themes, so nothing here knows a colour. [Canvas.Render] turns the cells into text
// for one theme and terminal, [Canvas.Plain] into text without codes. Either is exactly as wide and as high as the canvas,
// whatever strings were drawn: a wide character that would stick out is left out, text that is cut ends in an ellipsis
// between graphemes, and a number that does not fit is not drawn at all, because half a number is another number.
//
// Drawing allocates next to nothing. A canvas is used again for the next frame.
package draw
