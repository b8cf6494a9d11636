package fuzz

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"orrery/core/safe/printable"
)

// mostRunes is how long a line of an error may be.
const mostRunes = 4096

// Error fails where an error is not one line that can be shown as it is.
func Error(t testing.TB, err error) {
	t.Helper()
	checkLine(t, err.Error())
}

// Errors fails where an error is not one or several lines, at most so many, that can be shown as they are.
func Errors(t testing.TB, err error, most int) {
	t.Helper()
	lines := strings.Split(err.Error(), "\n")
	if len(lines) > most {
		t.Errorf("the error has %d lines, more than %d", len(lines), most)
	}
	for _, line := range lines {
		checkLine(t, line)
	}
}

func checkLine(t testing.TB, line string) {
	t.Helper()
	switch {
	case strings.TrimSpace(line) == "":
		t.Error("the error says nothing")
	case utf8.RuneCountInString(line) > mostRunes:
		t.Errorf("the error has %d characters: %.200q", utf8.RuneCountInString(line), line)
	case printable.Line(line, mostRunes) != line:
		t.Errorf("the error cannot be shown as it is: %q", line)
	}
}

// Output fails where text that goes to a terminal or a log has anything that a terminal obeys.
func Output(t testing.TB, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("the output is not UTF-8: %.200q", text)
	}
	at := strings.IndexFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	})
	if at >= 0 {
		t.Errorf("a terminal obeys the output: %q", text[max(0, at-80):min(len(text), at+20)])
	}
}
