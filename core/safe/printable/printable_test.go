package printable_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"orrery/core/safe/printable"
	"orrery/core/testing/fuzz"
)

func TestText_EscapesUnprintable(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a name is left alone", "web-0.default_x", "web-0.default_x"},
		{"letters of any script are left alone", "Größe 日本語 עברית ไทย", "Größe 日本語 עברית ไทย"},
		{"symbols and emoji are left alone", "→ ✓ 🚀 €", "→ ✓ 🚀 €"},
		{"an accent stays on its letter", "e\u0301te\u0301", "e\u0301te\u0301"},
		{"a skin tone stays on its hand", "\U0001f44b\U0001f3fd", "\U0001f44b\U0001f3fd"},
		{"an escape sequence loses its escape", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"a window title cannot be set", "\x1b]0;owned\x07", `\x1b]0;owned\x07`},
		{"the one-byte introducer of sequences is no way around", "a\u009b2J", `a\x9b2J`},
		{"lines stay in one line", "a\nb\r\nc\td\ve\ff", "a·b··c·d·e·f"},
		{"the other line separators too", "a\u2028b\u2029c\u0085d", "a·b·c·d"},
		{"a space that is not the space bar's shows", "a\u00a0b\u3000c\u2003d", "a·b·c·d"},
		{"nul and delete", "a\x00b\x7fc", `a\x00b\x7fc`},
		{"bytes that are not UTF-8 show their value", "a\xff\xc3(", `a\xff\xc3(`},
		{"an encoded surrogate is not UTF-8", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"the character for bad bytes is itself a character", "a\ufffdb", "a\ufffdb"},
		{"text cannot be turned around", "invoice\u202efdp.exe", `invoice\u202efdp.exe`},
		{"isolates and marks of direction show", "\u2066a\u2069\u200e\u061c", `\u2066a\u2069\u200e\u061c`},
		{"two names that look the same do not", "pay\u200bpal \ufeff\u00ad\u2060", `pay\u200bpal \ufeff\xad\u2060`},
		{"letters without ink show", "a\u3164\u115f\u2800b", `a\u3164\u115f\u2800b`},
		{"tag characters cannot smuggle", "a\U000e0041", `a\U000e0041`},
		{"variation selectors cannot smuggle", "a\ufe0f\U000e0100", `a\ufe0f\U000e0100`},
		{"joined emoji come apart", "👩\u200d🚀", `👩\u200d🚀`},
		{"private and unassigned characters show", "\ue000\U0010ffff\u0378", `\ue000\U0010ffff\u0378`},
		{"an accent cannot stand on what came before the text", "\u0301a", `\u0301a`},
		{"accents do not paint over other lines", "a" + strings.Repeat("\u0335", 6), "a" + strings.Repeat("\u0335", 4) + `\u0335` + "\u0335"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := printable.Text(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestLine_Ellipsis(t *testing.T) {
	tests := []struct {
		name, in string
		max      int
		want     string
	}{
		{"what fits is whole", "abcde", 5, "abcde"},
		{"the ellipsis counts", "abcdef", 5, "abcd…"},
		{"runes count, not bytes", "日本語です", 5, "日本語です"},
		{"a rune is never split", "日本語です", 4, "日本語…"},
		{"an accent is not left behind", "abe\u0301d", 3, "ab…"},
		{"an accent stays where there is room", "ae\u0301dd", 4, "ae\u0301…"},
		{"a visible form is never split", "ab\x1bcd", 5, "ab…"},
		{"a visible form stays where there is room", "ab\x1bcdef", 7, `ab\x1b…`},
		{"one character is the ellipsis", "abc", 1, "…"},
		{"no room, no text", "abc", 0, ""},
		{"less than no room either", "abc", -1, ""},
		{"nothing is nothing", "", 3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := printable.Line(tt.in, tt.max); got != tt.want {
				t.Errorf("Line(%q, %d) = %q, want %q", tt.in, tt.max, got, tt.want)
			}
		})
	}
}

func TestText_IsBounded(t *testing.T) {
	for _, unit := range []string{"x", "é", "\x1b", "a\u0301"} {
		got := printable.Text(strings.Repeat(unit, 3*printable.MaxRunes))
		if n := utf8.RuneCountInString(got); n > printable.MaxRunes || n < printable.MaxRunes-8 {
			t.Errorf("a huge text of %q became %d runes, want nearly %d and no more", unit, n, printable.MaxRunes)
		}
		if !strings.HasSuffix(got, "…") {
			t.Errorf("a huge text of %q does not end in an ellipsis", unit)
		}
	}
}

func TestText_CleanStringDoesNotAllocate(t *testing.T) {
	for _, s := range []string{"", "kube-system/coredns-5d78c9869d-abcde", "Größe → 日本語"} {
		if allocs := testing.AllocsPerRun(100, func() { printable.Text(s) }); allocs != 0 {
			t.Errorf("Text(%q) allocated %v times, want none", s, allocs)
		}
	}
}

// FuzzLine reads text that goes into a line.
//
//orrery:reads core/safe/printable
func FuzzLine(f *testing.F) {
	for _, s := range []string{"web-0", "\x1b[2J", "a\u202eb", "\xff\xfe", "e\u0301\u0301\u0301\u0301\u0301\u0301", "👩\u200d🚀\r\n"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, most int) {
		most %= 300
		var got string
		fuzz.Cost(t, len(s), func() { got = printable.Line(s, most) })
		if !utf8.ValidString(got) {
			t.Fatalf("Line(%q, %d) = %q is not UTF-8", s, most, got)
		}
		if n := utf8.RuneCountInString(got); n > max(most, 0) {
			t.Fatalf("Line(%q, %d) = %q has %d runes", s, most, got, n)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r) || (r != ' ' && unicode.IsSpace(r)) {
				t.Fatalf("Line(%q, %d) = %q holds %U", s, most, got, r)
			}
		}
		if first, _ := utf8.DecodeRuneInString(got); unicode.IsMark(first) {
			t.Fatalf("Line(%q, %d) = %q begins with an accent", s, most, got)
		}
		if again := printable.Line(got, most); again != got {
			t.Fatalf("Line(%q, %d) = %q, and once more %q", s, most, got, again)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{
		"clean": "kube-system/coredns-5d78c9869d-abcde", "dirty": "kube-system/coredns\x1b[31m-5d78c9869d-abcde",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				printable.Text(s)
			}
		})
	}
}
