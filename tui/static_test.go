package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// staticSource is a cluster without events or history: a Source with only the required methods.
type staticSource struct{ engine *engine.Engine }

func (s staticSource) Name() string               { return "a cluster" }
func (s staticSource) Mode() views.Mode           { return views.Shadow }
func (s staticSource) Advance(time.Duration) bool { return false }
func (s staticSource) Moving() bool               { return true }
func (s staticSource) Now() time.Time             { return s.engine.Now() }
func (s staticSource) Engine() *engine.Engine     { return s.engine }
func (s staticSource) History() *collect.History  { return nil }

func (s staticSource) Annotate(*views.Model, collect.Query) {}

func (s staticSource) WhatIfCommand(changes []change.Change) (time.Time, string) {
	return s.Now(), ":whatif " + change.Words(changes)
}

// manyPods is a cluster of nodes and of pending pods with these names, each with a label of its name.
func manyPods(t testing.TB, nodes int, pods ...string) staticSource {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(o world.Object) {
		_ = e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}) // a refused object is missing
	}
	for i := range nodes {
		apply(mk.Node(fmt.Sprintf("node-%d", i)).CPU("1").Memory("1Gi").Zone("a").Obj())
	}
	for _, name := range pods {
		apply(mk.Pod(name).CPU("2").Label("says", name).Scheduler("default-scheduler").Obj())
	}
	return staticSource{e}
}

func TestScreen_SourceWithoutTimeline(t *testing.T) {
	s := watch(t, manyPods(t, 3, "one", "two"), 100, 30)
	s.shows("SHADOW", "a cluster").lacks(" 1x ")
	for _, key := range []string{"space", "[", "]", "{", "}", ",", ".", "^", "$", "home"} {
		s.keys(key).shows("there is no timeline here")
	}
	s.keys(":").typeText("goto 10s").keys("enter").shows("there is no timeline here")
	s.keys("esc", "2").shows("● active     0s one", "● active     0s two").lacks("space pause")
	s.keys("enter").shows("Journey", "default/one")
	s.keys("e").shows("Insufficient cpu")
	s.keys("w", "x").shows("⚑ what-if", ":whatif delete pod default/one")
}

func TestScreen_EmptyCluster(t *testing.T) {
	s := watch(t, manyPods(t, 0), 80, 24)
	for _, way := range keyPaths() {
		s.keys(way...)
		checkSize(t, s)
		for range 4 {
			s.keys("esc")
		}
	}
}

// TestScreen_HostileNames draws names that break terminals and layouts, in every pane with names.
func TestScreen_HostileNames(t *testing.T) {
	names := []string{
		"\x1b[2Jwipe", "\x1b]0;title\a", "a\r\nb", "日本語ポッド", "👩\u200d🚀\u26a0\ufe0f", "\u202egnp.exe", strings.Repeat("x", 253), "e\u0301\u0301", "\xff\xfe",
	}
	source := manyPods(t, 2, names...)
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
			checkSize(t, s)
			if plain := s.plain(); strings.ContainsAny(plain, "\x1b\a\r\u202e") {
				t.Fatalf("after %s the screen has a control character: %q", key, plain)
			}
		}
	}
}

// BenchmarkFilterKeystroke types a filter over a hundred thousand pending pods: the time from a key to the frame with
// the matches.
func BenchmarkFilterKeystroke(b *testing.B) {
	pods := make([]string, 100_000)
	for i := range pods {
		pods[i] = fmt.Sprintf("web-%06d", i)
	}
	s := watch(b, manyPods(b, 10, pods...), 120, 40).keys("2", "/")
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
		s.screen.View()
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}

// BenchmarkKeystroke moves the cursor through a hundred thousand pending pods: update, collect, draw and render.
func BenchmarkKeystroke(b *testing.B) {
	pods := make([]string, 100_000)
	for i := range pods {
		pods[i] = fmt.Sprintf("web-%06d", i)
	}
	s := watch(b, manyPods(b, 5000, pods...), 120, 40).keys("2")
	for b.Loop() {
		s.send(keyNamed("down"))
		s.screen.View()
	}
}
