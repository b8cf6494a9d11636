package tui

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/scheduler/engine"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/views"
)

func TestNavigation_DrillsDown(t *testing.T) {
	s := atUnschedulable(t).keys("2").shows("2 Queue", "unschedulable")
	pod := strings.Fields(s.selected())[3]
	s.keys("enter").shows("Journey", pod, "attempt")
	s.keys("e").shows("Explain", pod, "reasons", "Insufficient cpu", "filter results by node")
	s.keys("G", "enter").shows("Node", "cpu", "memory", "default/web-")
	s.keys("enter").shows("Journey")
	s.keys("esc").shows("Node").keys("esc").shows("Explain").keys("esc").shows("Journey").keys("esc").shows("2 Queue")
	if got := strings.Fields(s.selected())[3]; got != pod {
		t.Errorf("after coming back %s is selected, want %s", got, pod)
	}
}

func TestCursor_FollowsItsRow(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "7", "down", "down", "down")
	row := s.screen.keyAt(s.screen.top().cursor.Selected)
	s.keys("r")
	if got := s.screen.keyAt(s.screen.top().cursor.Selected); got != row {
		t.Errorf("with the sort reversed the cursor is on %s, want %s", got, row)
	}
	s.keys("r", "[", "[", "[")
	if got := s.screen.keyAt(s.screen.top().cursor.Selected); got != row {
		t.Errorf("three decisions earlier the cursor is on %s, want %s", got, row)
	}
	s.keys("g", "]", "]")
	if got := s.screen.top().cursor.Selected; got != 0 {
		t.Errorf("a cursor at the top moved to row %d when rows were added above it", got)
	}
}

func TestFilter_NarrowsList(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "7")
	all := s.screen.total()
	s.keys("/").typeText("web-1")
	some := s.screen.total()
	if some == 0 || some >= all {
		t.Fatalf("the filter matches %d of %d", some, all)
	}
	s.shows("/web-1", " of ")
	s.typeText("[").shows("✗").shows("web-1")
	if got := s.screen.total(); got != some {
		t.Errorf("an incomplete regular expression matches %d rows, want the previous %d", got, some)
	}
	s.keys("backspace", "enter").shows("/web-1")
	s.keys("n", "n", "N")
	if got := s.screen.top().cursor.Selected; got != 1 {
		t.Errorf("n n N went to row %d, want 1", got)
	}
	s.keys("esc")
	if got := s.screen.total(); got != all {
		t.Errorf("after escape there are %d rows, want all %d", got, all)
	}
	s.keys("n").shows("/web-1")
	s.keys("/").typeText("zzz").keys("esc").shows("/web-1")
	s.keys("/", "backspace", "backspace", "backspace", "backspace", "backspace").typeText("!web").keys("enter")
	if got := s.screen.total(); got != 0 {
		t.Errorf("!web matches %d rows, want none", got)
	}
}

func TestCommand_Lines(t *testing.T) {
	s := atUnschedulable(t)
	for _, tt := range []struct{ line, shows string }{
		{"zones", "4 Zones"},
		{"metrics", "9 Metrics"},
		{"orrery", "0 Orrery"},
		{"goto 00:10", "00:10.000"},
		{"goto 50%", "00:30."},
		{"goto +5s", "00:35."},
		{"goto 09:00:20", "00:20.000"},
		{"goto 99:00", ":goto 99:00 is after the end: the recording is 1m"},
		{"goto -9m", ":goto -9m is before the start of the recording"},
		{"goto soon", `"soon" is no time`},
		{"speed 4", "4x"},
		{"speed max", "max"},
		{"speed fast", "is neither"},
		{"goto 48s", "00:48.000"},
		{"node node-3", "Node"},
		{"node nowhere", `there is no node "nowhere"`},
		{"pod web-02", "default/web-02"},
		{"pod nobody", `there is no pod "nobody"`},
		{"explain default/web-20", "Explain"},
		{"theme mono", ""},
		{"theme pink", "there are dark, light"},
		{"quti", "did you mean :quit?"},
		{"node", "─ Nodes ─"},
		{"zoom now", ":zoom wants nothing after it"},
		{"over", "2 Queue"},
	} {
		s.keys(":").typeText(tt.line).keys("enter")
		if tt.shows != "" {
			s.shows(tt.shows)
		}
		if s.screen.prompt != nil { // what failed can be mended
			s.keys("esc")
		}
	}
	if s.screen.theme.Name != "mono" {
		t.Errorf("the theme is %s", s.screen.theme.Name)
	}
	s.keys(":", "up").shows(":over").keys("up", "up").shows(":node").keys("down", "down", "down", "esc")
	s.keys(":").typeText("theme d").shows("dark").keys("tab", "enter")
	if s.screen.theme.Name != "dark" {
		t.Errorf("tab did not complete the theme: it is %s", s.screen.theme.Name)
	}
	s.keys(":").typeText("pod default/web-0").shows("default/web-01").keys("tab", "tab", "enter").shows("Journey", "default/web-02")
	s.keys(":").typeText("quit").keys("enter")
	if !s.quit {
		t.Error(":quit did not quit")
	}
}

