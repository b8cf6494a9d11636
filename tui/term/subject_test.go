//go:build unix

package term_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"orrery/tui/term"
)

// The subject is a small program on a terminal: this test binary, run again with an argument that names its failure.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "subject" {
		os.Exit(subject(os.Args[2]))
	}
	os.Exit(m.Run())
}

func subject(fault string) int {
	facts, err := term.Detect(os.Environ(), os.Stdin, os.Stdout, term.Preferences{})
	if err != nil || facts.Refusal != "" {
		fmt.Println("no screen:", facts.Refusal, err)
		return 2
	}
	if fault == "patient" {
		term.AwaitAnswers()
	}
	guard := term.NewGuard(facts)
	model := &screen{guard: guard, facts: facts, fault: fault}
	err = guard.Run(context.Background(), tea.NewProgram(guard.Model(model), guard.Options(nil)...))
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "subject: %q\n", err)
	var ended *term.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return 1
}

// screen shows its size, the pressed keys and the terminal's facts.
type screen struct {
	guard         *term.Guard
	facts         term.Facts
	fault         string
	width, height int
	keys          string
	notes         []string
}

func (s *screen) Init() tea.Cmd { return s.facts.QueryBackground() }

func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		s.notes = append(s.notes, fmt.Sprintf("dark: %v", msg.IsDark()))
	case term.NoJobControl:
		s.notes = append(s.notes, "no job control")
	case term.Ran:
		s.notes = append(s.notes, fmt.Sprintf("ran: %v", msg.Err))
	case tea.ResumeMsg:
		s.notes = append(s.notes, "resumed")
	case tea.KeyPressMsg:
		return s, s.press(msg.String())
	}
	return s, nil
}

func (s *screen) press(key string) tea.Cmd {
	switch key {
	case "q":
		return tea.Quit
	case "ctrl+z":
		return term.Suspend
	case "y":
		cmd, _ := s.facts.Copy("kubectl get pods")
		return cmd
	case "r", "R", "k":
		run := term.Run{Args: []string{"sh", "-c", "echo it has the terminal; read line; echo it read $line; exit 3"}, Heading: "$ heading \x1b[31m", Wait: key == "R"}
		if key == "k" {
			run.Args = []string{"no-such-program"}
		}
		return func() tea.Msg { return run }
	case "!":
		return s.fail()
	}
	s.keys += key
	return nil
}

// fail fails in the given way.
func (s *screen) fail() tea.Cmd {
	switch s.fault {
	case "update":
		panic("the update broke")
	case "view":
		s.keys = "view"
	case "cmd":
		return func() tea.Msg { panic("the command broke \x1b]0;owned\a") }
	case "goroutine":
		s.guard.Go(func() { panic("the goroutine broke") })
	case "hang":
		select {}
	}
	return nil
}

func (s *screen) View() tea.View {
	if s.keys == "view" {
		panic("the view broke")
	}
	lines := []string{
		fmt.Sprintf("subject %dx%d", s.width, s.height),
		"keys " + s.keys,
		"notes " + strings.Join(s.notes, ", "),
		"\x1b[38;2;255;0;0mred\x1b[m \x1b[1mbold\x1b[m",
	}
	for len(lines) < s.height {
		lines = append(lines, fmt.Sprintf("line %d", len(lines)))
	}
	v := tea.NewView(strings.Join(lines[:max(min(len(lines), s.height), 0)], "\n"))
	v.AltScreen, v.MouseMode, v.ReportFocus = true, tea.MouseModeCellMotion, true
	return v
}
