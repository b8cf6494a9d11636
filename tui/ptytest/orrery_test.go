//go:build unix

package ptytest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	_ "orrery/cmd/app" // what is built: go test keeps a result until something changes that the test imports
	"orrery/tui/ptytest"
)

// orrery is the program, built once.
var orrery string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "orrery-pty-")
	if err == nil {
		orrery = filepath.Join(folder, "orrery")
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", orrery, "orrery/cmd/orrery")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, "building orrery:", err)
	}
	os.RemoveAll(folder)
	os.Exit(code)
}

// start runs the program with arguments on a terminal of 120x40, or of the given size.
func start(t *testing.T, o ptytest.Options, args ...string) *ptytest.Session {
	t.Helper()
	o.Command = append([]string{orrery}, args...)
	if o.Env == nil {
		o.Env = []string{"LANG=C.UTF-8", "COLORTERM=truecolor"}
	}
	return ptytest.Start(t, o)
}

var usual = ptytest.Options{Width: 120, Height: 40}

func demo(t *testing.T, args ...string) *ptytest.Session {
	t.Helper()
	s := start(t, usual, append([]string{"demo"}, args...)...)
	s.Await("the dashboard", dashboard)
	return s
}

// dashboard reports whether the screen shows the overview with data.
func dashboard(screen *ptytest.Screen) bool {
	return screen.AltScreen() && screen.Contains("orrery") && screen.Contains("2 Queue") && screen.Contains("nodes")
}

// titleOf returns the upper border of the first pane, below the health line and, in a story, its caption.
func titleOf(screen *ptytest.Screen) string {
	for y := range 5 {
		if line := screen.Line(y); strings.HasPrefix(line, "╭") || strings.HasPrefix(line, "+-") {
			return line
		}
	}
	return ""
}

// queue reports whether the queue pane is open.
func queue(screen *ptytest.Screen) bool {
	return strings.Contains(titleOf(screen), "2 Queue") && !screen.Contains("3 Snapshot")
}

// quit quits the program with q and checks that it restored the terminal.
func quit(t *testing.T, s *ptytest.Session) {
	t.Helper()
	s.Type("q")
	if code, _ := s.Exit(); code != 0 {
		t.Errorf("the exit code is %d, want 0; the screen is\n%s", code, s.Text())
	}
	s.CheckRestored()
}

// Who types the name alone wants to see what it is.
func TestOrrery_AloneOffersWhatToBeginWith(t *testing.T) {
	s := start(t, usual)
	s.AwaitOutput("orrery demo")
	s.Type("1")
	s.Await("the dashboard", dashboard)
	quit(t, s)
}

func TestOrrery_FirstPaintDoesNotWaitForTerminal(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    ptytest.Options
	}{
		{"on a terminal that answers", ptytest.Options{Width: 120, Height: 40}},
		{"on a mute terminal", ptytest.Options{Width: 120, Height: 40, Mute: true}},
		{"on a distant terminal", ptytest.Options{Width: 120, Height: 40, Wait: 200 * time.Millisecond}},
		{"on a terminal without a size", ptytest.Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.o, "demo")
			if tt.o.Width > 0 {
				s.Await("the dashboard", dashboard)
			} else {
				s.AwaitOutput("Queue")
				s.Resize(120, 40)
				s.Await("the dashboard", dashboard)
			}
			t.Logf("first paint after %v", s.FirstPaint())
			quit(t, s)
		})
	}
}

func TestOrrery_RestoresEveryTerminal(t *testing.T) {
	for _, name := range []string{"xterm", "xterm-256color", "screen-256color", "tmux-256color", "linux", "vt100", "xterm-kitty"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, ptytest.Options{Width: 80, Height: 24, Env: []string{"TERM=" + name, "LANG=C.UTF-8"}}, "demo")
			s.Await("the dashboard", dashboard)
			quit(t, s)
		})
	}
}

func TestOrrery_FollowsResize(t *testing.T) {
	s := demo(t)
	s.Type(" ")
	for _, size := range [][2]int{{200, 60}, {60, 16}, {80, 24}, {200, 20}, {61, 50}} {
		s.Resize(size[0], size[1])
		s.Await(fmt.Sprintf("the dashboard at %dx%d", size[0], size[1]), func(screen *ptytest.Screen) bool {
			return strings.HasPrefix(screen.Line(0), " orrery") && strings.Contains(screen.Line(size[1]-1), "help") &&
				utf8.RuneCountInString(screen.Line(size[1]-1)) == size[0]
		})
	}
	s.Resize(20, 5)
	s.AwaitText("60x16")
	s.Resize(1, 1)
	s.Resize(120, 40)
	s.Await("the dashboard", dashboard)
	quit(t, s)
}

