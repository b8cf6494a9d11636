//go:build unix

package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/race"
	"orrery/demo/playback"
	"orrery/tui/ptytest"
	"orrery/tui/term"
	"orrery/views"
)

// The subject is the program on a terminal: this test binary, run again with an argument that names the source.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "subject" {
		os.Exit(subject(os.Args[2]))
	}
	os.Exit(m.Run())
}

func subject(what string) int {
	facts, err := term.Detect(os.Environ(), os.Stdin, os.Stdout, term.Preferences{})
	if err != nil || facts.Refusal != "" {
		fmt.Println("no screen:", facts.Refusal, err)
		return 2
	}
	o := playback.Options{Name: "minute.orrery"}
	if what == "max speed" {
		o.Speed, o.Loop = math.Inf(1), true
	}
	d, err := OpenRecording(bytes.NewReader(minute()), o, nil)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	if what != "paused" {
		d.Play()
	}
	var source Source = d
	if what == "panic" {
		source = &panickingSource{Recording: d}
	}
	view := views.Overview
	if id, is := strings.CutPrefix(what, "broken pane "); is {
		view = views.PaneID(id)
		pane := views.PaneOf(view)
		*pane = views.Pane{ID: view, Title: pane.Title} // without a body to draw
	}
	fps := 0
	if what == "10 fps" {
		fps = 10
	}
	err = Run(context.Background(), Options{Source: source, Terminal: facts, FPS: fps, View: view})
	var ended *term.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// panickingSource is a source whose engine panics after a second.
type panickingSource struct {
	*Recording
	played time.Duration
}

func (b *panickingSource) Advance(elapsed time.Duration) bool {
	if b.played += elapsed; b.played > 200*time.Millisecond {
		panic("the core has reached an impossible state")
	}
	return b.Recording.Advance(elapsed)
}

func (b *panickingSource) Engine() *engine.Engine { return b.Recording.Engine() }

func runOnTerminal(t testing.TB, what string) *ptytest.Session {
	t.Helper()
	return ptytest.Start(t, ptytest.Options{Command: []string{os.Args[0], "subject", what}, Width: 120, Height: 40, Dir: t.TempDir()})
}

func checkPanicked(t *testing.T, what, message string) {
	t.Helper()
	s := runOnTerminal(t, what)
	code, _ := s.Exit()
	if code != term.ExitPanic {
		t.Errorf("the exit code is %d, want %d", code, term.ExitPanic)
	}
	s.CheckRestored()
	if !bytes.Contains(s.Output(), []byte(message)) {
		t.Errorf("the panic is not reported: %q is missing in\n%s", message, s.Text())
	}
}

func TestRun_PanicRestoresTerminal(t *testing.T) { checkPanicked(t, "panic", "an impossible state") }

func TestRun_PanicOfPaneRestoresTerminal(t *testing.T) {
	panes := views.Panes()
	for _, p := range panes[:race.Few(len(panes), 4)] {
		t.Run(string(p.ID), func(t *testing.T) {
			t.Parallel()
			checkPanicked(t, "broken pane "+string(p.ID), "views.(*Pane)")
		})
	}
}

// processor returns a process's processor time, which Linux counts in hundredths of a second.
func processor(t testing.TB, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("no processor times here: ", err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	const user, system = 11, 12
	sum := 0
	for _, at := range []int{user, system} {
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			t.Fatalf("reading %q: %v", stat, err)
		}
		sum += n
	}
	return time.Duration(sum) * 10 * time.Millisecond
}

// BenchmarkRun_Idle measures what a paused screen takes of a processor, mostly for Bubble Tea's ticks. A loaded machine charges more for
// the same work.
func BenchmarkRun_Idle(b *testing.B) {
	s := runOnTerminal(b, "paused")
	s.AwaitText("2 Queue")
	s.AwaitQuiet(time.Second) // the survey completes
	const span = 5 * time.Second
	var used time.Duration
	for b.Loop() {
		before := processor(b, s.Pid())
		s.AwaitQuiet(span)
		used += processor(b, s.Pid()) - before
	}
	b.ReportMetric(100*used.Seconds()/(span.Seconds()*float64(b.N)), "%/core")
	s.Type("q")
	s.Exit()
}

// TestRun_SlowLineSuffices plays at ten frames a second, as over a slow ssh.
func TestRun_SlowLineSuffices(t *testing.T) {
	t.Parallel()
	s := runOnTerminal(t, "10 fps")
	s.Await("two seconds of the recording", func(screen *ptytest.Screen) bool { return screen.Position() >= "00:02" })
	begin, from := len(s.Output()), time.Now()
	// After a stall of the test the recording may be past six seconds already: the rate is that of four seconds at least.
	s.Await("four seconds more", func(screen *ptytest.Screen) bool {
		return screen.Position() >= "00:06" && time.Since(from) >= 4*time.Second
	})
	rate := float64(len(s.Output())-begin) / time.Since(from).Seconds() / 1000
	t.Logf("ten frames a second are %.1f kB/s", rate)
	if rate > 10 {
		t.Errorf("ten frames a second are %.1f kB/s, want at most 10", rate)
	}
	s.Type("q")
	s.Exit()
}

func TestOptions_FPSBounds(t *testing.T) {
	for _, tt := range []struct {
		asked, want int
		fails       bool
	}{{0, 30, false}, {1, 1, false}, {60, 60, false}, {61, 0, true}, {-1, 0, true}} {
		o, err := Options{Source: staticSource{}, FPS: tt.asked}.withDefaults()
		if (err != nil) != tt.fails || !tt.fails && o.FPS != tt.want {
			t.Errorf("FPS %d becomes %d, %v", tt.asked, o.FPS, err)
		}
	}
	if p := newLoop(manyPods(t, 0), 30, func() time.Duration { return 0 }, nil); p.interval != time.Second/30 {
		t.Errorf("at 30 frames a second the interval is %v", p.interval)
	}
}

// BenchmarkKeyToPaint presses keys while the scheduler runs at full speed, and measures until the response is on the
// terminal. The program writes sixty times a second, and a key may come at any time in between: so do these keys,
// instead of always just after the last response.
func BenchmarkKeyToPaint(b *testing.B) {
	s := runOnTerminal(b, "max speed")
	s.AwaitText("2 Queue")
	panes := []struct{ key, title string }{
		{"3", "3 Snapshot"}, {"4", "4 Zones"}, {"7", "7 Decisions"}, {"9", "9 Metrics"}, {"?", "? Help"}, {"5", "5 Evictions"}, {"6", "6 Leader"},
	}
	var used []time.Duration
	chance := rand.New(rand.NewPCG(1, 2))
	for i := 0; b.Loop(); i++ {
		<-time.After(time.Duration(chance.Int64N(int64(2 * time.Second / maxFPS))))
		pane := panes[i%len(panes)]
		from := time.Now()
		s.Type(pane.key)
		s.Await(pane.title+" to be open", func(screen *ptytest.Screen) bool { return strings.Contains(screen.Text(), "\n╭─ "+pane.title) })
		used = append(used, time.Since(from))
	}
	slices.Sort(used)
	b.ReportMetric(float64(used[len(used)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(used[len(used)*99/100].Microseconds())/1000, "ms-p99")
	s.Type("q")
	s.Exit()
}
