package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// still is a cluster in which nothing happens, and that has no past: a Source with nothing but what it must have.
type still struct{ engine *engine.Engine }

func (s still) Name() string                  { return "a cluster" }
func (s still) Mode() views.Mode              { return views.Shadow }
func (s still) Advance(time.Duration) bool    { return false }
func (s still) Moving() bool                  { return true }
func (s still) Now() time.Time                { return s.engine.Now() }
func (s still) Engine() *engine.Engine        { return s.engine }
func (s still) Chronicle() *collect.Chronicle { return nil }
func (s still) Timeline() *views.Timeline     { return nil }

// crowd is a cluster of nodes, and of waiting pods with these names and a label of the same.
func crowd(t testing.TB, nodes int, pods ...string) still {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	tell := func(o world.Object) {
		_ = e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}) // what it refuses is not there
	}
	for i := range nodes {
		tell(mk.Node(fmt.Sprintf("node-%d", i)).CPU("1").Memory("1Gi").Zone("a").Obj())
	}
	for _, name := range pods {
		tell(mk.Pod(name).CPU("2").Label("says", name).Scheduler("default-scheduler").Obj())
	}
	return still{e}
}

func TestASourceWithoutTime(t *testing.T) {
	s := watch(t, crowd(t, 3, "one", "two"), 100, 30)
	s.shows("SHADOW", "a cluster").hides(" 1x ")
	for _, key := range []string{"space", "[", "]", "{", "}", ",", ".", "0", "$"} {
		s.keys(key).shows("time cannot be moved in here")
	}
	s.keys(":").types("goto 10s").keys("enter").shows("time cannot be moved in here")
	s.keys("2").shows("● active    one", "● active    two").hides("space pause")
	s.keys("enter").shows("Journey", "default/one")
	s.keys("e").shows("Insufficient cpu")
	s.keys("w", "x").shows("⚑ hypothetical", ":whatif delete pod default/one")
}

func TestAnEmptyCluster(t *testing.T) {
	s := watch(t, crowd(t, 0), 80, 24)
	for _, way := range ways() {
		s.keys(way...)
		exact(t, s)
		for range 4 {
			s.keys("esc")
		}
	}
}

// TestHostileNames shows names that break terminals and layouts, in every pane that has any.
func TestHostileNames(t *testing.T) {
	names := []string{
		"\x1b[2Jwipe", "\x1b]0;title\a", "a\r\nb", "日本語ポッド", "👩\u200d🚀\u26a0\ufe0f", "\u202egnp.exe", strings.Repeat("x", 253), "e\u0301\u0301", "\xff\xfe",
	}
	source := crowd(t, 2, names...)
	if source.engine.Store().Len(world.Pod) < 4 {
		t.Fatal("the engine refuses nearly all of the names")
	}
	s := watch(t, source, 80, 24)
	for i := range source.engine.Store().Len(world.Pod) {
		s.keys("2", "g")
		for range i {
			s.keys("down")
		}
		for _, key := range []string{"enter", "e", "d", "esc", "w", "esc", "y"} {
			s.keys(key)
			exact(t, s)
			if plain := s.plain(); strings.ContainsAny(plain, "\x1b\a\r\u202e") {
				t.Fatalf("after %s the screen has a control character: %q", key, plain)
			}
		}
	}
}

// BenchmarkFilterKeystroke types a filter over a hundred thousand waiting pods: the time from a key to the frame with
// what it leaves.
func BenchmarkFilterKeystroke(b *testing.B) {
	pods := make([]string, 100_000)
	for i := range pods {
		pods[i] = fmt.Sprintf("web-%06d", i)
	}
	s := watch(b, crowd(b, 10, pods...), 120, 40).keys("2", "/")
	text := "web-01~9"
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		key := string(text[i%len(text)])
		if i%len(text) == 0 {
			for s.screen.prompt.input.Value() != "" {
				s.send(keyNamed("backspace"))
				if s.screen.prompt == nil {
					s.keys("/")
				}
			}
		}
		from := time.Now()
		s.send(keyNamed(key))
		s.view()
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}

// BenchmarkKeystroke moves the cursor through a hundred thousand waiting pods: update, collect, draw and render.
func BenchmarkKeystroke(b *testing.B) {
	pods := make([]string, 100_000)
	for i := range pods {
		pods[i] = fmt.Sprintf("web-%06d", i)
	}
	s := watch(b, crowd(b, 5000, pods...), 120, 40).keys("2")
	for b.Loop() {
		s.send(keyNamed("down"))
		s.view()
	}
}
