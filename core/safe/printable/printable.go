package printable

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxRunes bounds what Text returns. The longest text worth reading, a condition's message, is well below it.
//
//orrery:limit text; a text that is shown, in characters; cut off, with an ellipsis
const MaxRunes = 8192

// maxMarks is how many accents may stack on one character. Living scripts use up to four; hundreds paint over the
// lines above and below.
//
//orrery:limit text; accents on one character; the others are written as codes
const maxMarks = 4

const ellipsis = "…"

// Text is s as it may be shown: one line of visible characters, at most MaxRunes of them. A string that already is
// comes back as it is, without an allocation.
func Text(s string) string { return Line(s, MaxRunes) }

// Line is Text within maxRunes characters. What is longer ends in an ellipsis, which counts, and is never cut between a
// character and its accents or inside a visible form such as \x1b.
func Line(s string, maxRunes int) string {
	if maxRunes <= 0 {
		return ""
	}
	clean, runes := cleanPrefix(s, maxRunes)
	if clean == len(s) && runes <= maxRunes {
		return s
	}
	return render(s, maxRunes)
}

// cleanPrefix measures how far s needs no change: the length in bytes of that beginning, and its runes. It gives up once
// there are more than most.
func cleanPrefix(s string, most int) (clean, runes int) {
	marks := maxMarks
	for clean < len(s) && runes <= most {
		if c := s[clean]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return clean, runes
			}
			marks = 0
			clean++
			runes++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[clean:])
		if !showable(r, size, &marks) {
			return clean, runes
		}
		clean += size
		runes++
	}
	return clean, runes
}

// render writes s cluster by cluster: a character with the accents on it, or the visible form of one that cannot be
// shown. It remembers the last place at which an ellipsis still fitted.
func render(s string, maxRunes int) string {
	var b strings.Builder
	b.Grow(min(len(s), 4*maxRunes) + len(ellipsis))
	var fits int // bytes of b that leave room for the ellipsis
	runes, marks := 0, maxMarks
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		onPrevious := combines(r) && marks < maxMarks
		if runes < maxRunes && !onPrevious {
			fits = b.Len()
		}
		if showable(r, size, &marks) {
			b.WriteString(s[i : i+size])
			runes++
		} else {
			runes += writeVisible(&b, s[i], r, size)
			marks = 0
		}
		i += size
		if runes > maxRunes {
			return b.String()[:fits] + ellipsis
		}
	}
	return b.String()
}

// showable tells whether a decoded rune may be shown where it stands. marks counts the accents since the last character
// that can carry one; at maxMarks nothing more stacks, which is also how a string begins.
func showable(r rune, size int, marks *int) bool {
	switch {
	case r == utf8.RuneError && size == 1:
		return false
	case combines(r):
		*marks++
		return *marks <= maxMarks && visible(r)
	case !visible(r):
		return false
	}
	*marks = 0
	return true
}

// visible tells whether a rune leaves ink of its own on the screen and nothing else.
func visible(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	const brailleBlank = '\u2800'
	return unicode.IsPrint(r) && r != brailleBlank &&
		!unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// combines tells whether a rune is drawn onto the one before it.
func combines(r rune) bool {
	const lightSkin, darkSkin = '\U0001f3fb', '\U0001f3ff'
	return r >= 0x300 && (unicode.IsMark(r) || (r >= lightSkin && r <= darkSkin))
}

// writeVisible writes what stands for a rune that cannot be shown, and says how many runes that took.
func writeVisible(b *strings.Builder, first byte, r rune, size int) int {
	const digits = "0123456789abcdef"
	hex := func(mark byte, width int) int {
		b.WriteByte('\\')
		b.WriteByte(mark)
		for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
			b.WriteByte(digits[(r>>shift)&0xf])
		}
		return 2 + width
	}
	switch {
	case r == utf8.RuneError && size == 1:
		r = rune(first)
		return hex('x', 2)
	case unicode.IsSpace(r), unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp):
		b.WriteString("·")
		return 1
	case r <= 0xff:
		return hex('x', 2)
	case r <= 0xffff:
		return hex('u', 4)
	}
	return hex('U', 8)
}
