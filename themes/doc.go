// Package themes maps the meaning of colours to colours.
//
// Panes name a [Token], never a colour: what the thing is, not how it looks. A [Theme] gives every token a
// colour, and [Theme.Pens] resolves those into the pens of one terminal once, so that a cell costs an array index:
//
//	Style (token + attributes) ──► Pens ──► Pen: foreground, background, attributes
//	                                ▲
//	             Theme × Profile ───┘   resolved once
//
// Seven palettes come with the program: dark, light, high-contrast, colour-blind, tritan, ansi16 and mono. [Parse]
// reads others, [ReadFolder] those in the user's folder. A theme does not paint the background: it is made for a light
// or a dark background and leaves the terminal's own.
//
// Colour is never the only carrier of a meaning. Panes give every state a glyph and a word, so a theme without any
// colours is complete.
package themes
