package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/themes"
)

// drawFrames draws a few frames of words in changing places.
func drawFrames(t *rapid.T) []*Canvas {
	w, h := rapid.IntRange(1, 12).Draw(t, "w"), rapid.IntRange(1, 4).Draw(t, "h")
	frames := make([]*Canvas, rapid.IntRange(1, 6).Draw(t, "frames"))
	for i := range frames {
		frames[i] = New(w, h)
		a := frames[i].All(Braille)
		for range rapid.IntRange(0, 4).Draw(t, "words") {
			style := rapid.SampledFrom([]themes.Style{themes.Style(themes.Text), themes.Focus.With(themes.Reverse), themes.Bad.With(themes.Bold)}).Draw(t, "style")
			word := rapid.SampledFrom([]string{"a", "━━", "日本", "👩\u200d🚀", "<&>", "●", "⣿"}).Draw(t, "word")
			a.Text(rapid.IntRange(0, w).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y"), style, word)
		}
	}
	return frames
}

// TestAnimation_LayersMakeTheFrames puts the layers of each frame together again.
func TestAnimation_LayersMakeTheFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Animation{Frames: drawFrames(t), Every: time.Second}
		layers := m.layers()
		for f, want := range m.Frames {
			got := New(want.w, want.h)
			for _, l := range layers {
				if !l.frames[f] {
					continue
				}
				for i, c := range l.canvas.cells {
					if c != (cell{rune: blank}) && c.rune != wideTail {
						if before := got.cells[i]; before != (cell{rune: blank}) {
							t.Fatalf("two layers of frame %d draw cell %d", f, i)
						}
						got.copyCell(l.canvas, i)
					}
				}
			}
			for i := range want.cells {
				if !sameCell(want, got, i) {
					t.Fatalf("cell %d of frame %d is %+v, want %+v", i, f, got.cells[i], want.cells[i])
				}
			}
		}
	})
}

func TestAnimation_IsWellFormedAndTheSameEachTime(t *testing.T) {
	theme, _ := themes.Named("dark")
	rapid.Check(t, func(t *rapid.T) {
		m := Animation{Picture: Picture{Title: `<"&">`, Description: `a "b" <c>`}, Frames: drawFrames(t), Every: 100 * time.Millisecond}
		var first, second strings.Builder
		if err := errors.Join(m.WriteSVG(&first, theme), m.WriteSVG(&second, theme)); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Fatal("the same frames gave different pictures")
		}
		d := xml.NewDecoder(strings.NewReader(first.String()))
		for {
			if _, err := d.Token(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%v in %s", err, first.String())
			}
		}
	})
}

func TestAnimation_ShowsEachFrameInItsTime(t *testing.T) {
	theme, _ := themes.Named("dark")
	frames := make([]*Canvas, 4)
	for i, word := range []string{"still a", "still b", "still a", "still a"} {
		frames[i] = New(8, 1)
		frames[i].All(Braille).Text(0, 0, themes.Style(themes.Text), word)
	}
	var b strings.Builder
	m := Animation{Frames: frames, Every: 250 * time.Millisecond}
	if err := m.WriteSVG(&b, theme); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`textLength="45">still</text>`,
		`<g display="inline"><animate attributeName="display" calcMode="discrete" dur="1s" repeatCount="indefinite" values="inline;none;inline" keyTimes="0;.25;.5"/>`,
		`<g display="none"><animate attributeName="display" calcMode="discrete" dur="1s" repeatCount="indefinite" values="none;inline;none" keyTimes="0;.25;.5"/>`,
	} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("it has no %s, or several:\n%s", want, b.String())
		}
	}
}

func TestAnimation_RefusesFramesOfTwoSizes(t *testing.T) {
	theme, _ := themes.Named("dark")
	for _, frames := range [][]*Canvas{nil, {New(2, 1), New(1, 2)}} {
		m := Animation{Frames: frames, Every: time.Second}
		if err := m.WriteSVG(io.Discard, theme); err == nil {
			t.Errorf("%d frames: no error", len(frames))
		}
	}
}
