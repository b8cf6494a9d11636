package app

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"orrery/core/printable"
	"orrery/core/world"
)

// podRef names a pod in a JSON document.
type podRef struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

func refOf(r world.Ref) podRef { return podRef{r.Namespace, r.Name, string(r.UID)} }

// moment is a time in a JSON document.
type moment string

func momentOf(t time.Time) moment { return moment(t.UTC().Format(time.RFC3339Nano)) }

// counted is a number of things in words.
func counted[N int | int64 | uint64](n N, of string) string {
	return humanize.Comma(int64(n)) + " " + english.PluralWord(int(n), of, "")
}

// since is a duration for people: 12s, 3m20s, 2h5m.
func since(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d.Round(time.Second) < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// clock is a time of day for people, to the millisecond.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// offset is how far after the beginning of a trace something is, as --at takes it.
func offset(d time.Duration) string { return "+" + d.Round(time.Millisecond).String() }

// paragraph breaks a text for people into lines; its own line breaks stay.
func paragraph(text string, width int) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		row := ""
		for _, word := range strings.Fields(printable.Line(line, 2000)) {
			if row != "" && utf8.RuneCountInString(row)+1+utf8.RuneCountInString(word) > width {
				lines, row = append(lines, row), ""
			}
			if row != "" {
				row += " "
			}
			row += word
		}
		if row != "" {
			lines = append(lines, row)
		}
	}
	return lines
}

// rows writes a table with its columns under each other and the last one as long as it is.
func rows(w io.Writer, indent string, table [][]string) {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range table {
		line := indent
		for i, cell := range row {
			line += cell
			if i < len(row)-1 {
				line += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
