package tui

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/testing/race"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
	"orrery/demo/playback"
	"orrery/themes"
	"orrery/tui/term"
	"orrery/views"
	"orrery/views/draw"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// minute records a minute in which pods fill the nodes, until later pods preempt earlier ones.
var minute = sync.OnceValue(func() []byte { return record(9, 60) })

func record(nodes, pods int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	c := memory.New(memory.Options{Start: start, Seed: 1, Latency: memory.TypicalLatency()})
	create := func(o world.Object) {
		if _, err := c.Create(o); err != nil {
			panic(err)
		}
	}
	create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 100})
	one := intstr.FromInt32(1)
	create(&policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	})
	for i := range nodes {
		create(mk.Node(fmt.Sprintf("node-%d", i)).CPU("8").Memory("32Gi").Zone([]string{"east", "east", "west", "north"}[i%4]).Obj())
	}
	for i := range pods {
		pod := mk.Pod(fmt.Sprintf("web-%02d", i)).UID("").Label("app", "web").CPU([]string{"500m", "1", "2", "3"}[rng.IntN(4)]).Memory("512Mi").Obj()
		at := time.Duration(rng.Int64N(int64(time.Minute)))
		if at > 45*time.Second {
			pod.Spec.PriorityClassName = "high"
		}
		c.At(start.Add(at), func(*memory.Cluster) { create(pod) })
	}
	o := engine.Options{Seed: 1, Start: start}
	e, err := engine.New(o)
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{Description: "a minute"})
	if err != nil {
		panic(err)
	}
	drive.Run(c, start.Add(90*time.Second), drive.NewScheduler(e, r))
	if err := r.Close(); err != nil {
		panic(err)
	}
	return file.Bytes()
}

// session is a screen and its loop in one goroutine and in virtual time: send returns after all resulting messages were
// handled, so a script never waits.
type session struct {
	t      testing.TB
	screen *Screen
	loop   *loop
	now    time.Duration
	queue  []tea.Msg
	quit   bool
	frames int // frames shown
	ran    []term.Run
	raw    []string // written without the renderer, such as to the clipboard
	// playing means that a what-if plays: its next picture comes when time goes on.
	playing bool
	// computed are the panes of results that openOn has opened.
	computed map[views.PaneID]navEntry
}

// newSession opens the recorded minute on a screen of a size, paused at its start.
func newSession(t testing.TB, w, h int) *session {
	t.Helper()
	d, err := OpenRecording(bytes.NewReader(minute()), playback.Options{Name: "minute.orrery"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Trace = "minute.orrery"
	return watch(t, d, w, h)
}

func watch(t testing.TB, source Source, w, h int) *session {
	t.Helper()
	return watchWith(t, Options{Source: source}, w, h)
}

// watchWith is watch with options.
func watchWith(t testing.TB, o Options, w, h int) *session {
	t.Helper()
	race.Alone(t)
	dark, _ := themes.Named("dark")
	o.Theme, o.Folder = dark, t.TempDir()
	o.Terminal = term.Facts{Width: w, Height: h, Glyphs: draw.Braille, Profile: themes.TrueColor}
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, computed: map[views.PaneID]navEntry{}}
	o.Clock = func() time.Duration { return s.now }
	s.loop = newLoop(o.Source, o.FPS, o.Clock, func(m tea.Msg) { s.queue = append(s.queue, m) })
	s.loop.spawn, s.loop.clusters = func(work func()) { work() }, o.Clusters
	s.screen = newScreen(o, synchronous{s.loop}, func(*draw.Canvas, *themes.Pens) { s.frames++ })
	s.loop.build()
	s.runCmd(s.screen.Init())
	s.drain()
	return s
}

// synchronous is a loopClient that runs requests at once.
type synchronous struct{ *loop }

func (d synchronous) submit(o request) bool {
	d.serve(o)
	return true
}

// send passes a message to the screen, and all resulting messages.
func (s *session) send(msg tea.Msg) {
	s.t.Helper()
	_, cmd := s.screen.Update(msg)
	s.runCmd(cmd)
	s.drain()
}

func (s *session) drain() {
	for len(s.queue) > 0 {
		msg := s.queue[0]
		s.queue = s.queue[1:]
		_, cmd := s.screen.Update(msg)
		s.runCmd(cmd)
	}
}

// runCmd runs a command as Bubble Tea would.
func (s *session) runCmd(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		s.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			s.runCmd(c)
		}
	case tea.RawMsg:
		s.raw = append(s.raw, fmt.Sprint(msg.Msg))
	case term.Run:
		s.ran = append(s.ran, msg)
	case playMsg:
		s.playing = true
	default:
		s.queue = append(s.queue, msg)
	}
}

// keys presses keys, named as in the key table.
func (s *session) keys(names ...string) *session {
	s.t.Helper()
	for _, name := range names {
		s.send(keyNamed(name))
		s.screen.View()
	}
	return s
}

// typeText presses the key of every letter.
func (s *session) typeText(text string) *session {
	s.t.Helper()
	for _, r := range text {
		s.send(keyNamed(string(r)))
	}
	return s
}

var namedKeys = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"space": {Code: tea.KeySpace, Text: " "}, " ": {Code: tea.KeySpace, Text: " "}, "backspace": {Code: tea.KeyBackspace},
}

func keyNamed(name string) tea.KeyPressMsg {
	if k, ok := namedKeys[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// advance advances the real time in steps of a frame.
func (s *session) advance(d time.Duration) *session {
	s.t.Helper()
	for end := s.now + d; s.now < end; {
		if s.now += s.loop.interval; end-s.now < s.loop.interval {
			s.now = end
		}
		if s.loop.source.Moving() || s.loop.partial {
			s.loop.tick()
		}
		if s.playing {
			s.playing = false
			s.queue = append(s.queue, playMsg{})
		}
		s.drain()
	}
	return s
}

// wait lets real time pass in which nothing moves.
func (s *session) wait(d time.Duration) *session {
	s.now += d
	return s
}

// view returns the screen as the terminal should show it.
func (s *session) view() string {
	s.screen.View()
	return styledCells(s.screen.canvas, s.screen.pens)
}

// styledCells returns the cells of a frame as text with codes.
func styledCells(c *draw.Canvas, pens *themes.Pens) string {
	w, _ := c.Size()
	var b []byte
	var pen themes.Pen
	n := 0
	for g, style := range c.Cells() {
		if n > 0 && n%w == 0 {
			b = append(b, '\n')
		}
		if p := pens.Of(style); p != pen {
			pen = p
			b = fmt.Appendf(b, "{%x %x %x}", p.Foreground, p.Background, p.Attr)
		}
		b = g.Append(b)
		n++
	}
	return string(b)
}

// plain returns the screen without codes and trailing blanks.
func (s *session) plain() string {
	s.screen.View()
	return plainText(s.screen.canvas)
}

// shows fails unless every text is on the screen.
func (s *session) shows(texts ...string) *session {
	s.t.Helper()
	plain := s.plain()
	for _, text := range texts {
		if !strings.Contains(plain, text) {
			s.t.Fatalf("the screen does not show %q:\n%s", text, plain)
		}
	}
	return s
}

// lacks fails if a text is on the screen.
func (s *session) lacks(text string) *session {
	s.t.Helper()
	if plain := s.plain(); strings.Contains(plain, text) {
		s.t.Fatalf("the screen shows %q:\n%s", text, plain)
	}
	return s
}

// selected returns the row with the cursor.
func (s *session) selected() string {
	lines := strings.Split(s.plain(), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "▌") })
	if i < 0 {
		return ""
	}
	return lines[i]
}
