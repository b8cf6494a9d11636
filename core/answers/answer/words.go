package answer

import (
	"strings"
	"time"
)

// At writes a moment to the second.
func At(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Span writes how long something takes, to the second: 0s, 3m20s, 5m, 2h.
func Span(d time.Duration) string {
	text := max(d, 0).Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if whole, is := strings.CutSuffix(text, zero); is {
			text = whole + zero[:1]
		}
	}
	return text
}

// Named adds a fact, unless there is nothing to say.
func (w *Words) Named(name, value string) { w.fact(Fact{Name: name, Value: value}) }

// Internally adds a fact for who asks for all.
func (w *Words) Internally(name, value string) { w.fact(Fact{name, value, true}) }

func (w *Words) fact(f Fact) {
	if f.Value != "" {
		w.Facts = append(w.Facts, f)
	}
}

// Section adds lines below a title, unless there are none.
func (w *Words) Section(title string, lines ...Link) {
	if len(lines) > 0 {
		w.Sections = append(w.Sections, Section{Title: title, Lines: lines})
	}
}

// Lines are links that lead nowhere.
func Lines(texts []string) []Link {
	var lines []Link
	for _, text := range texts {
		lines = append(lines, Link{Says: text})
	}
	return lines
}