func TestOrrery_RestoresTerminalOnEveryExit(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*ptytest.Session)
		code int
	}{
		{"by q", func(s *ptytest.Session) { s.Type("q") }, 0},
		{"by ctrl+c", func(s *ptytest.Session) { s.Type("\x03") }, 0},
		{"by q in another pane", func(s *ptytest.Session) { s.Type("3"); s.AwaitText("3 Snapshot"); s.Type("q") }, 0},
		{"by SIGINT", func(s *ptytest.Session) { s.Signal(syscall.SIGINT) }, 130},
		{"by SIGTERM", func(s *ptytest.Session) { s.Signal(syscall.SIGTERM) }, 143},
		{"by SIGHUP", func(s *ptytest.Session) { s.Signal(syscall.SIGHUP) }, 129},
		{"by SIGQUIT", func(s *ptytest.Session) { s.Signal(syscall.SIGQUIT) }, 131},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := demo(t, "--speed", "max")
			tt.end(s)
			code, took := s.Exit()
			if code != tt.code {
				t.Errorf("the exit code is %d, want %d", code, tt.code)
			}
			s.CheckRestored()
			if _, file, ok := strings.Cut(string(s.Output()), "goroutines are in "); ok {
				os.Remove(strings.TrimSpace(file))
			}
			t.Logf("exit after %v", took)
		})
	}
}

func TestOrrery_HangUpEndsProgram(t *testing.T) {
	s := demo(t)
	s.HangUp()
	if code, _ := s.Exit(); code != 129 {
		t.Errorf("the exit code is %d, want 129", code)
	}
}

func TestOrrery_SuspendsAndResumes(t *testing.T) {
	s := ptytest.Start(t, ptytest.Options{
		Command: []string{"sh", "-i"}, Env: []string{"PS1=prompt> ", "ENV=", "LANG=C.UTF-8"}, Width: 120, Height: 40,
	})
	s.AwaitText("prompt>")
	s.Type(orrery + " demo\r")
	s.Await("the dashboard", dashboard)
	s.Type("?") // once this is answered, so are all earlier queries of the program
	s.AwaitText("Help")
	s.Type("\x1b")
	s.Await("the dashboard", dashboard)
	s.Type("\x1a")
	s.Await("the shell", func(screen *ptytest.Screen) bool {
		return !screen.AltScreen() && screen.Contains("Stopped") && strings.HasSuffix(strings.TrimSpace(screen.Text()), "\nprompt>")
	})
	s.CheckRestored()
	s.Type("clear; fg; echo ended with $?\r")
	s.Await("the dashboard again", dashboard)
	s.Type("q")
	s.Await("the end", func(screen *ptytest.Screen) bool { return !screen.AltScreen() && screen.Contains("ended with 0") })
	s.CheckRestored()
}

func TestOrrery_WithoutJobControlDoesNotStop(t *testing.T) {
	s := demo(t)
	s.Type("\x1a")
	s.AwaitText("job control")
	s.Type("3")
	s.AwaitText("3 Snapshot")
	quit(t, s)
}

func TestOrrery_NotATerminalPrintsLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    ptytest.Options
	}{
		{"on a dumb terminal", ptytest.Options{Width: 80, Height: 24, Env: []string{"TERM=dumb"}}},
		{"on a terminal without a name", ptytest.Options{Width: 80, Height: 24, Env: []string{"TERM="}}},
		{"on a build machine", ptytest.Options{Width: 80, Height: 24, Env: []string{"CI=true"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, tt.o, "demo")
			if code, _ := s.Exit(); code != 0 {
				t.Errorf("the exit code is %d, want 0", code)
			}
			onlyLines(t, s.Output())
		})
	}
	t.Run("in a pipe", func(t *testing.T) {
		t.Parallel()
		cmd := exec.Command(orrery, "demo")
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "CI=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		onlyLines(t, out)
	})
	t.Run("with --screen it fails and says why", func(t *testing.T) {
		var stderr bytes.Buffer
		cmd := exec.Command(orrery, "demo", "--tui")
		cmd.Stderr = &stderr
		out, _ := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != 2 || len(out) > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "not a terminal") {
			t.Errorf("the exit code is %d, with the output %q and %q", code, out, stderr.String())
		}
	})
}

