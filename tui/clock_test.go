package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"orrery/views"
)

// TestClock_OneInARecording: lists have the time that the timeline has, and T shows the time of day in all of them.
func TestClock_OneInARecording(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		d := builtIn(t, "morning-rush")
		d.Recording.SeekTo(d.Start().Add(64 * time.Second))
		s := watch(t, d, size[0], size[1]).keys("2", "G", "enter")
		golden(t, fmt.Sprintf("clock/journey-%dx%d.txt", size[0], size[1]), s.plain())
		for _, pane := range [][]string{{"2", "G", "enter"}, {"7"}, {"4"}, {"2"}} {
			s.keys(pane...)
			if strings.Contains(strings.ReplaceAll(s.plain(), "T05:1", ""), "05:1") { // but for the sentence of an explanation
				t.Errorf("%v shows the time of day beside the timeline's:\n%s", pane, s.plain())
			}
		}
		s.keys("7").shows("01:0").keys("T").shows("times of day", " 05:1").keys("2", "G", "enter").shows("05:1")
		s.keys("T").shows("times since the start").lacks(" 05:1")
	}
}

// TestClock_NewestFirst: the journey begins with the last transition, and so do the transitions of the queue and the searches.
func TestClock_NewestFirst(t *testing.T) {
	d := builtIn(t, "morning-rush")
	d.Recording.SeekTo(d.Start().Add(64 * time.Second))
	s := watch(t, d, 140, 40).keys("2", "G", "enter")
	steps := s.screen.frame.Model.Journey.Steps.Rows
	if len(steps) < 3 || s.screen.top().cursor.Selected != 0 {
		t.Fatalf("the journey has %d steps, and the cursor is on %d", len(steps), s.screen.top().cursor.Selected)
	}
	for i := range steps[1:] {
		if steps[i].At.Before(steps[i+1].At) {
			t.Errorf("step %d of the journey is older than the one below it", i)
		}
	}
	s.keys("2")
	moves := s.screen.frame.Model.Queue.Transitions
	newest, oldest := strings.Index(s.plain(), offsetOf(d, moves[0].At)), strings.LastIndex(s.plain(), offsetOf(d, moves[len(moves)-1].At))
	if newest < 0 || oldest >= 0 && oldest < newest {
		t.Errorf("the newest transition is not above the oldest:\n%s", s.plain())
	}
	if s.screen.top().pane != views.QueuePane {
		t.Error("not the queue")
	}
}

// offsetOf writes a time as the lists of a recording do.
func offsetOf(d *Recording, at time.Time) string {
	since := at.Sub(d.Start())
	return fmt.Sprintf("%02d:%02d.%d", int(since.Minutes()), int(since.Seconds())%60, since.Milliseconds()/100%10)
}

// TestClock_WithoutRecording shows the time of day, and says why there is no other.
func TestClock_WithoutRecording(t *testing.T) {
	s := watch(t, manyPods(t, 3, "one", "two"), 100, 30)
	s.keys("T").shows("T: there is no recording here whose start could be counted from")
}
