package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// area is a part of the scheduler, with its rows.
type area struct {
	title string
	rows  []row
}

type row struct {
	name, holds string
	reason      string // why it is not ours; empty if tests show it
	reworded    string // what was asked for instead, and why the row says something else; empty if it says the same
}

const rewordedPrefix = "reworded: "

// readRows reads the areas of a folder. A file has a title, and rows "NAME | what holds", "NAME | what holds | why it is not ours" or
// "NAME | what holds | reworded: what was asked for, and why it is something else".
func readRows(folder string) ([]area, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	var areas []area
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		a, err := parseArea(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		areas = append(areas, a)
	}
	return areas, nil
}

func parseArea(text string) (area, error) {
	title, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	a := area{title: title}
	for line := range strings.Lines(rest) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		switch len(cells) {
		case 1:
			if cells[0] != "" {
				return a, fmt.Errorf("line %q: want NAME | what holds | why it is not ours", cells[0])
			}
		case 2:
			a.rows = append(a.rows, row{name: cells[0], holds: cells[1]})
		case 3:
			r := row{name: cells[0], holds: cells[1]}
			if text, is := strings.CutPrefix(cells[2], rewordedPrefix); is {
				r.reworded = text
			} else {
				r.reason = cells[2]
			}
			a.rows = append(a.rows, r)
		default:
			return a, fmt.Errorf("row %s has %d cells, want two or three", cells[0], len(cells))
		}
	}
	return a, nil
}

// check reports rows that nothing shows or explains, and marks without a row.
func check(areas []area, marks map[string][]string) error {
	known := map[string]bool{}
	var errs []error
	for _, a := range areas {
		for _, r := range a.rows {
			if known[r.name] {
				errs = append(errs, fmt.Errorf("there are two rows %s", r.name))
			}
			known[r.name] = true
			if shown := len(marks[r.name]) > 0; shown == (r.reason != "") {
				errs = append(errs, fmt.Errorf("row %s needs a test that shows it, or else a reason why it is not ours", r.name))
			}
		}
	}
	for name, tests := range marks {
		if !known[name] {
			errs = append(errs, fmt.Errorf("%s shows %s, which is no row", strings.Join(tests, " and "), name))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

func (a *area) write(out *bytes.Buffer, marks map[string][]string) {
	fmt.Fprintf(out, "\n## %s\n\n| Row | What holds | Shown by |\n|---|---|---|\n", a.title)
	for _, r := range a.rows {
		shown := r.reason
		if shown == "" {
			shown = strings.Join(marks[r.name], "<br>")
		} else {
			shown = "*" + shown + "*"
		}
		holds := r.holds
		if r.reworded != "" {
			holds += "<br>*Asked for: " + r.reworded + "*"
		}
		io.WriteString(out, "| "+r.name+" | "+holds+" | "+shown+" |\n")
	}
}
