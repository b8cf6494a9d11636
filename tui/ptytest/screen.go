package ptytest

import (
	"maps"
	"slices"
	"strings"
)

// Screen holds the cells and modes of a terminal.
type Screen struct {
	w, h       int
	x, y       int
	wrap       bool // the next character goes to the next line
	rows       [][]cell
	main       [][]cell // the main screen while the alternate screen is in use
	mx, my     int
	top, end   int      // the scroll region
	traits     [10]bool // attributes, by the codes that set them
	foreground string   // the code of the foreground
	background string   // the code of the background
	pen, bare  string   // all codes in force, and those visible on a blank
	last       string   // the character that a repetition repeats
	modes      map[int]bool
	keyboard   int  // entries on kitty's stack
	modifyKeys bool // modifyOtherKeys is on
	colors     int  // color codes seen
	title      string
}

type cell struct {
	text string // empty behind a wide character
	pen  string
	bare string // the codes visible on a blank
}

const (
	modeCursor = 25
	modeAlt    = 1049
)

func newScreen(w, h int) *Screen {
	s := &Screen{modes: map[int]bool{modeCursor: true}}
	s.resize(w, h)
	return s
}

func (s *Screen) resize(w, h int) {
	rows := blankRows(w, h)
	for y := range min(h, len(s.rows)) {
		copy(rows[y], s.rows[y])
	}
	s.w, s.h, s.rows = w, h, rows
	s.top, s.end = 0, h
	s.x, s.y = min(s.x, max(w-1, 0)), min(s.y, max(h-1, 0))
}

func blankRows(w, h int) [][]cell {
	rows := make([][]cell, h)
	for y := range rows {
		rows[y] = make([]cell, w)
		for x := range rows[y] {
			rows[y][x].text = " "
		}
	}
	return rows
}

// Shown returns the screen of a terminal of a size after some bytes were written to it.
func Shown(w, h int, written []byte) *Screen {
	s := newScreen(w, h)
	s.feed(written, func(string) {})
	return s
}

// Text returns the screen's text, without trailing blanks in lines.
func (s *Screen) Text() string {
	var b strings.Builder
	for _, row := range s.rows {
		b.WriteString(strings.TrimRight(line(row), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// Styled returns the screen's text with the codes of every change of style. Of a blank it includes only the background,
// underline, reverse and strikethrough.
func (s *Screen) Styled() string {
	var b strings.Builder
	for _, row := range s.rows {
		pen := ""
		for _, c := range row {
			seen := c.pen
			if c.text == " " {
				seen = c.bare
			}
			if seen != pen {
				pen = seen
				b.WriteString("\x1b[" + pen + "m")
			}
			b.WriteString(c.text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Line returns one line of the screen with its trailing blanks.
func (s *Screen) Line(y int) string {
	if y < 0 || y >= s.h {
		return ""
	}
	return line(s.rows[y])
}

func line(row []cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteString(c.text)
	}
	return b.String()
}

// Contains reports whether a line contains a text.
func (s *Screen) Contains(text string) bool { return strings.Contains(s.Text(), text) }

// Blank reports whether the screen shows nothing.
func (s *Screen) Blank() bool { return strings.TrimSpace(s.Text()) == "" }

// AltScreen reports whether the alternate screen is in use.
func (s *Screen) AltScreen() bool { return s.modes[modeAlt] }

// Colors returns how many colour codes were seen.
func (s *Screen) Colors() int { return s.colors }

// Unrestored returns the terminal settings that the program changed and did not restore, in words; empty if it restored
// all.
func (s *Screen) Unrestored() []string {
	names := map[int]string{
		modeAlt: "the alternate screen", 1000: "mouse clicks", 1002: "mouse drags", 1003: "mouse motion", 1004: "focus reports",
		1006: "the mouse's SGR form", 2004: "bracketed paste", 2026: "a synchronized update", 2027: "grapheme widths",
	}
	var left []string
	for _, mode := range slices.Sorted(maps.Keys(names)) {
		if s.modes[mode] {
			left = append(left, names[mode])
		}
	}
	if !s.modes[modeCursor] {
		left = append(left, "a hidden cursor")
	}
	if s.keyboard != 0 {
		left = append(left, "kitty's keyboard protocol")
	}
	if s.modifyKeys {
		left = append(left, "modifyOtherKeys")
	}
	if s.pen != "" {
		left = append(left, "the style "+s.pen)
	}
	return left
}
