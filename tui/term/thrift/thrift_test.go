package thrift_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orrery/tui/ptytest"
	"orrery/tui/term/thrift"
)

const clear = "\x1b[?1049h\x1b[H\x1b[2J"

// through is what comes of several writes to a terminal of 12 by 5 that is cleared before the first.
func through(t interface{ Fatalf(string, ...any) }, writes ...string) string {
	var out bytes.Buffer
	w := thrift.New(&out, 12, 5)
	for _, p := range append([]string{clear}, writes...) {
		if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("writing %q: %d bytes of %d, %v", p, n, len(p), err)
		}
	}
	return strings.TrimPrefix(out.String(), clear)
}

func TestOnlyWhatChangesIsWritten(t *testing.T) {
	for _, tt := range []struct {
		name   string
		writes []string
		want   string // of the last write
	}{
		{"what is there already is not written again", []string{"abc", "\x1b[Habc"}, ""},
		{"nor what lies between two changes", []string{"a1bcdefgh2j", "\x1b[Ha3bcdefgh4j"}, "\x1b[10D3\x1b[7C4"},
		{"unless that is shorter", []string{"a1b2", "\x1b[Ha3b4"}, "\x1b[3D3b4"},
		{"colours too", []string{"\x1b[31mabc\x1b[m", "\x1b[H\x1b[31ma\x1b[32mb\x1b[31mc\x1b[m"}, "\x1b[2D\x1b[32mb"},
		{"the colour of a blank is not seen", []string{"a b", "\x1b[Ha\x1b[31m \x1b[mb"}, ""},
		{"its ground is", []string{"a b", "\x1b[Ha\x1b[41m \x1b[mb"}, "\x1b[2D\x1b[41m "},
		{
			"a style is set once for all of the screen",
			[]string{"\x1b[38;2;1;2;3ma\x1b[38;2;4;5;6mb\r\n\x1b[38;2;1;2;3mc\x1b[38;2;4;5;6md\x1b[m"},
			"\x1b[1H\x1b[38;2;1;2;3ma\x1b[2Hc\x1b[1;2H\x1b[38;2;4;5;6mb\n\x1b[Dd",
		},
		{"what was changed and changed back", []string{"abc", "\x1b[HaXc\x1b[Habc"}, ""},
		{"an erased line", []string{"abc", "\x1b[1;2H\x1b[K"}, "\x1b[2D  "},
		{"a line that is erased on a terminal that can", []string{"abcdefghijkl\x1b[2;1H\x1b[X", "\x1b[1;1H\x1b[2K"}, "\x1b[1H\x1b[12X\x1b[12C"},
		{"a repeated character", []string{"x\x1b[3b"}, "\x1b[1Hxxxx"},
		{"lines that scroll are scrolled", []string{"a\r\nb\r\nc", "\x1b[1;4r\x1b[4;1H\n\x1b[r"}, "\x1b[1;4r\x1b[4H\n\x1b[r"},
		{"modes and titles are passed on", []string{"a", "\x1b]2;title\x1b\\\x1b[?25l\x1b[>1u\x1b[?2026$p\x1b[c"}, "\x1b]2;title\x1b\\\x1b[?25l\x1b[>1u\x1b[?2026$p\x1b[c"},
		{"an update is one", []string{"a", "\x1b[?2026h\x1b[Hb\x1b[?2026l"}, "\x1b[?2026h\x1b[Db\x1b[?2026l"},
		{"the last cell of all does not wrap", []string{"\x1b[5;12H\x1b[?7lx\x1b[?7h"}, "\x1b[5;12H\x1b[?7lx\x1b[?7h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := through(t, tt.writes[:len(tt.writes)-1]...)
			if got := strings.TrimPrefix(through(t, tt.writes...), before); strings.ReplaceAll(got, "\x1b[1H", "\x1b[H") != strings.ReplaceAll(tt.want, "\x1b[1H", "\x1b[H") {
				t.Errorf("it writes %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhatIsNotUnderstoodIsPassedOn(t *testing.T) {
	for _, tt := range []struct{ name, strange string }{
		{"a sequence", "\x1b[3;4'z"},
		{"a character set", "\x1b(0"},
		{"an underline of another kind", "\x1b[4:3m"},
		{"the colour of an underline", "\x1b[58;5;3m"},
		{"a link", "\x1b]8;;https://example.com\x1b\\"},
		{"a wide character", "日"},
		{"a joined one", "👩\u200d🚀"},
		{"an accent of its own", "e\u0301"},
		{"half a character", "\xe2\x94"},
		{"half a sequence", "\x1b[3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := "\x1b[2;2Hsame\x1b[2;2Hsame"
			got := through(t, "abc"+tt.strange, after)
			if !strings.HasSuffix(got, tt.strange+after) {
				t.Errorf("it writes %q, want everything from %q on as it was", got, tt.strange)
			}
			again := through(t, "abc"+tt.strange, after, "\x1b[m\x1b[H\x1b[2Jx", "\x1b[Hx")
			if !strings.HasSuffix(again, after+"\x1b[m\x1b[H\x1b[2J\x1b[1Hx") {
				t.Errorf("once the screen was cleared it writes %q", again)
			}
		})
	}
}

func TestAnotherSizeIsDoubtful(t *testing.T) {
	var out bytes.Buffer
	w := thrift.New(&out, 12, 5)
	write := func(p string) string {
		out.Reset()
		_, _ = w.Write([]byte(p))
		return out.String()
	}
	write(clear + "abc")
	w.Resize(12, 5)
	if got := write("\x1b[Habc"); got != "" {
		t.Errorf("the same size again has it write %q", got)
	}
	w.Resize(20, 5)
	if got := write("\x1b[Habc"); !strings.HasSuffix(got, "\x1b[Habc") {
		t.Errorf("another size has it write %q", got)
	}
	write("\x1b[H\x1b[2Jabc")
	if got := write("\x1b[1;20Hx"); got != "\x1b[16Cx" {
		t.Errorf("in the last column it writes %q", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the terminal went away") }

func TestATerminalThatIsGoneIsToldOf(t *testing.T) {
	if n, err := thrift.New(broken{}, 10, 10).Write([]byte("abc")); n != 0 || err == nil {
		t.Errorf("writing to it gives %d, %v", n, err)
	}
}

// piece is something that a painter writes, and now and then something strange.
func piece(t *rapid.T) string {
	number := func(most int) int { return rapid.IntRange(1, most).Draw(t, "n") }
	switch rapid.IntRange(0, 19).Draw(t, "kind") {
	case 0, 1:
		return fmt.Sprintf("\x1b[%d;%dH", number(5), number(12))
	case 2:
		return "\r\n"
	case 3:
		return fmt.Sprintf("\x1b[%d%c", number(6), rapid.SampledFrom([]rune("ABCDGd")).Draw(t, "move"))
	case 4, 5, 6:
		return "\x1b[" + rapid.SampledFrom([]string{"", "0", "1", "2", "22", "3", "4", "24", "7", "27", "9", "31", "1;32", "38;5;200", "38;2;1;2;3", "39", "44", "48;2;9;7;4", "49", "93", "0;7;104", "38;2;1;2;3;48;5;9"}).Draw(t, "style") + "m"
	case 7:
		return fmt.Sprintf("\x1b[%d%c", number(5), rapid.SampledFrom([]rune("XP@LMST")).Draw(t, "edit"))
	case 8:
		return fmt.Sprintf("\x1b[%d%c", number(3)-1, rapid.SampledFrom([]rune("JK")).Draw(t, "erase"))
	case 9:
		top := number(4)
		return fmt.Sprintf("\x1b[%d;%dr", top, top+number(5-top))
	case 10:
		return "\x1b[r"
	case 11:
		return rapid.SampledFrom([]string{"\x1bM", "\b", "\t", "\n"}).Draw(t, "control")
	case 12:
		return fmt.Sprintf("x\x1b[%db", number(20))
	case 13:
		return rapid.SampledFrom([]string{"\x1b[?25l", "\x1b]2;t\a", "\x1b[?2026h", "\x1b[?2026l"}).Draw(t, "mode")
	case 14:
		if rapid.IntRange(0, 9).Draw(t, "strange") == 0 {
			return rapid.SampledFrom([]string{"日", "\x1b(B", "e\u0301"}).Draw(t, "what")
		}
	}
	return rapid.StringOfN(rapid.SampledFrom([]rune("ab ─●✗░")), 1, 15, -1).Draw(t, "text")
}

// TestATerminalShowsTheSame has anything written, in any pieces, to a terminal and to one behind a Writer.
func TestATerminalShowsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var plain, thrifty bytes.Buffer
		w := thrift.New(&thrifty, 12, 5)
		plain.WriteString(clear)
		_, _ = w.Write([]byte(clear))
		for range rapid.IntRange(1, 12).Draw(t, "writes") {
			var frame strings.Builder
			for range rapid.IntRange(1, 12).Draw(t, "pieces") {
				frame.WriteString(piece(t))
			}
			plain.WriteString(frame.String())
			_, _ = w.Write([]byte(frame.String()))
			want, got := ptytest.Shown(12, 5, plain.Bytes()), ptytest.Shown(12, 5, thrifty.Bytes())
			if want.Styled() != got.Styled() {
				t.Fatalf("%q shows\n%s%q was made of it, which shows\n%s", plain.String(), want.Styled(), thrifty.String(), got.Styled())
			}
		}
		plain.WriteString("\x1b[?1049l")
		_, _ = w.Write([]byte("\x1b[?1049l"))
		want, got := ptytest.Shown(12, 5, plain.Bytes()).Left(), ptytest.Shown(12, 5, thrifty.Bytes()).Left()
		if !slices.Equal(got, want) {
			t.Fatalf("it leaves %q, want %q", got, want)
		}
	})
}
