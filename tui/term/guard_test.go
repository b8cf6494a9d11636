//go:build unix

package term_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"orrery/tui/ptytest"
)

func run(t *testing.T, fault string, o ptytest.Options) *ptytest.Session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Command = []string{self, "subject", fault}
	return ptytest.Start(t, o)
}

// shown is the text that the subject shows once it has painted and has an answer from the terminal.
func shown(t *testing.T, fault string) *ptytest.Session {
	t.Helper()
	s := run(t, fault, ptytest.Options{Width: 80, Height: 24})
	s.AwaitText("subject 80x24")
	s.AwaitText("dark: true")
	return s
}

func TestGuard_RestoresTerminalOnEveryExit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fault   string
		end     func(*ptytest.Session)
		code    int
		message string
	}{
		{"by q", "", func(s *ptytest.Session) { s.Type("q") }, 0, ""},
		{"by SIGINT", "", func(s *ptytest.Session) { s.Signal(syscall.SIGINT) }, 130, "interrupt"},
		{"by SIGTERM", "", func(s *ptytest.Session) { s.Signal(syscall.SIGTERM) }, 143, "terminated"},
		{"by SIGHUP with a terminal", "", func(s *ptytest.Session) { s.Signal(syscall.SIGHUP) }, 129, "the terminal went away"},
		{"by SIGQUIT, with all stacks in a file", "", func(s *ptytest.Session) { s.Signal(syscall.SIGQUIT) }, 131, "stacks of all goroutines are in"},
		{"by a panic in Update", "update", func(s *ptytest.Session) { s.Type("!") }, 70, "the update broke"},
		{"by a panic in View", "view", func(s *ptytest.Session) { s.Type("!") }, 70, "the view broke"},
		{"by a panic in a command", "cmd", func(s *ptytest.Session) { s.Type("!") }, 70, `the command broke \u001b]0;owned\u0007`},
		{"by a panic in a goroutine of its own", "goroutine", func(s *ptytest.Session) { s.Type("!") }, 70, "the goroutine broke"},
		{"by SIGTERM while it hangs", "hang", func(s *ptytest.Session) { s.Type("!"); s.Signal(syscall.SIGTERM) }, 143, "terminated"},
		{"by SIGQUIT while it hangs", "hang", func(s *ptytest.Session) { s.Type("!"); s.Signal(syscall.SIGQUIT) }, 131, "stacks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, tt.fault)
			tt.end(s)
			code, took := s.Exit()
			if code != tt.code {
				t.Errorf("the exit code is %d, want %d", code, tt.code)
			}
			s.CheckRestored()
			out := s.Output()
			_, after, _ := strings.Cut(string(out), "\x1b[?1049l")
			if !strings.Contains(after, tt.message) || strings.Contains(s.Text(), "subject 80x24") {
				t.Errorf("the main screen is\n%s\nwant %q and nothing of the program's screen", s.Text(), tt.message)
			}
			if stacks, _ := filepath.Glob(filepath.Join(os.TempDir(), "orrery-stacks-*.txt")); tt.message == "stacks" {
				for _, f := range stacks {
					os.Remove(f)
				}
			}
			t.Logf("exit after %v", took)
		})
	}
}

func TestGuard_HangUpEndsProgram(t *testing.T) {
	t.Run("with the signal", func(t *testing.T) {
		s := shown(t, "")
		s.HangUp()
		if code, _ := s.Exit(); code != 129 {
			t.Errorf("the exit code is %d, want 129", code)
		}
	})
	t.Run("under nohup", func(t *testing.T) {
		self, _ := os.Executable()
		s := ptytest.Start(t, ptytest.Options{Command: []string{"sh", "-c", `trap "" HUP; exec "$0" subject ""`, self}, Width: 80, Height: 24})
		s.AwaitText("dark: true")
		s.HangUp()
		if code, _ := s.Exit(); code != 129 {
			t.Errorf("the exit code is %d, want 129", code)
		}
	})
}

// shell is an interactive shell with job control that runs the subject.
func shell(t *testing.T) *ptytest.Session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := ptytest.Start(t, ptytest.Options{
		Command: []string{"sh", "-i"}, Env: []string{"PS1=prompt> ", "ENV=", "SUBJECT=" + self}, Width: 80, Height: 24,
	})
	s.AwaitText("prompt>")
	s.Type("$SUBJECT subject x\r")
	s.AwaitText("dark: true")
	return s
}

// prompted reports whether the shell waits for a command, on the main screen, after a given text.
func prompted(screen *ptytest.Screen, after string) bool {
	text := strings.TrimSpace(screen.Text())
	return !screen.AltScreen() && strings.Contains(text, after) && text[strings.LastIndexByte(text, '\n')+1:] == "prompt>"
}

