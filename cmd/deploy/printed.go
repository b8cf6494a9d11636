package main

import (
	"strings"

	"orrery/cmd/app"
)

// choice is what a user chooses by flags of "orrery manifests" that change more than a word.
type choice struct{ replaceDefault, monitoring bool }

// print returns the documents that "orrery manifests" prints for a choice.
func (c choice) print(flags ...string) ([]string, error) {
	if c.replaceDefault {
		flags = append(flags, "--replace-default")
	}
	if c.monitoring {
		flags = append(flags, "--monitoring")
	}
	text, err := app.Manifests(flags...)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n---\n"), err
}
