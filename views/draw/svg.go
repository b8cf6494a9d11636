package draw

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"orrery/themes"
)

// The size of a cell in a picture, in pixels: what most fonts of one width need at the size of the text.
const (
	cellWidth  = 9
	cellHeight = 18
	fontSize   = 15
	baseline   = 14
	margin     = 14
	barHeight  = 34
)

// Picture is how a screen is framed as a picture.
type Picture struct {
	// Title is written on a window's bar over the screen. Without one there is no bar.
	Title string
	// Tells describes the picture to those who cannot see it.
	Tells string
}

// SVG is the canvas as a picture that stands on its own: the same bytes for the same canvas and theme.
func (c *Canvas) SVG(t *themes.Theme) string {
	var b strings.Builder
	_ = c.WriteSVG(&b, t, Picture{}) // a string takes everything
	return b.String()
}

// WriteSVG writes the canvas as a picture that needs no font in particular. Lines, bars and dots are drawn, so that they
// meet; characters are text, each run of them held to the width of its cells.
func (c *Canvas) WriteSVG(w io.Writer, t *themes.Theme, p Picture) error {
	d := drawing{canvas: c, theme: t, classes: map[themes.Look]int{}, paths: map[pathKey]*strings.Builder{}}
	d.grounds()
	d.lines()
	d.text()
	_, err := io.WriteString(w, d.framed(p))
	if err != nil {
		return fmt.Errorf("writing a picture of the screen: %w", err)
	}
	return nil
}

// drawing is a picture on its way.
type drawing struct {
	canvas  *Canvas
	theme   *themes.Theme
	classes map[themes.Look]int // the looks of text, by their number
	looks   []themes.Look
	paths   map[pathKey]*strings.Builder
	order   []pathKey
	words   strings.Builder
}

// framed puts the parts together.
func (d *drawing) framed(p Picture) string {
	left, top := margin, margin
	if p.Title != "" {
		top += barHeight - margin/2
	}
	w, h := d.canvas.w*cellWidth+2*left, d.canvas.h*cellHeight+top+margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"`, w, h, w, h)
	if p.Tells != "" {
		fmt.Fprintf(&b, ` aria-label="%s"`, escaped(p.Tells))
	}
	b.WriteString(">\n<style>")
	fmt.Fprintf(&b, "text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace}", fontSize)
	for i, l := range d.looks {
		fmt.Fprintf(&b, ".t%d{%s}", i, css(l))
	}
	b.WriteString("</style>\n")
	rim := d.theme.Look(themes.Style(themes.Border)).Ink
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%d" height="%d" rx="10" fill="%s" stroke="%s" stroke-opacity=".5"/>`+"\n", w-1, h-1, hexOf(d.theme.Ground), hexOf(rim))
	if p.Title != "" {
		d.bar(&b, w, p.Title)
	}
	fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", left, top)
	for _, k := range d.order {
		fmt.Fprintf(&b, `<path %s d="%s"/>`+"\n", k.attributes(), d.paths[k])
	}
	b.WriteString(d.words.String())
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// bar is a window's, with a title in the middle.
func (d *drawing) bar(b *strings.Builder, w int, title string) {
	for i, token := range []themes.Token{themes.Bad, themes.Warn, themes.Good} {
		fmt.Fprintf(b, `<circle cx="%d" cy="18" r="6" fill="%s" fill-opacity=".8"/>`, 22+20*i, hexOf(d.theme.Look(themes.Style(token)).Ink))
	}
	fmt.Fprintf(b, "\n"+`<text x="%d" y="23" text-anchor="middle" fill="%s">%s</text>`+"\n", w/2, hexOf(d.theme.Look(themes.Style(themes.Dim)).Ink), escaped(title))
}

func css(l themes.Look) string {
	s := "fill:" + hexOf(l.Ink)
	for _, a := range [...]struct {
		attr themes.Attr
		says string
	}{{themes.Bold, ";font-weight:700"}, {themes.Faint, ";opacity:.65"}, {themes.Italic, ";font-style:italic"}, {themes.Underline, ";text-decoration:underline"}} {
		if l.Attr&a.attr != 0 {
			s += a.says
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
