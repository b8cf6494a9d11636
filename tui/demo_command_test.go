package tui

import (
	"errors"
	"testing"
	"time"

	"orrery/views"
)

// someStories are two recordings, and one that cannot be opened.
func someStories(t *testing.T) []Story {
	open := func(name string) Story {
		return Story{Name: name, Title: "the story of " + name, Open: func() (Source, error) {
			d := builtIn(t, name)
			d.Play()
			return d, nil
		}}
	}
	broken := Story{Name: "broken", Open: func() (Source, error) { return nil, errors.New("the file ends early") }}
	return []Story{open("zone-failure"), open("leader-failover"), broken}
}

func TestDemo_SwitchesRecording(t *testing.T) {
	s := watchWith(t, Options{Source: builtIn(t, "morning-rush"), Stories: someStories(t)}, 120, 30)
	s.keys("$", "2", "/").typeText("shop").keys("enter", "w")
	s.keys("esc", ":").typeText("demo zo").shows("zone-failure", "the story of zone-failure").keys("tab", "enter")
	s.shows("orrery ▸ zone-failure", "watching zone-failure", "2 Queue", "3 Snapshot").lacks("morning-rush")
	s.advance(3 * time.Second).shows("▶ 1x  00:02.9")
	s.keys("2").lacks("/shop")
	s.keys("e").lacks("morning-rush")
	s.keys("1", ":").typeText("demo").keys("enter").shows("recordings: zone-failure, leader-failover, broken")
	s.keys(":").typeText("demo leader-fialover").keys("enter").shows(`there is no recording "leader-fialover"; did you mean leader-failover?`)
	s.keys("esc", ":").typeText("demo broken").keys("enter").shows("staying here: opening broken: the file ends early", "zone-failure")
	s.keys("esc", ":").typeText("demo leader-failover").keys("enter").shows("orrery ▸ leader-failover")
	s.keys("}").lacks("there is no mark").keys("]", "[", "$", "^").shows("00:00.000")
	if s.screen.top().pane != views.Overview {
		t.Errorf("the pane is %q", s.screen.top().pane)
	}
}

// Dialogs and pending results of the recording before are gone after a switch.
func TestDemo_SwitchCancels(t *testing.T) {
	s := watchWith(t, Options{Source: builtIn(t, "morning-rush"), Stories: someStories(t)}, 120, 30)
	var work []func()
	s.loop.spawn = func(f func()) { work = append(work, f) }
	s.keys("$", ":").typeText("demo zone-failure").keys("enter").shows("opening zone-failure")
	s.keys("3", "w", "c", "w").shows("What-if")
	for _, f := range work {
		f()
	}
	s.loop.serve(func(*loop) {})
	s.drain()
	s.shows("orrery ▸ zone-failure").lacks("What-if")
	if s.screen.menu != nil || s.screen.top().pane != views.Overview {
		t.Errorf("after the switch the menu is %+v and the pane %q", s.screen.menu, s.screen.top().pane)
	}
}

func TestDemo_ClusterHasNoRecordings(t *testing.T) {
	source, _ := operableSource(t)
	watch(t, source, 120, 30).keys(":").typeText("demo zone-failure").keys("enter").shows(":demo: this is a cluster")
}

// The command line and the filter each recall what was typed, and come back to what was being typed.
func TestPrompt_RecallsEarlierLines(t *testing.T) {
	s := atUnschedulable(t)
	line := func() string { return s.screen.prompt.input.Value() }
	for _, c := range []string{"queue", "snapshot", "queue"} {
		s.keys(":").typeText(c).keys("enter")
	}
	for _, f := range []string{"web-1", "web-2"} {
		s.keys("7", "/").typeText(f).keys("enter", "esc")
	}
	s.keys(":").typeText("filter web-3").keys("enter", "esc")
	for _, tt := range []struct {
		sign, typed string
		keys, want  []string
	}{
		{":", "zo", []string{"up", "ctrl+p", "up", "up", "down", "ctrl+n", "down", "down"}, []string{"filter web-3", "queue", "snapshot", "snapshot", "queue", "filter web-3", "zo", "zo"}},
		{"/", "we", []string{"up", "up", "ctrl+p", "ctrl+p", "ctrl+n", "down", "down"}, []string{"web-3", "web-2", "web-1", "web-1", "web-2", "web-3", "we"}},
	} {
		s.keys(tt.sign).typeText(tt.typed)
		for i, key := range tt.keys {
			if s.keys(key); line() != tt.want[i] {
				t.Errorf("after %s %v the line is %q, want %q", tt.sign, tt.keys[:i+1], line(), tt.want[i])
			}
			if tt.sign == "/" && s.screen.top().list.filter.String() != line() {
				t.Errorf("the recalled filter %q is not applied", line())
			}
		}
		s.keys("esc")
	}
	s.keys(":", "up").typeText("!").keys("up")
	if line() != "filter web-3" {
		t.Errorf("after a recalled line was edited, up recalls %q", line())
	}
	s.keys("down")
	if line() != "filter web-3!" {
		t.Errorf("down comes back to %q, want the edited line", line())
	}
}
