package ptytest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func shown(written string) (*Screen, []string) {
	s := newScreen(10, 4)
	var queries []string
	s.feed([]byte(written), func(q string) { queries = append(queries, q) })
	return s, queries
}

func TestScreen_InterpretsSequences(t *testing.T) {
	for _, tt := range []struct{ name, written, want string }{
		{"text wraps at the end of a line", "0123456789ab", "0123456789|ab||"},
		{"text wraps only with the next character", "0123456789\r\nab", "0123456789|ab||"},
		{"wide characters take two columns", "日本x", "日本x|||"},
		{"cursor moves", "\x1b[3;4Hx\x1b[1Gy\x1b[2dz", "| z|y  x|"},
		{"a line feed at the bottom scrolls", "a\r\nb\r\nc\r\nd\r\ne", "b|c|d|e"},
		{"a scroll region scrolls alone", "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\n\x1b[re", "e|c||d"},
		{"lines are scrolled down", "a\r\nb\r\nc\x1b[1T", "|a|b|c"},
		{"lines are inserted and deleted", "a\r\nb\r\nc\x1b[2;1H\x1b[L\x1b[4;1H\x1b[M", "a||b|"},
		{"the rest of a line is erased", "abcdef\x1b[1;3H\x1b[K", "ab|||"},
		{"some of a line is erased", "abcdef\x1b[1;3H\x1b[2X", "ab  ef|||"},
		{"characters are inserted and deleted", "abcdef\x1b[1;3H\x1b[2P\x1b[1;1H\x1b[1@", " abef|||"},
		{"a character is repeated", "x\x1b[4b", "xxxxx|||"},
		{"tabs go to every eighth column", "\tx", "        x|||"},
		{"the main screen is restored after the alternate one", "main\x1b[?1049h\x1b[Hother\x1b[?1049l", "main|||"},
		{"titles and queries are not shown", "\x1b]0;title\aa\x1b]11;?\x1b\\b\x1b[?u\x1bP+q\x1b\\c", "abc|||"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := shown(tt.written)
			if got := strings.Join(strings.Split(strings.TrimSuffix(s.Text(), "\n"), "\n"), "|"); got != tt.want {
				t.Errorf("the screen is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestScreen_ReportsUnrestoredModes(t *testing.T) {
	s, queries := shown("\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1002h\x1b[>1u\x1b[>4;2m\x1b[31m\x1b[?u\x1b[?2026$p\x1b[c")
	want := []string{"mouse drags", "the alternate screen", "bracketed paste", "a hidden cursor", "kitty's keyboard protocol", "modifyOtherKeys", "the style 31"}
	if got := s.Unrestored(); !slices.Equal(got, want) {
		t.Errorf("unrestored: %q, want %q", got, want)
	}
	if !slices.Equal(queries, []string{"?u", "?2026$p", "c"}) || s.Colors() != 1 {
		t.Errorf("queries %q, and %d colour codes", queries, s.Colors())
	}
	s.feed([]byte("\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?1002l\x1b[<1u\x1b[>4m\x1b[m"), nil)
	if got := s.Unrestored(); len(got) != 0 {
		t.Errorf("unrestored: %q", got)
	}
}

func TestScreen_OutputMayArriveInPieces(t *testing.T) {
	const written = "\x1b[?1049h\x1b[H\x1b[2J╭──────╮\r\n│日本\x1b[38;2;1;2;3m●\x1b[m│\r\n\x1b]2;t\x1b\\e\u0301x\x1b[3;4H…──\x1b[2;3r\x1b[T"
	whole, _ := shown(written)
	rapid.Check(t, func(t *rapid.T) {
		s := newScreen(10, 4)
		var rest []byte
		for left := []byte(written); len(left) > 0; {
			n := rapid.IntRange(1, len(left)).Draw(t, "n")
			rest = bytes.Clone(s.feed(append(rest, left[:n]...), func(string) {}))
			left = left[n:]
		}
		// An accent that arrives late is drawn on a blank, as on a terminal.
		if got, want := s.Text(), whole.Text(); strings.ReplaceAll(got, "\u0301", "") != strings.ReplaceAll(want, "\u0301", "") {
			t.Fatalf("in pieces the screen is\n%swant\n%s", got, want)
		}
	})
}