func onlyLines(t *testing.T, out []byte) {
	t.Helper()
	if n := bytes.Count(out, []byte{0x1b}); n > 0 {
		t.Errorf("%d escape sequences", n)
	}
	if lines := bytes.Count(out, []byte{'\n'}); lines < 10 {
		t.Errorf("only %d lines: %q", lines, out)
	}
}

func TestOrrery_ColorsAndGlyphsFollowTheTerminal(t *testing.T) {
	colors := func(s *ptytest.Session) (n int) {
		s.Await("a count", func(screen *ptytest.Screen) bool { n = screen.Colors(); return true })
		return n
	}
	for _, tt := range []struct {
		name    string
		env     []string
		args    []string
		colored bool
	}{
		{"with colours", []string{"LANG=C.UTF-8"}, nil, true},
		{"NO_COLOR", []string{"LANG=C.UTF-8", "COLORTERM=truecolor", "NO_COLOR=yes"}, nil, false},
		{"--color=never", []string{"LANG=C.UTF-8", "COLORTERM=truecolor"}, []string{"--color=never"}, false},
		{"--color=always overrides NO_COLOR", []string{"LANG=C.UTF-8", "NO_COLOR=1"}, []string{"--color=always"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, ptytest.Options{Width: 120, Height: 40, Env: tt.env}, append([]string{"demo", "--speed", "20"}, tt.args...)...)
			s.Await("the dashboard", dashboard)
			s.Type("t") // another theme
			s.Type("2")
			s.Await("the queue", queue)
			quit(t, s)
			if n := colors(s); n > 0 != tt.colored {
				t.Errorf("%d colour codes", n)
			}
		})
	}
	for _, tt := range []struct {
		name string
		env  []string
		args []string
	}{{"LANG=C is ASCII", []string{"LANG=C"}, nil}, {"--glyphs=ascii", []string{"LANG=C.UTF-8"}, []string{"--glyphs=ascii"}}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, ptytest.Options{Width: 120, Height: 40, Env: tt.env}, append([]string{"demo"}, tt.args...)...)
			s.Await("the dashboard", dashboard)
			for _, pane := range "2345678" {
				s.Type(string(pane))
				s.Await("pane "+string(pane), func(screen *ptytest.Screen) bool { return strings.Contains(titleOf(screen), string(pane)+" ") })
			}
			quit(t, s)
			if i := bytes.IndexFunc(s.Output(), func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
				t.Errorf("beyond ASCII is %q", s.Output()[i:min(i+40, len(s.Output()))])
			}
		})
	}
}

func TestOrrery_MouseIsOffByDefault(t *testing.T) {
	s := demo(t)
	s.Type("2")
	s.Await("the queue", queue)
	for _, code := range []string{"?1000", "?1002", "?1003"} {
		if bytes.Contains(s.Output(), []byte(code)) {
			t.Errorf("the output contains %s", code)
		}
	}
	s.Type("m")
	s.AwaitOutput("\x1b[?1002h")
	quit(t, s)
}

func TestOrrery_CopyIsSentAndShown(t *testing.T) {
	s := demo(t)
	s.Type("3")
	s.Await("the pane with a node selected", func(screen *ptytest.Screen) bool {
		return strings.HasPrefix(titleOf(screen), "╭─ 3 Snapshot") && strings.Contains(screen.Text(), "▌ ")
	})
	s.Type("y")
	s.AwaitText("copied ")
	s.AwaitOutput("\x1b]52;c;")
	quit(t, s)
}

func TestOrrery_IdleWritesNothing(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.Type(" ")
	s.Await("the pause", (*ptytest.Screen).Paused)
	const idle = 3 * time.Second
	before := s.AwaitQuiet(idle)
	if after := s.AwaitQuiet(idle); after != before {
		t.Errorf("a paused screen wrote %d bytes", after-before)
	}
	quit(t, s)
	t.Logf("processor time: %v", s.CPU())
}

// TestOrrery_FrameBytes measures the frames of the dashboard and of the orrery.
func TestOrrery_FrameBytes(t *testing.T) {
	for _, view := range []string{"overview", "orrery"} {
		t.Run(view, func(t *testing.T) { frameBytes(t, view) })
	}
}

