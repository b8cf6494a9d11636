package ptytest

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// feed applies written bytes and passes each query to ask. It returns an incomplete sequence at the end, for the next
// call.
func (s *Screen) feed(b []byte, ask func(question string)) (rest []byte) {
	whole := len(b)
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if last := b[len(b)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= i
			}
			break
		}
	}
	for at := 0; at < whole; {
		n := s.consume(b[at:whole], ask)
		if n == 0 {
			return b[at:]
		}
		at += n
	}
	return b[whole:]
}

// consume applies one control, sequence or character and returns its length; zero if it is incomplete.
func (s *Screen) consume(b []byte, ask func(string)) int {
	switch c := b[0]; {
	case c == 0x1b:
		return s.escape(b, ask)
	case c < ' ' || c == 0x7f:
		s.control(c)
		return 1
	}
	cluster, width := ansi.FirstGraphemeCluster(b, ansi.WcWidth)
	s.put(string(cluster), width)
	return len(cluster)
}

func (s *Screen) control(c byte) {
	switch c {
	case '\r':
		s.x, s.wrap = 0, false
	case '\n':
		s.down()
	case '\b':
		s.x, s.wrap = max(s.x-1, 0), false
	case '\t':
		s.x = min((s.x/8+1)*8, s.w-1)
	}
}

func (s *Screen) down() {
	if s.y == s.end-1 {
		s.scroll(s.top, 1)
		return
	}
	s.y = min(s.y+1, s.h-1)
}

func (s *Screen) put(text string, width int) {
	if s.w == 0 || s.h == 0 || width == 0 {
		return
	}
	if s.wrap {
		s.x, s.wrap = 0, false
		s.down()
	}
	s.last = text
	s.rows[s.y][s.x] = cell{text, s.pen, s.bare}
	if width == 2 && s.x+1 < s.w {
		s.rows[s.y][s.x+1] = cell{"", s.pen, s.bare}
	}
	if s.x += width; s.x >= s.w {
		s.x, s.wrap = s.w-1, true
	}
}

// escape applies a sequence that starts with an escape.
func (s *Screen) escape(b []byte, ask func(string)) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= '@' && b[i] <= '~' {
				s.csi(string(b[2:i]), b[i], ask)
				return i + 1
			}
		}
		return 0
	case ']', 'P', '_', '^':
		return s.str(b, ask)
	case 'M':
		if s.y == s.top {
			s.scroll(s.top, -1)
		} else {
			s.y = max(s.y-1, 0)
		}
	case '(', ')':
		if len(b) < 3 {
			return 0
		}
		return 3
	}
	return 2
}

// str consumes a string sequence up to its terminator.
func (s *Screen) str(b []byte, ask func(string)) int {
	end, size := bytes.Index(b, []byte("\x1b\\")), 2
	if bell := bytes.IndexByte(b, '\a'); b[1] == ']' && bell >= 0 && (end < 0 || bell < end) {
		end, size = bell, 1
	}
	if end < 0 {
		return 0
	}
	switch body := string(b[2:end]); {
	case strings.HasPrefix(body, "2;"), strings.HasPrefix(body, "0;"):
		s.title = body[2:]
	case body == "11;?":
		ask("]11;?")
	}
	return end + size
}

// csi applies a control sequence.
func (s *Screen) csi(parameters string, final byte, ask func(string)) {
	if parameters != "" && parameters[0] >= '<' {
		s.private(parameters, final, ask)
		return
	}
	n := numbers(parameters)
	at := func(i, otherwise int) int {
		if i < len(n) && n[i] > 0 {
			return n[i]
		}
		return otherwise
	}
	s.wrap = s.wrap && final == 'm'
	switch final {
	case 'A':
		s.y = max(s.y-at(0, 1), 0)
	case 'B', 'e':
		s.y = min(s.y+at(0, 1), s.h-1)
	case 'C', 'a':
		s.x = min(s.x+at(0, 1), s.w-1)
	case 'D':
		s.x = max(s.x-at(0, 1), 0)
	case 'G', '`':
		s.x = min(at(0, 1), s.w) - 1
	case 'd':
		s.y = min(at(0, 1), s.h) - 1
	case 'H', 'f':
		s.y, s.x = min(at(0, 1), s.h)-1, min(at(1, 1), s.w)-1
	case 'I':
		for range at(0, 1) {
			s.control('\t')
		}
	case 'Z':
		for range at(0, 1) {
			s.x = max((s.x-1)/8*8, 0)
		}
	case 'b':
		for range at(0, 1) {
			s.put(s.last, ansi.StringWidth(s.last))
		}
	case 'm':
		s.sgr(parameters)
	case 'r':
		s.top, s.end = at(0, 1)-1, min(at(1, s.h), s.h)
		s.x, s.y = 0, 0
	case 'c':
		ask("c")
	case 'n':
		ask("n")
	default:
		s.erase(final, at(0, 0))
	}
	s.x, s.y = max(s.x, 0), max(s.y, 0)
}