// TestLoop_SuspendedTimeIsNotPlayed suspends the machine for an hour.
func TestLoop_SuspendedTimeIsNotPlayed(t *testing.T) {
	s := newSession(t, 80, 24).keys("space").advance(2 * time.Second)
	s.now += time.Hour
	s.loop.tick()
	s.drain()
	s.shows("00:03.000")
}

func TestRecording_DamageIsShown(t *testing.T) {
	file, err := demo.Open("priority-storm")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenRecording(bytes.NewReader(whole[:len(whole)*2/3]), playback.Options{Name: "half"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	watch(t, d, 140, 40).lacks("damaged").keys("$").shows("the recording is damaged from here on")
}

func TestRecording_DivergenceIsShown(t *testing.T) {
	adjust := func(o *engine.Options) { o.Seed = 7 }
	d, err := OpenRecording(bytes.NewReader(minute()), playback.Options{Name: "other", Adjust: adjust}, nil)
	if err != nil {
		t.Fatal(err)
	}
	watch(t, d, 140, 40).keys("$").shows("decides differently from the recorded one")
}

func TestWhatIf_OpensResult(t *testing.T) {
	s := atUnschedulable(t)
	digest := s.loop.source.Engine().Digest()
	s.keys("3", "w").shows("What-if", "node node-0", "cordon it", "add one like it").keys("a")
	s.shows("WHAT-IF", "⚑ what-if", "add 1 node like node-", "without", "with", "$ orrery whatif")
	s.keys("esc").shows("3 Snapshot").lacks("WHAT-IF")
	s.keys("2", "w", "r")
	if line := s.screen.prompt.input.Value(); !strings.HasPrefix(line, "whatif requests default/web-") {
		t.Fatalf("the command line has %q", line)
	}
	s.typeText("100m").keys("enter").shows("⚑ what-if", "requests default/web-", "✓ bound")
	s.keys("esc").keys(":").typeText("whatif fly away").keys("enter").shows("it begins with")
	s.keys("esc", ":").typeText("whatif drain nowhere").keys("enter").shows("nowhere")
	if got := s.loop.source.Engine().Digest(); got != digest {
		t.Error("a what-if changed the recording")
	}
}

func TestWhatIf_EscapeCancels(t *testing.T) {
	s := atUnschedulable(t)
	var work []func()
	s.loop.spawn = func(f func()) { work = append(work, f) }
	s.keys("3", "w", "d").shows("computing what-if drain node-0").keys("esc").shows("what-if cancelled", "3 Snapshot")
	s.keys("w", "c").shows("computing what-if cordon node-0")
	for _, f := range work {
		f()
	}
	s.drain()
	s.shows("⚑ what-if", "cordon node-0")
	s.keys("esc").shows("3 Snapshot").lacks("hypothetical")
}

func TestMenu_OffersChangesOfTheSelection(t *testing.T) {
	for _, tt := range []struct {
		keys  []string
		first string
		items int
	}{
		{[]string{"2"}, "pod default/web-", 10},
		{[]string{"3"}, "node node-0", 10},
		{[]string{"3", "enter"}, "node node-0", 20},
		{[]string{"2", "e"}, "pod default/web-", 10},
		{[]string{"2", "e", "G"}, "pod default/web-", 20},
	} {
		s := atUnschedulable(t).keys(tt.keys...).keys("w")
		m := s.screen.menu
		if m == nil || len(m.items) != tt.items || !strings.HasPrefix(m.items[0].label, tt.first) {
			t.Fatalf("after %v the menu is %+v", tt.keys, m)
		}
		taken := map[string]bool{}
		for _, c := range m.items {
			if c.key != "" && taken[c.key] {
				t.Errorf("after %v, %q is on the menu twice", tt.keys, c.key)
			}
			taken[c.key] = true
		}
		for range 2 * len(m.items) {
			s.keys("down")
			if m.items[m.at].key == "" {
				t.Fatal("the cursor of the menu is on a heading")
			}
		}
		s.keys("up", "w")
		if s.screen.menu != nil {
			t.Error("w does not close the menu it opened")
		}
	}
}

func TestDescribe_ShowsYAML(t *testing.T) {
	s := atUnschedulable(t).keys("3", "d").shows("node node-0", "apiVersion: v1", "kind: Node", "allocatable:", "lines")
	s.keys("G", "g", "ctrl+d", "k")
	s.keys("esc").shows("3 Snapshot").keys("2", "d").shows("kind: Pod", "requests:")
}

func TestCopy_SendsSelection(t *testing.T) {
	s := atUnschedulable(t).keys("3", "y").shows("copied node-0")
	if len(s.raw) != 1 || !strings.Contains(s.raw[0], "\x1b]52;c;") {
		t.Errorf("written to the terminal: %q", s.raw)
	}
	s.keys("d", "y").shows("copied node node-0")
	s.keys("6", "y").shows("y: nothing is selected")
}

func TestSave_WritesTextAndSVG(t *testing.T) {
	s := atUnschedulable(t)
	folder := s.screen.options.Folder
	files := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	s.keys("ctrl+s").shows("saved", "orrery-1.txt").keys("ctrl+s").shows("orrery-2.txt")
	if text := files("orrery-1.txt"); !strings.Contains(text, "2 Queue") || strings.Contains(text, "\x1b") {
		t.Errorf("the text is %q", text)
	}
	s.keys("S").shows("orrery-1.svg")
	if picture := files("orrery-1.svg"); !strings.HasPrefix(picture, "<svg") && !strings.HasPrefix(picture, "<?xml") {
		t.Errorf("the picture begins with %.60q", picture)
	}
	s.keys(":").typeText("save orrery-1.txt").keys("enter").shows("already exists: give it another name")
	s.keys("esc", ":").typeText("save mine.txt").keys("enter").shows("saved")
	files("mine.txt")
	null := filepath.Join(folder, "null")
	if err := os.Symlink(os.DevNull, null); err != nil {
		t.Fatal(err)
	}
	s.keys(":").typeText("save null").keys("enter").shows("saved")
	if to, err := os.Readlink(null); to != os.DevNull {
		t.Errorf("the link to a device goes to %q, %v", to, err)
	}
}

func TestScreen_Sizes(t *testing.T) {
	s := newSession(t, 0, 0)
	for _, size := range [][2]int{{60, 16}, {59, 16}, {1, 1}, {20, 5}, {80, 24}, {300, 100}, {80, 24}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		checkSize(t, s)
		for _, key := range []string{"2", "3", "d", "?", ":", "esc", "w", "esc", "z", "esc", "1"} {
			s.keys(key)
			checkSize(t, s)
		}
	}
	s.send(tea.WindowSizeMsg{})
	if s.screen.w != 80 || s.screen.h != 24 {
		t.Errorf("a terminal without a size made the screen %dx%d", s.screen.w, s.screen.h)
	}
	s.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	s.shows("need 60x16, have 40x10, press q")
}

func TestZoom_DropsBorders(t *testing.T) {
	s := atUnschedulable(t).keys("3", "z").lacks("╭").lacks("│ ▌")
	s.keys("esc").shows("╭").keys("1", "z").lacks("╭")
}

// TestScreen_SameKeysSameBytes runs one script twice and compares every frame.
func TestScreen_SameKeysSameBytes(t *testing.T) {
	play := func() string {
		var all strings.Builder
		s := newSession(t, 120, 40)
		frame := func() { all.WriteString(s.view()) }
		s.keys("space")
		for range 12 {
			s.advance(4 * time.Second)
			frame()
		}
		for _, key := range []string{"2", "down", "enter", "e", "esc", "esc", "7", "s", "s", "r", "3", "w", "a", "esc", "?", "esc", "{", "[", "$", "^", "0", "down"} {
			s.keys(key)
			frame()
		}
		return all.String()
	}
	if first, second := play(), play(); first != second {
		t.Error("the same script made different frames")
	}
}

// TestScreen_SessionGoldens draws what lies over a pane: a page, a menu, and what is typed.
func TestScreen_SessionGoldens(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"140x40", 140, 40}} {
		for _, tt := range []struct {
			name string
			keys []string
		}{
			{"describe", []string{"3", "d"}},
			{"menu", []string{"3", "w"}},
			{"command", []string{":", "t"}},
			{"filter", []string{"7", "/", "w", "e", "b"}},
		} {
			t.Run(tt.name+" "+size.name, func(t *testing.T) {
				s := newSession(t, size.w, size.h).keys("space").advance(48*time.Second).keys("space", "esc").keys(tt.keys...)
				golden(t, filepath.Join("sessions", tt.name+"-"+size.name+".txt"), s.plain())
			})
		}
	}
}

