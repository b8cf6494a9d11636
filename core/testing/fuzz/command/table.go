package main

import (
	"fmt"
	"os"
	"strings"

	"orrery/core/testing/fuzz"
)

// The list of targets stands between two lines of the document.
const (
	tableBegin = "<!-- the targets, written by make docs -->\n"
	tableEnd   = "<!-- end of the targets -->\n"
)

// writeTable writes the list of targets into a document anew.
func writeTable(document string, targets []fuzz.Target) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text, err := withTable(string(old), targets)
	if err != nil {
		return fmt.Errorf("writing the targets into %q: %w", document, err)
	}
	return os.WriteFile(document, []byte(text), 0o644)
}

func withTable(document string, targets []fuzz.Target) (string, error) {
	before, rest, begins := strings.Cut(document, tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		return "", fmt.Errorf("it must have the lines %q and %q", tableBegin, tableEnd)
	}
	table := "| what comes in | target | read by |\n|---|---|---|\n"
	for _, t := range targets {
		table += fmt.Sprintf("| %s | %s %s | %s |\n", t.Reads, t.Package, t.Name, strings.Join(t.Of, ", "))
	}
	return before + tableBegin + table + tableEnd + after, nil
}
