package celldiff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/themes"
	"orrery/tui/ptytest"
	"orrery/views/draw"
)

const width, height = 12, 5

// terminal is a Writer and its output; it waits for no timer.
type terminal struct {
	*Writer
	out  bytes.Buffer
	pens *themes.Pens
}

func newTerminal(erases bool) *terminal {
	theme, _ := themes.Named("dark")
	t := &terminal{pens: theme.Pens(themes.TrueColor)}
	t.Writer = New(&t.out, width, height, erases)
	t.write("\x1b[?1049h\x1b[2J")
	return t
}

func (t *terminal) write(p string) { _, _ = t.Write([]byte(p)) }

// show returns the output that shows a canvas.
func (t *terminal) show(c *draw.Canvas) string {
	before := t.out.Len()
	t.pending.scheduled = true
	t.Show(c, t.pens)
	t.flush()
	return t.out.String()[before:]
}

// rows returns a canvas with some rows of text. A row that starts with "!" has the colour Bad, one with "#" is
// selected.
func rows(texts ...string) *draw.Canvas {
	c := draw.New(width, height)
	for y, text := range texts {
		style := themes.Plain
		if rest, ok := strings.CutPrefix(text, "!"); ok {
			text, style = rest, themes.Style(themes.Bad)
		}
		if rest, ok := strings.CutPrefix(text, "#"); ok {
			text, style = rest, themes.Text.With(themes.Selected)
		}
		c.All(draw.Braille).Text(0, y, style, text)
	}
	return c
}

