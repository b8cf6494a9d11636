package printable

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Writer passes text on to another writer and makes visible what a terminal would obey: control characters except
// newline and tab, those that change the direction of text, and bytes that are not UTF-8. All other text passes
// unchanged. It may be used by several goroutines.
//
// A character becomes \u and four hexadecimal digits. In a JSON string that is the same character.
type Writer struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the beginning of a character whose end has not been written yet
	err  error  // the first of the writer below
}

// NewWriter returns a Writer to another writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap returns the writer below, for what is not text.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write implements io.Writer. It makes one call of the writer below.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if len(w.rest) > 0 {
		text = slices.Concat(w.rest, p)
	}
	whole := len(text) - unfinished(text)
	w.rest = bytes.Clone(text[whole:])
	if whole > 0 {
		if _, err := w.to.Write(disarm(text[:whole])); err != nil {
			w.err = cmp.Or(w.err, err)
			return 0, err
		}
	}
	return len(p), nil
}

// Err returns the first error of the writer below; nil if it took everything.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Flush writes the bytes of a character that was begun and not ended.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.rest
	if w.rest = nil; len(rest) == 0 {
		return nil
	}
	_, err := w.to.Write(disarm(rest))
	w.err = cmp.Or(w.err, err)
	return err
}

// unfinished returns how many bytes at the end begin a character that may go on.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		last := text[len(text)-n:]
		if !utf8.RuneStart(last[0]) {
			continue
		}
		if utf8.FullRune(last) {
			return 0
		}
		return n
	}
	return 0
}

// disarm returns text with visible forms; without need for one it is the same slice.
func disarm(text []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		bad := r == utf8.RuneError && size == 1
		if bad || obeyed(r) {
			out = append(out, text[done:i]...)
			if bad {
				out = fmt.Appendf(out, `\x%02x`, text[i])
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// Control returns where a text file holds its first control character other than tab and line ends; -1 is nowhere.
func Control(text []byte) int {
	const nextLine = '\u0085'
	return bytes.IndexFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' && r != nextLine
	})
}

// obeyed tells whether a terminal acts on a rune instead of drawing it.
func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
