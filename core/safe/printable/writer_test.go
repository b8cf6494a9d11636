package printable_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"orrery/core/safe/printable"
	"orrery/core/testing/fuzz"
)

func TestWriter_DisarmsAndKeepsText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"text is unchanged", "Größe\t日本語 עברית 👩\u200d🚀 e\u0301 \ufeff\u00a0\n\n", "Größe\t日本語 עברית 👩\u200d🚀 e\u0301 \ufeff\u00a0\n\n"},
		{"continuation bytes of characters are no controls", "— “à” ✓ \U0001f680", "— “à” ✓ \U0001f680"},
		{"the character for bad bytes is a character", "a\ufffdb", "a\ufffdb"},
		{"escape sequences", "a\x1b[31mred\x1b]0;owned\a", `a\u001b[31mred\u001b]0;owned\u0007`},
		{"the other controls", "\x00\b\v\f\r\x7f", `\u0000\u0008\u000b\u000c\u000d\u007f`},
		{"controls of eight bits", "a\u0080\u009b2J\u0085", `a\u0080\u009b2J\u0085`},
		{"bytes that are controls of eight bits", "a\x9b2J\x85", `a\x9b2J\x85`},
		{"a character cut off by another", "a\xe2\x80b\xe2\x1b", `a\xe2\x80b\xe2\u001b`},
		{"directions", "a\u202eb\u2066c\u2069\u200e\u200f\u061c", `a\u202eb\u2066c\u2069\u200e\u200f\u061c`},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.in) + 1 { // every place where two writes may meet
				if got := written(t, tt.in[:cut], tt.in[cut:]); got != tt.want {
					t.Fatalf("%q and %q came out as %q, want %q", tt.in[:cut], tt.in[cut:], got, tt.want)
				}
			}
		})
	}
}

// written returns what several writes and a flush make.
func written(t *testing.T, parts ...string) string {
	t.Helper()
	var to bytes.Buffer
	w := printable.NewWriter(&to)
	for _, part := range parts {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("writing %q: %d, %v", part, n, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return to.String()
}

func TestWriter_HoldsOnlyAnUnfinishedCharacter(t *testing.T) {
	var to bytes.Buffer
	w := printable.NewWriter(&to)
	for _, step := range []struct{ add, want string }{
		{"a\xe2", "a"}, {"\x82", "a"}, {"\xac", "a€"}, {"b\xf0\x9f\x9a", "a€b"}, {"\x1b", `a€b\xf0\x9f\x9a\u001b`},
	} {
		if _, err := w.Write([]byte(step.add)); err != nil || to.String() != step.want {
			t.Errorf("after %q it is %q (%v), want %q", step.add, to.String(), err, step.want)
		}
	}
}

func TestWriter_KeepsValueOfJSON(t *testing.T) {
	want := "\x1b[2J\u009b\u202e\x7f\r\n\u2069 \\"
	text := `{"a": "` + strings.NewReplacer("\\", `\\`, "\x1b", `\u001b`, "\r", `\r`, "\n", `\n`).Replace(want) + "\"}\n"
	var got struct{ A string }
	if err := json.Unmarshal([]byte(written(t, text)), &got); err != nil || got.A != want {
		t.Errorf("the value is %q, want %q: %v", got.A, want, err)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("the disk is full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriter_ReturnsErrorOfWriterBelow(t *testing.T) {
	w := printable.NewWriter(brokenWriter{})
	if _, err := w.Write([]byte("a\xe2")); !errors.Is(err, errBroken) {
		t.Errorf("writing: %v", err)
	}
	if err := w.Flush(); !errors.Is(err, errBroken) {
		t.Errorf("flushing: %v", err)
	}
	if err := w.Err(); !errors.Is(err, errBroken) {
		t.Errorf("the first error is %v", err)
	}
	if w.Unwrap() != (brokenWriter{}) {
		t.Error("the writer below is another one")
	}
}

func TestControl_FindsTheFirst(t *testing.T) {
	for text, want := range map[string]int{
		"": -1, "a\tb\r\n\u0085é€ \u202e\xff": -1, "é\x00\x01": 2, "\x7f": 0, "a\u009b": 1, "line\x1b[2J": 4,
	} {
		if got := printable.Control([]byte(text)); got != want {
			t.Errorf("Control(%q) = %d, want %d", text, got, want)
		}
	}
}

// FuzzWriter reads text that a command prints.
//
//orrery:reads core/safe/printable
func FuzzWriter(f *testing.F) {
	for _, s := range []string{"web-0", "\x1b[2J", "a\u202eb", "\xff\xfe", "\xe2\x80", "\u009b", "👩\u200d🚀\r\n"} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		cut = min(max(cut, 0), len(s))
		var got string
		fuzz.Cost(t, len(s), func() { got = written(t, s) })
		if parts := written(t, s[:cut], s[cut:]); parts != got {
			t.Fatalf("%q cut at %d came out as %q, and whole as %q", s, cut, parts, got)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, harmful) {
			t.Fatalf("%q came out as %q", s, got)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, harmful) && got != s {
			t.Fatalf("%q came out as %q", s, got)
		}
	})
}

func harmful(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