func (s *Screen) sgr(parameters string) {
	n := numbers(strings.ReplaceAll(parameters, ":", ";"))
	if len(n) == 0 {
		n = []int{0}
	}
	for i := 0; i < len(n); i++ {
		code, from := n[i], i
		if code == 38 || code == 48 {
			if i++; i < len(n) {
				i = min(i+map[int]int{2: 3, 5: 1}[n[i]], len(n)-1)
			}
		}
		s.style(code, n[from:min(i+1, len(n))])
	}
}

// style updates the pen: the codes in force, attributes first, then the foreground, then the background.
func (s *Screen) style(code int, whole []int) {
	words := make([]string, len(whole))
	for i, n := range whole {
		words[i] = strconv.Itoa(n)
	}
	set := strings.Join(words, ";")
	colors := 1
	switch {
	case code == 0:
		s.traits, s.foreground, s.background, colors = [10]bool{}, "", "", 0
	case code < 10:
		s.traits[code], colors = true, 0
	case code == 22:
		s.traits[1], s.traits[2], colors = false, false, 0
	case code > 22 && code < 30:
		s.traits[code-20], colors = false, 0
	case code == 39:
		s.foreground, colors = "", 0
	case code == 49:
		s.background, colors = "", 0
	case code >= 40 && code < 50, code >= 100:
		s.background = set
	default:
		s.foreground = set
	}
	s.colors += colors
	s.pen, s.bare = "", ""
	put := func(pen *string, code string) {
		if *pen != "" && code != "" {
			*pen += ";"
		}
		*pen += code
	}
	for trait, on := range s.traits {
		if !on {
			continue
		}
		put(&s.pen, strconv.Itoa(trait))
		if trait == 4 || trait == 7 || trait == 9 {
			put(&s.bare, strconv.Itoa(trait))
		}
	}
	put(&s.pen, s.foreground)
	put(&s.pen, s.background)
	put(&s.bare, s.background)
}

// private applies a private control sequence.
func (s *Screen) private(parameters string, final byte, ask func(string)) {
	n := numbers(parameters[1:])
	switch mark := parameters[0]; {
	case mark == '?' && (final == 'h' || final == 'l'):
		for _, mode := range n {
			s.setMode(mode, final == 'h')
		}
	case mark == '?' && final == 'p', mark == '?' && final == 'u':
		ask(parameters + string(final))
	case mark == '>' && final == 'u':
		s.keyboard++
	case mark == '<' && final == 'u':
		s.keyboard = max(s.keyboard-1, 0)
	case mark == '>' && final == 'm':
		s.modifyKeys = len(n) > 1 && n[0] == 4 && n[1] > 0
	}
}

func (s *Screen) setMode(mode int, on bool) {
	if mode == modeAlt && on != s.modes[modeAlt] {
		if on {
			s.main, s.mx, s.my = s.rows, s.x, s.y
			s.rows = blankRows(s.w, s.h)
		} else {
			s.rows = s.main
			s.resize(s.w, s.h)
			s.x, s.y = s.mx, s.my
		}
	}
	s.modes[mode] = on
}

func numbers(parameters string) []int {
	parameters = strings.TrimRight(parameters, "$ ")
	if parameters == "" {
		return nil
	}
	var n []int
	for part := range strings.SplitSeq(parameters, ";") {
		v, _ := strconv.Atoi(part)
		n = append(n, v)
	}
	return n
}