func frameBytes(t *testing.T, view string) {
	const quiet = 100 * time.Millisecond
	s := start(t, usual, "demo", "zone-failure", "--at", "+0s", "--view", view)
	s.Await("the recording to play", func(screen *ptytest.Screen) bool { return screen.Position() >= "00:03" })
	played := s.Frames()
	slices.Sort(played)
	median := played[len(played)/2]
	t.Logf("%d frames of a recording at 120x40: median %d bytes, maximum %d", len(played), median, played[len(played)-1])
	if median > 600 {
		t.Errorf("the median frame has %d bytes, want at most 600", median)
	}
	s.Type(" ")
	s.Await("the pause", (*ptytest.Screen).Paused)
	s.Type(":goto 3s\r") // wherever it was paused, the same decisions are measured
	s.Await("the third second", func(screen *ptytest.Screen) bool { return screen.Position() == "00:03.000" })
	s.AwaitQuiet(5 * quiet)
	cost := func(keys string) int {
		before := s.AwaitQuiet(quiet)
		s.Type(keys)
		s.Await("a response", func(*ptytest.Screen) bool { return s.Written() > before })
		return s.AwaitQuiet(quiet) - before
	}
	steps := make([]int, 20)
	for i := range steps {
		steps[i] = cost("]")
	}
	slices.Sort(steps)
	middle, most := steps[len(steps)/2], steps[len(steps)-1]
	t.Logf("a frame with one decision: median %d bytes, maximum of %d %d", middle, len(steps), most)
	if middle > 600 || most > 4000 {
		t.Errorf("a frame with one decision has %d bytes in the median and %d at most, want at most 600 and 4000", middle, most)
	}
	if n := cost("."); n > 64 {
		t.Errorf("a change of the speed has %d bytes, want at most 64", n)
	} else {
		t.Logf("one number has %d bytes", n)
	}
	quit(t, s)
}

// TestOrrery_KeyLatencyUnderLoad counts the frames between a key and its response: a key that waited for the scheduler
// would see many of them on any machine.
func TestOrrery_KeyLatencyUnderLoad(t *testing.T) {
	for view, title := range map[string]string{"overview": "2 Queue", "orrery": "0 Orrery"} {
		t.Run(view, func(t *testing.T) { keyLatency(t, view, title) })
	}
}

func keyLatency(t *testing.T, view, title string) {
	const most = 15 // frames: half a second of them
	s := start(t, usual, "demo", "--speed", "max", "--loop", "--view", view)
	shown := func(screen *ptytest.Screen) bool { return screen.AltScreen() && screen.Contains(title) }
	s.Await("the pane", shown)
	var waited []int
	var latencies []time.Duration
	for range 20 {
		before, after, from := len(s.Output()), 0, time.Now()
		s.Type("?")
		s.Await("help", func(screen *ptytest.Screen) bool {
			after = s.Written()
			return strings.Contains(titleOf(screen), "Help")
		})
		latencies = append(latencies, time.Since(from))
		waited = append(waited, bytes.Count(s.Output()[before:after], []byte("\x1b[?2026h")))
		s.Type("\x1b") // not measured: a lone escape is recognized by a timeout
		s.Await("the pane", shown)
	}
	slices.Sort(waited)
	slices.Sort(latencies)
	t.Logf("key to screen: median %v and %d frames, slowest of %d %v", latencies[len(latencies)/2], waited[len(waited)/2], len(latencies), latencies[len(latencies)-1])
	if n := waited[len(waited)*9/10]; n > most {
		t.Errorf("a tenth of the keys wait for %d frames and more, want at most %d", n, most)
	}
	quit(t, s)
}

func TestOrrery_Tmux(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux")
	}
	socket := filepath.Join(t.TempDir(), "socket")
	in := func(args ...string) string {
		cmd := exec.Command(tmux, append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8", "TERM=xterm-256color"}
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	t.Cleanup(func() { in("kill-server") })
	// The outer terminal is a Session too: its screen shows what tmux draws.
	s := ptytest.Start(t, ptytest.Options{
		Command: []string{tmux, "-S", socket, "-f", "/dev/null", "new-session", orrery + " demo; echo ended with $?; cat"},
		Env:     []string{"LANG=C.UTF-8"}, Width: 120, Height: 41,
	})
	s.Await("the dashboard", dashboard)
	if screen := in("capture-pane", "-p"); !strings.Contains(screen, "2 Queue") || !strings.Contains(screen, "╭") {
		t.Errorf("the screen in tmux is\n%s", screen)
	}
	s.Type("q")
	s.AwaitText("ended with 0")
	if screen := in("capture-pane", "-p"); strings.TrimSpace(screen) != "ended with 0" {
		t.Errorf("after the program the screen in tmux is\n%s", screen)
	}
}