func TestLoop_IdleDoesNotTick(t *testing.T) {
	s := newSession(t, 80, 24).advance(2 * time.Second) // the survey completes
	if timer, wait := s.loop.wait(); timer != nil || wait != nil {
		t.Error("the loop waits for a tick while paused")
	}
	s.keys("space").advance(time.Second)
	if _, wait := s.loop.wait(); wait == nil {
		t.Error("the loop waits for no tick while playing")
	}
	s.advance(10 * time.Minute)
	if _, wait := s.loop.wait(); wait != nil {
		t.Error("the loop waits for a tick at the end of the recording")
	}
	s.view()
	drawn := s.screen.draws
	s.advance(10 * time.Minute)
	s.view()
	if s.screen.draws != drawn {
		t.Errorf("%d frames were drawn while nothing moved", s.screen.draws-drawn)
	}
}

func TestView_CleanScreenIsNotRedrawn(t *testing.T) {
	s := atUnschedulable(t)
	s.view()
	if allocs := testing.AllocsPerRun(100, func() { s.screen.View() }); allocs != 0 {
		t.Errorf("a view of an unchanged screen made %v allocations", allocs)
	}
	if s.screen.dirty {
		t.Error("the screen is dirty after it was drawn")
	}
	before := s.frames
	s.send(frameMsg{}) // there is no frame to take
	s.view()
	if s.frames != before {
		t.Error("a message without a change redrew the screen")
	}
}

// TestLoop_CoalescesFrames floods the loop: it builds at most one frame per interval.
func TestLoop_CoalescesFrames(t *testing.T) {
	s := newSession(t, 120, 40).keys("space").keys(":").typeText("speed max").keys("enter")
	s.screen.draws = 0
	frames := 0
	for range 1000 {
		s.now += time.Millisecond
		s.loop.tick()
		if len(s.queue) > 0 {
			frames++
		}
		s.drain()
		s.view()
	}
	if frames > 35 || s.screen.draws > 60 {
		t.Errorf("a second built %d frames, and %d were drawn", frames, s.screen.draws)
	}
}

func TestNavigation_PanesKeepTheirCursor(t *testing.T) {
	s := atUnschedulable(t).keys("3", "down", "down", "2", "3")
	if got := s.screen.top().cursor.Selected; got != 2 {
		t.Errorf("back in the snapshot, row %d is selected, want 2", got)
	}
	s.keys("tab").shows("4 Zones").keys("shift+tab", "shift+tab").shows("2 Queue")
	s.keys("1", "tab", "tab")
	if s.screen.focus != views.ZonesPane {
		t.Errorf("the focus is on pane %q", s.screen.focus)
	}
	s.keys("enter").shows("4 Zones")
}
