package draw

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"orrery/themes"
)

// The size of a cell in a picture, in pixels, which suits most monospace fonts at fontSize.
const (
	cellWidth  = 9
	cellHeight = 18
	fontSize   = 15
	baseline   = 14
	margin     = 14
	barHeight  = 34
)

// Picture is the frame around a picture of a screen.
type Picture struct {
	// Title is the text of a window's title bar above the screen. If it is empty there is no bar.
	Title string
	// Description is the picture's text for screen readers.
	Description string
}

// SVG returns the canvas as a standalone picture: the same bytes for the same canvas and theme.
func (c *Canvas) SVG(t *themes.Theme) string {
	var b strings.Builder
	_ = c.WriteSVG(&b, t, Picture{}) // a string takes everything
	return b.String()
}

// WriteSVG writes the canvas as a picture that needs no particular font. Lines, bars and dots are paths, so that they
// meet; characters are text, each run stretched to the width of its cells.
func (c *Canvas) WriteSVG(w io.Writer, t *themes.Theme, p Picture) error {
	d := newSVGWriter(t)
	_, err := io.WriteString(w, d.assemble(p, c.w, c.h, d.layer(c)))
	if err != nil {
		return fmt.Errorf("writing a picture of the screen: %w", err)
	}
	return nil
}

// svgWriter builds a picture, layer by layer.
type svgWriter struct {
	canvas  *Canvas
	theme   *themes.Theme
	classes map[themes.Appearance]int // the looks of text, by their number
	looks   []themes.Appearance
	paths   map[pathKey]*strings.Builder // of the canvas, as are order and texts
	order   []pathKey
	texts   strings.Builder
}

func newSVGWriter(t *themes.Theme) *svgWriter {
	return &svgWriter{theme: t, classes: map[themes.Appearance]int{}}
}

// layer returns the shapes and texts of a canvas.
func (d *svgWriter) layer(c *Canvas) string {
	d.canvas, d.paths, d.order = c, map[pathKey]*strings.Builder{}, nil
	d.texts.Reset()
	d.drawBackgrounds()
	d.drawLines()
	d.drawText()
	var b strings.Builder
	for _, k := range d.order {
		fmt.Fprintf(&b, `<path %s d="%s"/>`+"\n", k.attributes(), d.paths[k])
	}
	b.WriteString(d.texts.String())
	return b.String()
}

// assemble puts the layers of a canvas into a window.
func (d *svgWriter) assemble(p Picture, columns, rows int, layers string) string {
	left, top := margin, margin
	if p.Title != "" {
		top += barHeight - margin/2
	}
	w, h := columns*cellWidth+2*left, rows*cellHeight+top+margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"`, w, h, w, h)
	if p.Description != "" {
		fmt.Fprintf(&b, ` aria-label="%s"`, escaped(p.Description))
	}
	b.WriteString(">\n<style>")
	fmt.Fprintf(&b, "text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace}", fontSize)
	for i, l := range d.looks {
		fmt.Fprintf(&b, ".t%d{%s}", i, css(l))
	}
	b.WriteString("</style>\n")
	rim := d.theme.Appearance(themes.Style(themes.Border)).Foreground
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%d" height="%d" rx="10" fill="%s" stroke="%s" stroke-opacity=".5"/>`+"\n", w-1, h-1, hexOf(d.theme.Background), hexOf(rim))
	if p.Title != "" {
		d.titleBar(&b, w, p.Title)
	}
	fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", left, top)
	b.WriteString(layers)
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// titleBar draws a window's title bar with a title in the middle.
func (d *svgWriter) titleBar(b *strings.Builder, w int, title string) {
	for i, token := range []themes.Token{themes.Bad, themes.Warn, themes.Good} {
		fmt.Fprintf(b, `<circle cx="%d" cy="18" r="6" fill="%s" fill-opacity=".8"/>`, 22+20*i, hexOf(d.theme.Appearance(themes.Style(token)).Foreground))
	}
	fmt.Fprintf(b, "\n"+`<text x="%d" y="23" text-anchor="middle" fill="%s">%s</text>`+"\n", w/2, hexOf(d.theme.Appearance(themes.Style(themes.Dim)).Foreground), escaped(title))
}

func css(l themes.Appearance) string {
	s := "fill:" + hexOf(l.Foreground)
	for _, a := range [...]struct {
		attr themes.Attr
		css  string
	}{{themes.Bold, ";font-weight:700"}, {themes.Faint, ";opacity:.65"}, {themes.Italic, ";font-style:italic"}, {themes.Underline, ";text-decoration:underline"}} {
		if l.Attr&a.attr != 0 {
			s += a.css
		}
	}
	return s
}

func hexOf(c themes.RGB) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a string takes everything
	return b.String()
}