func TestShow_WritesOnlyWhatDiffers(t *testing.T) {
	const bad = "\x1b[38;2;255;122;133m"
	for _, tt := range []struct {
		name          string
		before, after *draw.Canvas
		want          string
	}{
		{"an unchanged canvas", rows("abc"), rows("abc"), ""},
		{"cells between two changes are not written", rows("a1bcdefgh2j"), rows("a3bcdefgh4j"), "\x1b[10D3\x1b[7C4"},
		{"cells between two changes are written if that is shorter", rows("a1b2"), rows("a3b4"), "\x1b[3D3b4"},
		{"a change of the colour", rows("abc"), rows("!abc"), "\x1b[1H" + bad + "abc"},
		{"the colour of a blank is ignored", rows("   "), rows("!   "), ""},
		{"the background of a blank is not", rows("a  "), rows("a", "# "), "\x1b[2H\x1b[38;2;211;216;230;48;2;38;44;61m "},
		{"a style is set once", rows("a", "b", "c"), rows("!x", "y", "!z"), "\x1b[2Hy\x1b[1H" + bad + "x\x1b[3Hz"},
		{"many blanks are erased", rows("abcdefghijkl"), rows(""), "\x1b[1H\x1b[12X\x1b[12C"},
		{"the last cell does not wrap", rows(), rows("", "", "", "", "           x"), "\x1b[5;12H\x1b[?7lx\x1b[?7h"},
		{"a wide character leaves the cursor unknown", rows(), rows("日x"), "\x1b[1H日\x1b[1;3Hx"},
		{"so it does before blanks that are erased", rows("abcdefghijkl"), rows("日"), "\x1b[1H日\x1b[1;3H\x1b[10X\x1b[10C"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			term := newTerminal(true)
			term.show(tt.before)
			if got := term.show(tt.after); got != tt.want {
				t.Errorf("written: %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWrite_PassesOnAndRepaints(t *testing.T) {
	term := newTerminal(true)
	term.show(rows("!abc"))
	before := term.out.Len()
	term.write("\x1b[?1002h")
	if got, want := term.out.String()[before:], "\x1b[m\x1b[?1002h\x1b[m\x1b[2J\x1b[1H\x1b[38;2;255;122;133mabc"; got != want {
		t.Errorf("written: %q, want %q", got, want)
	}
}

func TestWrite_NothingOutsideAlternateScreen(t *testing.T) {
	term := newTerminal(true)
	term.show(rows("abc"))
	before := term.out.Len()
	term.write("\x1b[?1049l")
	term.show(rows("xyz"))
	if got := term.out.String()[before:]; got != "\x1b[?1049l" {
		t.Errorf("written outside the alternate screen: %q", got)
	}
	term.write("\x1b[?1049h")
	if got := ptytest.Shown(width, height, term.out.Bytes()).Line(0); !strings.HasPrefix(got, "xyz") {
		t.Errorf("back on the screen: %q, want the latest frame", got)
	}
}

func TestResize_DropsFramesOfOldSize(t *testing.T) {
	term := newTerminal(true)
	term.show(rows("abc"))
	term.Resize(width+1, height)
	before := term.out.Len()
	if got := term.show(rows("abd")); got != "" {
		t.Errorf("written for a frame of the old size: %q", got)
	}
	term.write("\x1b[2J")
	if got := term.out.String()[before:]; got != "\x1b[2J" {
		t.Errorf("written when the screen is cleared: %q", got)
	}
	if got := term.show(draw.New(width+1, height)); got != "\x1b[m\x1b[2J" {
		t.Errorf("written for an empty frame of the new size: %q", got)
	}
}

func TestSynced_WrapsFrame(t *testing.T) {
	term := newTerminal(true)
	term.Synced()
	term.show(rows("a"))
	if got, want := term.show(rows("b")), "\x1b[?2026h\x1b[Db\x1b[?2026l"; got != want {
		t.Errorf("written: %q, want %q", got, want)
	}
	if got := term.show(rows("b")); got != "" {
		t.Errorf("written for the same frame: %q", got)
	}
}

// signalling is a terminal that signals each write.
type signalling chan string

func (s signalling) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

func TestShow_WritesByItself(t *testing.T) {
	theme, _ := themes.Named("dark")
	wrote := make(signalling, 16)
	w := New(wrote, width, height, true)
	_, _ = w.Write([]byte("\x1b[?1049h"))
	<-wrote
	for i := range 100 {
		w.Show(rows(fmt.Sprintf("%02d", i)), theme.Pens(themes.TrueColor))
	}
	var all strings.Builder
	for deadline := time.After(ptytest.Deadline); !strings.HasPrefix(ptytest.Shown(width, height, []byte(all.String())).Line(0), "99"); {
		select {
		case p := <-wrote:
			all.WriteString(p)
		case <-deadline:
			t.Fatalf("the last frame is not shown; written: %q", all.String())
		}
	}
}

func TestWrite_ReportsLostTerminal(t *testing.T) {
	if n, err := New(lost{}, width, height, true).Write([]byte("abc")); n != 0 || err == nil {
		t.Errorf("Write returned %d, %v", n, err)
	}
}

type lost struct{}

func (lost) Write([]byte) (int, error) { return 0, errors.New("the terminal went away") }

// TestShow_DiffEqualsFullFrame draws random frames and compares what the terminal shows with a frame that was written
// in full.
func TestShow_DiffEqualsFullFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		term := newTerminal(rapid.Bool().Draw(t, "erases"))
		c := draw.New(width, height)
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			if rapid.IntRange(0, 4).Draw(t, "clear") == 0 {
				c.Reset(width, height)
			}
			for range rapid.IntRange(1, 6).Draw(t, "drawings") {
				style := themes.Token(rapid.IntRange(0, 24).Draw(t, "token")).With(rapid.SampledFrom([]themes.Attr{0, 0, themes.Bold, themes.Italic | themes.Underline, themes.Selected, themes.Reverse}).Draw(t, "attr"))
				text := rapid.StringOfN(rapid.SampledFrom([]rune("ab  ─●✗░日語")), 0, 14, -1).Draw(t, "text")
				if rapid.IntRange(0, 5).Draw(t, "joined") == 0 {
					text += "e\u0301x"
				}
				c.All(draw.Braille).Text(rapid.IntRange(0, width).Draw(t, "x"), rapid.IntRange(0, height-1).Draw(t, "y"), style, text)
			}
			term.show(c)
			if rapid.IntRange(0, 5).Draw(t, "framework") == 0 {
				term.write(rapid.SampledFrom([]string{"\x1b[?25l", "\x1b]2;t\a", "\x1b[2J", "\x1b[41m\x1b[3;3Hx"}).Draw(t, "what"))
			}
			whole := newTerminal(false)
			whole.show(c)
			got, want := ptytest.Shown(width, height, term.out.Bytes()), ptytest.Shown(width, height, whole.out.Bytes())
			if got.Styled() != want.Styled() {
				t.Fatalf("%q shows\n%swant\n%s", term.out.String(), got.Styled(), want.Styled())
			}
			if got.Text() != trimmed(c) {
				t.Fatalf("the screen is\n%swant\n%s", got.Text(), trimmed(c))
			}
		}
		term.write("\x1b[?1049l")
		if left := ptytest.Shown(width, height, term.out.Bytes()).Unrestored(); len(left) > 0 && left[0] != "a hidden cursor" {
			t.Fatalf("unrestored: %q", left)
		}
	})
}

func trimmed(c *draw.Canvas) string {
	var b strings.Builder
	for line := range strings.SplitSeq(c.Plain(), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
