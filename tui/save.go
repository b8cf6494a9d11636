package tui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/files"
	"orrery/views/draw"
)

// commandSave saves the screen under a name, or what is held of an attached scheduler's stream as a trace.
func (s *Screen) commandSave(rest string) tea.Cmd {
	if strings.HasSuffix(rest, ".orrery") {
		name := filepath.Join(s.options.Folder, rest)
		if filepath.IsAbs(rest) {
			name = rest
		}
		s.setStatus("saving " + name + " …")
		s.submit(func(p *loop) { p.saveTrace(name) })
		return nil
	}
	if strings.HasSuffix(rest, ".md") {
		return s.commandReport(rest)
	}
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
	folder, ending := s.options.Folder, ".txt"
	if picture {
		ending = ".svg"
	}
	return func() tea.Msg {
		path, err := saveNew(folder, name, ending, content)
		if err != nil {
			return failedMsg{err}
		}
		return sayMsg{text: "saved " + path}
	}
}

// saveTrace writes a trace off the loop's goroutine.
func (p *loop) saveTrace(name string) {
	attached, ok := p.source.(*Attached)
	if !ok {
		p.reportError(errors.New(":save: only of an attached scheduler is there a trace to save"))
		return
	}
	write, err := attached.SaveTrace()
	if err != nil {
		p.reportError(err)
		return
	}
	p.spawn(func() {
		if err := writeNew(name, write); err != nil {
			p.reportError(err)
			return
		}
		p.send(sayMsg{text: "saved " + name})
	})
}

// writeNew writes a new file, which appears complete or not at all.
func writeNew(name string, write func(io.Writer) error) error {
	f, err := files.Create(name, false)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
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
//
//orrery:limit screen; names that are tried for a picture; an error
const maxSaved = 9999

// saveNew writes a new file and replaces none; one without a name gets one with the ending. A device or a pipe is written to as it is.
func saveNew(folder, name, ending, content string) (string, error) {
	if name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		err := create(name, content)
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w: give it another name", err)
		}
		return name, err
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
	f, err := files.Create(path, false)
	if err != nil {
		return err
	}
	return f.WriteAll([]byte(content))
}
