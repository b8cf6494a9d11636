package celldiff

import (
	"bytes"
	"io"
	"sync"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// Interval is the least time between two frames.
const Interval = time.Second / 60

// cell is one column of one row. The column behind a wide character is the character's tail.
type cell struct {
	text draw.Grapheme
	pen  themes.Pen
}

var blank = cell{text: draw.Grapheme{Rune: ' '}}

// alike reports whether two cells look the same: a blank shows only its background.
func alike(a, b cell) bool { return a == b || a.isBlank() && b.isBlank() }

// isBlank reports whether the cell looks like the terminal's own blank.
func (c cell) isBlank() bool { return c.text == blank.text && c.pen.Blank() }

// Writer writes frames and Bubble Tea's output to a terminal. Its methods may be called from several goroutines.
type Writer struct {
	to io.Writer
	// erases means that the terminal can blank cells without writing them (ECH).
	erases bool

	// pending guards the frame to be written.
	pending struct {
		sync.Mutex
		cells     []cell
		w, h      int
		scheduled bool
		last      time.Time // when the last frame was written
	}

	// mu guards everything below, and the order of writes.
	mu   sync.Mutex
	w, h int
	// active is true while the terminal is on the alternate screen.
	active bool
	// synced means that the terminal supports synchronized updates (mode 2026).
	synced bool
	// known means that the terminal shows the cells in shown; want are those it should show.
	known       bool
	want, shown []cell
	// pen and x, y are the terminal's style and cursor; x is negative while the cursor's position is unknown.
	pen     themes.Pen
	x, y    int
	out     []byte
	runs    []run
	scratch [2][]byte
}

// New returns a writer for a terminal of a size.
func New(to io.Writer, w, h int, erases bool) *Writer {
	t := &Writer{to: to, erases: erases}
	t.resize(w, h)
	return t
}

// Resize sets the terminal's size. Frames of the old size are dropped.
func (t *Writer) Resize(w, h int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w != t.w || h != t.h {
		t.resize(w, h)
	}
}

func (t *Writer) resize(w, h int) {
	t.w, t.h, t.known = max(w, 0), max(h, 0), false
	t.want, t.shown = nil, make([]cell, t.w*t.h)
}

// Synced says that the terminal supports synchronized updates.
func (t *Writer) Synced() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.synced = true
}

// Close stops the Writer's own writes, for a program that exits without Bubble Tea.
func (t *Writer) Close() {
	t.pending.Lock()
	defer t.pending.Unlock()
	t.pending.cells, t.pending.scheduled = nil, true
}

// Show schedules a canvas. It copies the cells and does not wait for the terminal.
func (t *Writer) Show(c *draw.Canvas, pens *themes.Pens) {
	t.pending.Lock()
	defer t.pending.Unlock()
	t.pending.w, t.pending.h = c.Size()
	t.pending.cells = t.pending.cells[:0]
	for text, style := range c.Cells() {
		t.pending.cells = append(t.pending.cells, cell{text, pens.Of(style)})
	}
	if !t.pending.scheduled {
		t.pending.scheduled = true
		time.AfterFunc(time.Until(t.pending.last.Add(Interval)), t.flush)
	}
}

// flush writes the pending frame.
func (t *Writer) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.take() || !t.active {
		return
	}
	t.out = t.out[:0]
	t.paint()
	if len(t.out) > 0 {
		_, _ = t.to.Write(t.out) // the reader of the terminal notices that it went away
	}
}

// take makes the pending frame the wanted one, unless its size differs from the terminal's.
func (t *Writer) take() bool {
	t.pending.Lock()
	defer t.pending.Unlock()
	if t.pending.cells == nil { // closed
		return false
	}
	t.pending.scheduled, t.pending.last = false, time.Now()
	if t.pending.w != t.w || t.pending.h != t.h {
		return false
	}
	t.want, t.pending.cells = t.pending.cells, t.want
	return true
}

// The sequences that switch to the alternate screen and back.
var altScreen, mainScreen = []byte("\x1b[?1049h"), []byte("\x1b[?1049l")

// Write passes on Bubble Tea's output and repaints the frame.
func (t *Writer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = t.out[:0]
	t.setPen(themes.Pen{})
	t.out = append(t.out, p...)
	if on, off := bytes.LastIndex(p, altScreen), bytes.LastIndex(p, mainScreen); on != off {
		t.active = on > off
	}
	t.known = false
	if t.active && len(t.want) == len(t.shown) && len(t.want) > 0 {
		t.paint()
	}
	if _, err := t.to.Write(t.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// paint brings the terminal to the wanted cells.
func (t *Writer) paint() {
	start := len(t.out)
	if t.synced {
		t.out = append(t.out, "\x1b[?2026h"...)
	}
	empty := len(t.out)
	if !t.known {
		t.out = append(t.out, "\x1b[m\x1b[2J"...)
		t.pen, t.x, t.known = themes.Pen{}, -1, true
		for i := range t.shown {
			t.shown[i] = blank
		}
	}
	t.writeDiff()
	switch {
	case len(t.out) == empty:
		t.out = t.out[:start]
	case t.synced:
		t.out = append(t.out, "\x1b[?2026l"...)
	}
}