func TestGuard_SuspendAndResume(t *testing.T) {
	for _, tt := range []struct {
		name string
		stop func(*ptytest.Session)
	}{
		{"by ctrl+z", func(s *ptytest.Session) { s.Type("\x1a") }},
		{"by SIGTSTP from outside", func(s *ptytest.Session) { s.SignalForeground(syscall.SIGTSTP) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shell(t)
			for _, keys := range []string{"keys a", "keys aa"} {
				s.Type("a")
				s.AwaitText(keys)
				tt.stop(s)
				s.Await("the shell to have the terminal", func(screen *ptytest.Screen) bool { return prompted(screen, "Stopped") })
				s.Type("stty -a | grep -q ' echo ' && echo what is typed can be ''seen\r")
				s.Await("an answer of the shell", func(screen *ptytest.Screen) bool { return prompted(screen, "what is typed can be seen") })
				s.CheckRestored()
				s.Type("clear; fg; echo ended with $?\r")
				s.Await("the program to be back", func(screen *ptytest.Screen) bool {
					return screen.AltScreen() && screen.Contains("resumed") && screen.Contains("line 23")
				})
			}
			s.Type("q")
			s.AwaitText("ended with 0")
			s.CheckRestored()
		})
	}
	t.Run("by SIGSTOP, which cannot be caught", func(t *testing.T) {
		t.Parallel()
		s := shell(t)
		s.SignalForeground(syscall.SIGSTOP)
		s.Await("the shell's prompt", func(screen *ptytest.Screen) bool { return screen.Contains("prompt>") && screen.Contains("Stopped") })
		s.Type("clear; fg; echo ended with $?\n") // the line discipline is still the program's: a return does not end a line
		s.Await("the program to be back", func(screen *ptytest.Screen) bool {
			return screen.AltScreen() && screen.Contains("line 23") && !screen.Contains("Stopped")
		})
		s.Type("z")
		s.AwaitText("keys z")
		s.Type("q")
		s.Await("the end", func(screen *ptytest.Screen) bool { return !screen.AltScreen() && screen.Contains("ended with 0") })
		s.CheckRestored()
	})
}

func TestGuard_WithoutJobControlDoesNotStop(t *testing.T) {
	s := shown(t, "")
	s.Type("\x1a")
	s.AwaitText("no job control")
	s.Signal(syscall.SIGTSTP)
	s.Type("x")
	s.AwaitText("keys x")
	s.Type("q")
	if code, _ := s.Exit(); code != 0 {
		t.Errorf("the exit code is %d, want 0", code)
	}
	s.CheckRestored()
}

func TestGuard_UnknownSizeIsDrawn(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  []string
		want string
	}{
		{"unknown", nil, "subject 80x24"},
		{"from the environment", []string{"COLUMNS=100", "LINES=30"}, "subject 100x30"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := run(t, "", ptytest.Options{Env: tt.env})
			s.AwaitOutput(tt.want)
			s.Resize(40, 10)
			s.AwaitText("subject 40x10")
			s.Type("q")
			s.Exit()
			s.CheckRestored()
		})
	}
}

func TestGuard_WaitsForAnswersOnExit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		wait    time.Duration
		mute    bool
		unknown string
	}{
		{"immediate answers", 0, false, ""},
		{"late answers", 30 * time.Millisecond, false, ""},
		{"answers from far away", 250 * time.Millisecond, false, ""},
		{"an unknown query", 100 * time.Millisecond, false, "?u"},
		{"no answers", 0, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			self, _ := os.Executable()
			fault := "patient"
			if tt.mute {
				fault = "x"
			}
			s := ptytest.Start(t, ptytest.Options{
				Command: []string{"sh", "-c", `$SUBJECT subject ` + fault + `; stty raw -echo min 0 time 5; od -c`}, Env: []string{"SUBJECT=" + self},
				Width: 80, Height: 24, Wait: tt.wait, Mute: tt.mute, Unknown: tt.unknown,
			})
			s.Await("the first paint", func(screen *ptytest.Screen) bool { return screen.Contains("subject") })
			s.Type("q")
			s.Exit()
			if text := s.Text(); strings.TrimSpace(text) != "0000000" {
				t.Errorf("the next program reads\n%s", text)
			}
			t.Logf("first paint after %v", s.FirstPaint())
		})
	}
}

func TestGuard_NoColor(t *testing.T) {
	s := run(t, "", ptytest.Options{Width: 80, Height: 24, Env: []string{"NO_COLOR=yes", "COLORTERM=truecolor"}})
	s.AwaitText("red bold")
	s.Type("q")
	s.Exit()
	s.Await("no colour", func(screen *ptytest.Screen) bool { return screen.Colors() == 0 })
}

func TestGuard_OldTerminalsGetNoQueries(t *testing.T) {
	s := run(t, "", ptytest.Options{Width: 80, Height: 24, Env: []string{"TERM=vt100"}})
	s.AwaitText("subject 80x24")
	s.Type("q")
	s.Exit()
	if out := s.Output(); strings.Contains(string(out), "$p") || strings.Contains(string(out), "]11;?") {
		t.Errorf("the terminal is queried: %q", out)
	}
}

func TestCopy_ReachesTerminal(t *testing.T) {
	s := shown(t, "")
	s.Type("y")
	s.AwaitOutput("\x1b]52;c;a3ViZWN0bCBnZXQgcG9kcw==\a")
	s.Type("q")
	s.Exit()
}
