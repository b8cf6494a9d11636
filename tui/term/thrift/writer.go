package thrift

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Writer stands before a terminal. Its methods may be called from several goroutines.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	out  []byte // what is to be written
	w, h int

	want, shown []cell
	x, y        int  // the cursor as whoever writes believes it to be
	wraps       bool // the next character goes to the next line
	stays       bool // lines do not wrap
	pen         pen
	top, end    int // the lines that scroll
	last        rune
	erases      bool // the terminal can blank cells without writing them: it was told to

	// doubt says that the terminal shows what nobody here knows.
	doubt bool
	// astray says that it is not known where the cursor is, stained that the style is not.
	astray, stained bool
	// penAt and cursor are the terminal's own style and place; the place is unknown if x is negative.
	penAt  pen
	cx, cy int

	runs    []run
	scratch [2][]byte
}

// New is a writer for a terminal of a size, of which it is not known yet what it shows.
func New(to io.Writer, w, h int) *Writer {
	t := &Writer{to: to, doubt: true}
	t.resize(w, h)
	return t
}

// Resize says that the terminal has another size.
func (t *Writer) Resize(w, h int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w == t.w && h == t.h {
		return
	}
	if !t.doubt {
		t.despair()
	}
	t.resize(w, h)
}

func (t *Writer) resize(w, h int) {
	t.w, t.h = max(w, 0), max(h, 0)
	t.want, t.shown = blanks(t.w*t.h), blanks(t.w*t.h)
	t.top, t.end = 0, t.h
	t.x, t.y = min(t.x, max(t.w-1, 0)), min(t.y, max(t.h-1, 0))
}

// Write takes what somebody writes to the terminal, and writes what it takes to have the same shown.
func (t *Writer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at := 0; at < len(p); {
		n := t.take(p[at:])
		if n == 0 { // half of something
			t.lose()
			t.stained = true
			t.pass(p[at:])
			break
		}
		at += n
	}
	if !t.doubt {
		t.settle()
	}
	if len(t.out) == 0 {
		return len(p), nil
	}
	_, err := t.to.Write(t.out)
	t.out = t.out[:0]
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// pass hands bytes on as they are.
func (t *Writer) pass(p []byte) { t.out = append(t.out, p...) }

// despair has the terminal be where and how whoever writes believes it to be, and hands everything on from there.
func (t *Writer) despair() {
	if t.doubt {
		return
	}
	t.settle()
	t.ink(t.pen)
	if t.top != 0 || t.end != t.h {
		t.out = appendRegion(t.out, t.top, t.end)
	}
	t.out = appendMove(t.out, t.x, t.y)
	if t.wraps { // the last character once more, so that the terminal is about to go on to the next line as well
		c := t.want[t.y*t.w+t.x]
		t.out = utf8.AppendRune(c.pen.appendSwitch(t.out, t.penAt), c.rune)
		t.out = t.pen.appendSwitch(t.out, c.pen)
	}
	t.doubt = true
}

// lose is in doubt, and does not know where what comes now takes the cursor.
func (t *Writer) lose() {
	t.despair()
	t.astray = true
}

// cleared is a screen with nothing on it, of which everything is known.
func (t *Writer) cleared() {
	erase(t.want, t.pen)
	erase(t.shown, t.pen)
	if t.doubt && (t.top != 0 || t.end != t.h) {
		t.out = append(t.out, "\x1b[r"...)
	}
	t.doubt, t.penAt, t.cx = false, t.pen, -1
}
