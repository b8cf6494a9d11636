package thrift

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// take takes a control, a sequence or a character, and says how many bytes it had; none if it is not whole.
func (t *Writer) take(p []byte) int {
	switch c := p[0]; {
	case c == 0x1b:
		return t.escape(p)
	case c < ' ' || c == 0x7f:
		t.control(p[:1])
		return 1
	case c < 0x7f && (len(p) == 1 || p[1] < 0x7f):
		t.put(rune(c))
		t.told(p[:1])
		return 1
	}
	if !utf8.FullRune(p) {
		return 0
	}
	cluster, width := ansi.FirstGraphemeCluster(p, ansi.WcWidth)
	r, size := utf8.DecodeRune(cluster)
	if width != 1 || size != len(cluster) || r == utf8.RuneError {
		t.lose()
		t.pass(cluster)
		return len(cluster)
	}
	t.put(r)
	t.told(cluster)
	return size
}

// told hands on what was understood if it must not be kept back.
func (t *Writer) told(p []byte) {
	if t.doubt {
		t.pass(p)
	}
}

func (t *Writer) control(p []byte) {
	if p[0] != '\r' {
		t.beyond()
	}
	switch p[0] {
	case '\r':
		t.x, t.wraps = 0, false
	case '\n':
		t.down()
	case '\b':
		t.x, t.wraps = max(t.x-1, 0), false
	case '\t':
		t.x = min((t.x/8+1)*8, max(t.w-1, 0))
	default:
		t.pass(p)
		return
	}
	t.told(p)
}

// beyond is in doubt behind the last column: terminals do not agree on what becomes of a line that is about to wrap.
func (t *Writer) beyond() {
	if t.wraps {
		t.despair()
	}
}

// escape takes what begins with an escape.
func (t *Writer) escape(p []byte) int {
	if len(p) < 2 {
		return 0
	}
	switch p[1] {
	case '[':
		end := bytes.IndexFunc(p[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return 0
		}
		t.csi(p[:end+3])
		return end + 3
	case ']', 'P', '_', '^', 'X':
		return t.str(p)
	case 'M':
		t.beyond()
		t.up()
		t.told(p[:2])
	case '=', '>':
		t.pass(p[:2])
	case ' ', '#', '%', '(', ')', '*', '+':
		if len(p) < 3 {
			return 0
		}
		t.lose()
		t.pass(p[:3])
		return 3
	default:
		t.lose()
		t.pass(p[:2])
	}
	return 2
}

// str takes a string sequence up to its terminator. Links belong to cells, which no other string does.
func (t *Writer) str(p []byte) int {
	end, size := bytes.Index(p, []byte("\x1b\\")), 2
	if bell := bytes.IndexByte(p, '\a'); p[1] == ']' && bell >= 0 && (end < 0 || bell < end) {
		end, size = bell, 1
	}
	if end < 0 {
		return 0
	}
	if bytes.HasPrefix(p, []byte("\x1b]8;")) {
		t.despair()
	}
	t.pass(p[:end+size])
	return end + size
}

// csi does what a control sequence says.
func (t *Writer) csi(whole []byte) {
	body, final := string(whole[2:len(whole)-1]), whole[len(whole)-1]
	if body != "" && (body[0] >= '<' || strings.Trim(body, "0123456789;") != "") {
		t.private(whole, body, final)
		return
	}
	n := numbers(body)
	first := max(at(n, 0), 1)
	if final != 'm' {
		t.wraps = false
	}
	switch final {
	case 'A':
		t.goTo(t.x, t.y-first)
	case 'B', 'e':
		t.goTo(t.x, t.y+first)
	case 'C', 'a':
		t.goTo(t.x+first, t.y)
	case 'D':
		t.goTo(t.x-first, t.y)
	case 'G', '`':
		t.goTo(first-1, t.y)
	case 'd':
		t.goTo(t.x, first-1)
	case 'H', 'f':
		t.astray = false
		t.goTo(max(at(n, 1), 1)-1, first-1)
	case 'I':
		t.goTo((t.x/8+first)*8, t.y)
	case 'Z':
		t.goTo(max((t.x+7)/8-first, 0)*8, t.y)
	case 'b':
		for range min(first, t.w*t.h) {
			t.put(t.last)
		}
	case 'm':
		if len(n) == 0 {
			t.stained = false
		}
		if p := t.pen; p.set(n) {
			t.pen = p
		} else {
			t.despair()
			t.stained = true
		}
	case 'r':
		t.top, t.end = first-1, t.h
		if last := at(n, 1); last > 0 {
			t.end = min(last, t.h)
		}
		t.goTo(0, 0)
	case 'J':
		if at(n, 0) == 2 {
			t.clear(whole)
			return
		}
		t.edit(final, at(n, 0))
	case 'K', 'X', 'P', '@':
		t.erases = t.erases || final == 'X'
		t.edit(final, at(n, 0))
	case 'L', 'M':
		if final == 'L' {
			first = -first
		}
		if t.y >= t.top && t.y < t.end {
			t.scroll(t.y, t.end, first)
		}
	case 'S':
		t.scroll(t.top, t.end, first)
	case 'T':
		t.scroll(t.top, t.end, -first)
	case 'c', 'n', 't': // questions
		t.pass(whole)
		return
	default:
		t.lose()
	}
	t.told(whole)
}

// clear empties the screen. Nothing about it is in doubt any more if it is known in which style and where one goes on.
func (t *Writer) clear(whole []byte) {
	if !t.doubt {
		t.ink(t.pen)
	}
	t.pass(whole)
	if !t.astray && !t.stained {
		t.cleared()
	}
}

func (t *Writer) goTo(x, y int) {
	t.x, t.y = min(max(x, 0), max(t.w-1, 0)), min(max(y, 0), max(t.h-1, 0))
}

// The modes that matter for what is on the screen.
const (
	wrapMode  = "?7"
	altScreen = "?1049"
	oneUpdate = "?2026"
)

// private does what a sequence of a terminal's own says. Modes, keyboards, the cursor's shape and questions are about
// something else than cells; who knows of others.
func (t *Writer) private(whole []byte, body string, final byte) {
	sets := final == 'h' || final == 'l'
	switch {
	case sets && body == wrapMode:
		if t.stays = final == 'l'; !t.doubt {
			return // the last cell of all is written with care here
		}
	case sets && body == altScreen:
		t.lose()
	case final == 'm' && body[0] < '<':
		t.despair()
		t.stained = true
	case body[0] >= '<' && strings.IndexByte("hlpumnc", final) < 0, body[0] < '<' && body[len(body)-1:]+string(final) != " q":
		t.lose()
	case sets && body == oneUpdate && final == 'l' && !t.doubt:
		t.settle()
	}
	t.pass(whole)
}

func numbers(body string) []int {
	if body == "" {
		return nil
	}
	var n []int
	for part := range strings.SplitSeq(body, ";") {
		v, err := strconv.Atoi(part)
		if err != nil {
			v = 0
		}
		n = append(n, min(v, 1<<14))
	}
	return n
}

func at(n []int, i int) int {
	if i < len(n) {
		return n[i]
	}
	return 0
}
