// Package planted lays mistakes over the source for one build, so that a test can be seen to find them. The tree stays as it is.
//
//	Mistake ──► Overlay: the changed file and a list of it ──► go build -overlay, go test -overlay
package planted

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Mistake is a change of one place of a file.
type Mistake struct {
	Name string
	// File is the path below the root that Overlay is given.
	File string
	// From occurs once in the file, and To takes its place.
	From, To string
}

// Check returns what is not right about a list of mistakes: one without its place in the source, or with several, and two of one name.
func Check(root string, list []Mistake) error {
	var errs []error
	seen := map[string]bool{}
	for _, m := range list {
		if _, _, err := m.source(root); err != nil {
			errs = append(errs, err)
		}
		if seen[m.Name] {
			errs = append(errs, fmt.Errorf("two mistakes are called %q", m.Name))
		}
		seen[m.Name] = true
	}
	return errors.Join(errs...)
}

// source returns the path of the file and its text, in which the mistake has its place.
func (m Mistake) source(root string) (file, text string, err error) {
	file, err = filepath.Abs(filepath.Join(root, m.File))
	if err != nil {
		return "", "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	text = string(data)
	if n := strings.Count(text, m.From); n != 1 {
		return "", "", fmt.Errorf("planting %q: %s has this place %d times, not once: %s", m.Name, m.File, n, m.From)
	}
	if m.To == m.From {
		return "", "", fmt.Errorf("planting %q: it changes nothing", m.Name)
	}
	return file, text, nil
}

// Overlay writes the changed file into a directory, and returns the path of the list that go build -overlay takes.
func (m Mistake) Overlay(root, dir string) (list string, err error) {
	file, text, err := m.source(root)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "changed.go")
	if list, err = filepath.Abs(filepath.Join(dir, "overlay.json")); err != nil {
		return "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	for name, content := range map[string]string{changed: strings.Replace(text, m.From, m.To, 1), list: string(replace)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return "", fmt.Errorf("planting %q: %w", m.Name, err)
		}
	}
	return list, nil
}
