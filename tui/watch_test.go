package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"

	"orrery/core/operator/actions"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
)

// alerts are the notifications that were sent.
func (s *session) alerts() []string {
	var texts []string
	for _, raw := range s.raw {
		if _, text, is := strings.Cut(raw, "\x1b]9;orrery: "); is {
			texts = append(texts, strings.TrimSuffix(text, "\a"))
		}
	}
	return texts
}

// watchedCluster is a console on a cluster of a node, and a pod that is pending.
func watchedCluster(t *testing.T, o Options, w, h int) (*session, staticSource) {
	t.Helper()
	source := manyPods(t, 1, "one", "two")
	o.Source = &cluster{staticSource: source, executor: actions.Executor{Client: fake.NewClientset()}, readOnly: "read-only"}
	return watchWith(t, o, w, h), source
}

// happen changes an object of the cluster, and builds the next frame.
func (s *session) happen(source staticSource, op world.Op, o world.Object) {
	s.t.Helper()
	if err := source.engine.Apply(world.Input{At: start, Event: world.Changed{Op: op, Object: o}}); err != nil {
		s.t.Fatal(err)
	}
	s.loop.build()
	s.drain()
}

// TestWatch_PlacedPod watches a pod: its row has a sign, and when it is placed the bell rings once.
func TestWatch_PlacedPod(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		s, source := watchedCluster(t, Options{}, size[0], size[1])
		s.keys("2", "W").shows("◉", "watching default/", "W ends it")
		golden(t, fmt.Sprintf("watch/%dx%d.txt", size[0], size[1]), s.plain())
		name, _, _ := strings.Cut(strings.TrimPrefix(s.screen.watches.pods[0].pod.String(), "default/"), " ")
		pod := mk.Pod(name).CPU("2").Scheduler("default-scheduler").Obj()
		placed := pod.DeepCopy()
		placed.Spec.NodeName = "node-0"
		s.happen(source, world.Modified, placed)
		want := "default/" + name + " is placed on node-0"
		s.shows(want)
		s.happen(source, world.Modified, placed)
		if got := s.alerts(); !slices.Equal(got, []string{want}) {
			t.Fatalf("announced %q, want %q once", got, want)
		}
		if v := s.screen.View(); v.WindowTitle != "orrery: "+want {
			t.Errorf("the title is %q", v.WindowTitle)
		}
		s.keys(":").typeText("pods").keys("enter").shows("◉")
		for s.selected() != "" && !strings.Contains(s.selected(), "◉") {
			s.keys("down")
		}
		s.keys("W").shows("no longer watched").lacks("◉")
	}
}

// TestWatch_PodThatIsGone says so, once, and nothing when it comes again.
func TestWatch_PodThatIsGone(t *testing.T) {
	s, source := watchedCluster(t, Options{}, 100, 30)
	s.keys("2", "W")
	pod := source.engine.Store().Pod("default", s.screen.watches.pods[0].pod.Name).DeepCopy()
	s.happen(source, world.Deleted, pod)
	s.happen(source, world.Added, pod)
	if got := s.alerts(); len(got) != 1 || !strings.HasSuffix(got[0], " is gone without having been placed") {
		t.Errorf("announced %q", got)
	}
}

// TestWatch_QuietOverSSH says what happens on the screen only, unless the settings ask for more.
func TestWatch_QuietOverSSH(t *testing.T) {
	for text, want := range map[string]int{"": 0, "notify: true": 1, "notify: false": 0} {
		s, source := watchedCluster(t, Options{Settings: settings(t, text)}, 100, 30)
		s.screen.options.Terminal.Env = []string{"SSH_CONNECTION=10.0.0.1 1 10.0.0.2 22"}
		s.keys("2", "W")
		placed := source.engine.Store().Pod("default", s.screen.watches.pods[0].pod.Name).DeepCopy()
		placed.Spec.NodeName = "node-0"
		s.happen(source, world.Modified, placed)
		s.shows("is placed on node-0")
		if got := s.alerts(); len(got) != want {
			t.Errorf("with %q in the settings, announced %q", text, got)
		}
		if title := s.screen.View().WindowTitle; (title != "") != (want == 1) {
			t.Errorf("with %q in the settings, the title is %q", text, title)
		}
	}
}

// TestWatch_HealthTurnsRed tells once that a node is not ready, and again only after it was.
func TestWatch_HealthTurnsRed(t *testing.T) {
	s, source := watchedCluster(t, Options{}, 100, 30)
	s.happen(source, world.Deleted, source.engine.Store().Pod("default", "one"))
	s.happen(source, world.Deleted, source.engine.Store().Pod("default", "two"))
	ready := mk.Node("node-0").CPU("1").Memory("1Gi").Zone("a").Obj()
	for range 2 {
		s.happen(source, world.Modified, mk.Node("node-0").CPU("1").Memory("1Gi").Zone("a").Condition(v1.NodeReady, v1.ConditionFalse).Obj())
		s.happen(source, world.Modified, mk.Node("node-0").CPU("1").Memory("1Gi").Zone("a").Label("x", "y").Condition(v1.NodeReady, v1.ConditionFalse).Obj())
		if title := s.screen.View().WindowTitle; title != "orrery: ✗ 1 of 1 node NotReady" {
			t.Errorf("the title is %q", title)
		}
		s.happen(source, world.Modified, ready)
		if title := s.screen.View().WindowTitle; title != "orrery: staging" {
			t.Errorf("the title of a healthy cluster is %q", title)
		}
	}
	if got, want := s.alerts(), "✗ 1 of 1 node NotReady"; !slices.Equal(got, []string{want, want}) {
		t.Errorf("announced %q", got)
	}
}

// TestWatch_RecordingsAnnounceNoHealth plays a story in which the health turns red more than once: time goes either way there.
func TestWatch_RecordingsAnnounceNoHealth(t *testing.T) {
	s := watch(t, builtIn(t, "morning-rush"), 100, 30).keys("$", "^", "}", "}", "{", "$")
	if got := s.alerts(); len(got) != 0 {
		t.Errorf("announced %q", got)
	}
}

// TestWatch_IsBounded takes no more pods than can be looked up for every frame.
func TestWatch_IsBounded(t *testing.T) {
	var names []string
	for i := range maxWatched + 1 {
		names = append(names, fmt.Sprintf("pod-%03d", i))
	}
	s := watch(t, manyPods(t, 1, names...), 100, 30).keys(":").typeText("pods").keys("enter")
	for range maxWatched {
		s.keys("W", "down")
	}
	if s.keys("W").shows("at most 50 pods are watched at once"); len(s.screen.watches.pods) != maxWatched {
		t.Errorf("%d pods are watched", len(s.screen.watches.pods))
	}
	s.keys("g").send(frameMsg{}) // its rows come
	s.keys("W").shows("no longer watched")
	if s.screen.top().pane != views.PodsPane {
		t.Fatal("not the list of pods")
	}
}
