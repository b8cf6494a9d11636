// Package planted lays mistakes over the source for one build, so that a test can be seen to find them. The tree stays as it is.
//
//	Mistake ──► Overlay: the changed file and a list of it ──► go build -overlay, go test -overlay
package planted

import (
	"encoding/json"
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

// Overlay writes the changed file into a directory, and returns the path of the list that go build -overlay takes.
func (m Mistake) Overlay(root, dir string) (list string, err error) {
	file, err := filepath.Abs(filepath.Join(root, m.File))
	if err != nil {
		return "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	right, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	if n := strings.Count(string(right), m.From); n != 1 {
		return "", fmt.Errorf("planting %q: %s has this place %d times, not once: %s", m.Name, m.File, n, m.From)
	}
	wrong := filepath.Join(dir, "wrong.go")
	if list, err = filepath.Abs(filepath.Join(dir, "overlay.json")); err != nil {
		return "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {file: wrong}})
	if err != nil {
		return "", fmt.Errorf("planting %q: %w", m.Name, err)
	}
	for name, content := range map[string]string{wrong: strings.Replace(string(right), m.From, m.To, 1), list: string(text)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return "", fmt.Errorf("planting %q: %w", m.Name, err)
		}
	}
	return list, nil
}
