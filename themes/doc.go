// Package themes says what colours mean and which colours they are.
//
// Whoever draws names a [Token], never a colour: what the thing is, not how it looks. A [Theme] gives every token a
// colour, and [Theme.Resolve] turns those into the codes of one terminal once, so that a frame costs no lookup beyond an
// array index:
//
//	Style (token + attributes) ──► Inks ──► "\x1b[38;5;110m"
//	                                ▲
//	             Theme × Profile ───┘   resolved once
//
// Seven palettes come with the program: dark, light, high-contrast, colour-blind, tritan, ansi16 and mono. [Parse] reads
// others, [ReadFolder] all that somebody keeps.
// A theme does not paint the background: it is made for a ground of a certain lightness and leaves the terminal's own.
//
// Colour is never the only carrier of a meaning. Panes give every state a glyph and a word, and a theme that has no
// colours at all is complete.
package themes
