package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/views/draw"
)

// commandSave saves the screen under a name.
func (s *Screen) commandSave(rest string) tea.Cmd {
	return s.save(rest, strings.HasSuffix(rest, ".svg"))
}

// save writes the screen to a new file. Without a name it makes one up.
func (s *Screen) save(name string, picture bool) tea.Cmd {
	s.draw()
	var content string
	if picture {
		content = s.canvas.SVG(s.theme)
	} else {
		content = plainText(s.canvas)
		if p := s.top().page; p != nil {
			content = strings.Join(p.lines, "\n") + "\n"
		}
	}
	folder := s.options.Folder
	return func() tea.Msg {
		path, err := saveNew(folder, name, picture, content)
		if err != nil {
			return sayMsg{text: err.Error()}
		}
		return sayMsg{text: "saved " + path}
	}
}

// plainText returns a canvas as text, without trailing blanks.
func plainText(c *draw.Canvas) string {
	lines := strings.Split(c.Plain(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// maxSaved is how many made-up names are tried.
const maxSaved = 9999

// saveNew writes a new file and never overwrites one.
func saveNew(folder, name string, picture bool, content string) (string, error) {
	if name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		return name, create(name, content)
	}
	ending := ".txt"
	if picture {
		ending = ".svg"
	}
	for n := 1; n <= maxSaved; n++ {
		path := filepath.Join(folder, fmt.Sprintf("orrery-%d%s", n, ending))
		if err := create(path, content); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
	return "", fmt.Errorf("saving the screen: %q has %d of them already", folder, maxSaved)
}

func create(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("saving the screen: %w", err)
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("saving the screen: %w", err)
	}
	return nil
}
