package app

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"orrery/core/answers/answer"
	"orrery/core/objects/saturating"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// podRef names a pod in a JSON document.
type podRef = answer.Ref

func refOf(r world.PodRef) podRef {
	return podRef{Namespace: r.Namespace, Name: r.Name, UID: string(r.UID)}
}

// moment is a time in a JSON document.
type moment string

func momentOf(t time.Time) moment { return moment(t.UTC().Format(time.RFC3339Nano)) }

// countText formats a count: "1,200 pods".
func countText[N int | int64 | uint64](n N, of string) string {
	return humanize.Comma(int64(n)) + " " + plural.Of(n, of)
}

// durationOf converts the seconds of a JSON document, at most 292 years.
func durationOf(seconds float64) time.Duration {
	return time.Duration(saturating.Truncate(seconds * float64(time.Second)))
}

// durationText formats a duration: 12s, 3m20s, 2h5m.
func durationText(d time.Duration) string {
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

// timeText formats a time to the millisecond, or as exactly as it is: given back to --at it is the same moment.
func timeText(t time.Time) string {
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		return string(momentOf(t))
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// offsetText formats a duration since the start of a trace, as --at takes it and as exactly. What is older is at the start.
func offsetText(d time.Duration) string { return "+" + max(d, 0).String() }

// wrapText breaks a text into lines; its own line breaks stay.
func wrapText(text string, width int) []string {
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

// section writes a table below a title, if there is one.
func section(w io.Writer, title string, table [][]string) {
	if len(table) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
		writeTable(w, "  ", table)
	}
}

// writeTable writes a table with aligned columns.
func writeTable(w io.Writer, indent string, table [][]string) {
	for _, line := range aligned(indent, table) {
		fmt.Fprintln(w, line)
	}
}

// aligned are the lines of a table with aligned columns; the last one is not padded. It makes the cells printable.
func aligned(indent string, table [][]string) []string {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			row[i] = printable.Text(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	lines := make([]string, 0, len(table))
	for _, row := range table {
		line := indent
		for i, cell := range row {
			line += cell
			if i < len(row)-1 {
				line += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
