package draw

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"orrery/themes"
)

// Animation is a picture that moves: frames of one size, each shown for Every, over and over.
type Animation struct {
	Picture
	Frames []*Canvas
	Every  time.Duration
}

// WriteSVG writes the animation as one picture. What never changes is drawn once. Of the other cells, those that are shown in
// the same frames are a layer, which a declaration makes visible in these: a viewer without animations shows the first
// frame.
func (m *Animation) WriteSVG(w io.Writer, t *themes.Theme) error { return m.write(w, t, m.shownIn) }

// write writes the animation; group opens a group of what is shown in some frames.
func (m *Animation) write(w io.Writer, t *themes.Theme, group func(frames []bool) string) error {
	if len(m.Frames) == 0 {
		return errors.New("writing a moving picture of the screen: it has no frames")
	}
	first := m.Frames[0]
	for i, f := range m.Frames {
		if f.w != first.w || f.h != first.h {
			return fmt.Errorf("writing a moving picture of the screen: frame %d is %dx%d, and the first one %dx%d", i, f.w, f.h, first.w, first.h)
		}
	}
	d := newSVGWriter(t)
	var body strings.Builder
	for _, l := range m.layers() {
		shapes := d.layer(l.canvas)
		switch {
		case shapes == "":
		case l.always():
			body.WriteString(shapes)
		default:
			body.WriteString(group(l.frames))
			body.WriteString(shapes)
			body.WriteString("</g>\n")
		}
	}
	if _, err := io.WriteString(w, d.assemble(m.Picture, first.w, first.h, body.String())); err != nil {
		return fmt.Errorf("writing a moving picture of the screen: %w", err)
	}
	return nil
}

// animationLayer holds the cells that are shown in the same frames.
type animationLayer struct {
	frames []bool
	canvas *Canvas
}

func (l *animationLayer) always() bool { return !slices.Contains(l.frames, false) }

// layers divides the cells of all frames by the frames in which they are shown. The layer of those that never change comes
// first, the others in the order of their first cells.
func (m *Animation) layers() []*animationLayer {
	first := m.Frames[0]
	all := make([]bool, len(m.Frames))
	for i := range all {
		all[i] = true
	}
	layers := []*animationLayer{{frames: all, canvas: New(first.w, first.h)}}
	byFrames := map[string]*animationLayer{framesKey(all): layers[0]}
	for i := range first.cells {
		for f, frame := range m.Frames {
			if m.shownBefore(f, i) || frame.cells[i].rune == wideTail {
				continue
			}
			shown := make([]bool, len(m.Frames))
			for g := f; g < len(m.Frames); g++ {
				shown[g] = sameCell(frame, m.Frames[g], i)
			}
			l := byFrames[framesKey(shown)]
			if l == nil {
				l = &animationLayer{frames: shown, canvas: New(first.w, first.h)}
				byFrames[framesKey(shown)] = l
				layers = append(layers, l)
			}
			l.canvas.copyCell(frame, i)
		}
	}
	return layers
}

// shownBefore reports whether an earlier frame has the same in a cell.
func (m *Animation) shownBefore(f, i int) bool {
	for g := range f {
		if sameCell(m.Frames[g], m.Frames[f], i) {
			return true
		}
	}
	return false
}

func framesKey(shown []bool) string {
	key := make([]byte, len(shown))
	for i, yes := range shown {
		if yes {
			key[i] = 1
		}
	}
	return string(key)
}

// sameCell reports whether two canvases have the same in a cell.
func sameCell(a, b *Canvas, i int) bool {
	x, y := a.cells[i], b.cells[i]
	return x.style == y.style && x.wide == y.wide && (x.rune == y.rune && x.rune >= 0 || x.rune < 0 && y.rune < 0 && a.grapheme(x.rune) == b.grapheme(y.rune))
}

// copyCell copies a grapheme from another canvas.
func (c *Canvas) copyCell(from *Canvas, i int) {
	of := from.cells[i]
	if of.rune < 0 {
		of.rune = c.storeCluster(from.grapheme(of.rune))
	}
	c.put(i%c.w, i/c.w, of.rune, of.wide, of.style)
}

// shownIn opens a group that is visible in some frames.
func (m *Animation) shownIn(frames []bool) string {
	var values, times strings.Builder
	word := map[bool]string{true: "inline", false: "none"}
	for i, yes := range frames {
		if i > 0 && yes == frames[i-1] {
			continue
		}
		if i > 0 {
			values.WriteByte(';')
			times.WriteByte(';')
		}
		values.WriteString(word[yes])
		times.WriteString(number(float64(i*10000/len(frames)) / 10000))
	}
	return fmt.Sprintf(`<g display="%s"><animate attributeName="display" calcMode="discrete" dur="%ss" repeatCount="indefinite" values="%s" keyTimes="%s"/>`+"\n",
		word[frames[0]], number((time.Duration(len(frames)) * m.Every).Seconds()), values.String(), times.String())
}
