package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/trace"
	"orrery/views"
)

func TestPlayback_StepsAndSeeks(t *testing.T) {
	s := newSession(t, 140, 40)
	s.keys("space").advance(10*time.Second).shows("00:10.0", "▶ 1x")
	s.keys("space").shows("‖").advance(time.Minute).shows("00:10.0")
	at := func() uint64 { d := s.loop.source.Engine().Counters().Decisions; return d[0] + d[1] }
	inputs := s.loop.source.Engine().Counters().Inputs
	s.keys("i", "i", "I", "I")
	if got := s.loop.source.Engine().Counters().Inputs; got != inputs {
		t.Errorf("two inputs forward and two back end %d inputs away", int64(got)-int64(inputs))
	}
	before := at()
	s.keys("]", "]")
	if got := at(); got != before+2 {
		t.Errorf("two steps made %d decisions", got-before)
	}
	s.keys("[", "[")
	if got := at(); got != before {
		t.Errorf("two steps forward and two back end %d decisions away", int64(got)-int64(before))
	}
	s.keys("}").shows("✗").keys("}", "{")
	s.keys("$").shows("01:").keys("^").shows("00:00.000")
	s.keys("{").shows("there is no mark before this moment")
	s.keys(".", ".").shows("5x").keys(",", ",", ",").shows("0.5x")
	s.keys("2", "right").shows("00:05.000").keys("left").shows("00:00.000")
	s.keys("L").shows("loops at the end")
}

func TestTimeline_OpensAndSeeks(t *testing.T) {
	s := newSession(t, 140, 40).keys("M").shows("M Timeline", "default/web-20 unschedulable", "preempts 1 pod", "pending pods", "decisions/s", "preemption")
	s.keys("down", "enter").shows("M Timeline")
	line := s.screen.frame.Model.Timeline
	if !line.At.Equal(line.Marks[1].At) {
		t.Errorf("the second mark is at %v, and enter went to %v", line.Marks[1].At, line.At)
	}
	s.keys("M").lacks("M Timeline").keys("M")
	if got := s.screen.top().cursor.Selected; got != 2 {
		t.Errorf("the timeline opens at mark %d, want the next one, 2", got)
	}
	track := s.screen.hits.Scrubber
	s.keys("m").send(tea.MouseClickMsg{X: track.X + track.W/2, Y: track.Y + 1, Button: tea.MouseLeft})
	if at := s.screen.frame.Model.Timeline.At.Sub(line.Start) * 2; (at - line.End.Sub(line.Start)).Abs() > 2*time.Second {
		t.Errorf("a click on the middle of the curves went to %v", at/2)
	}
	s.keys("esc").lacks("M Timeline").keys(":").typeText("timeline").keys("enter").shows("M Timeline")
}

// TestTimeline_CurvesGrowWithSurvey opens the timeline before the survey starts and after it is complete.
func TestTimeline_CurvesGrowWithSurvey(t *testing.T) {
	s := newSession(t, 140, 40).keys("M")
	line := s.screen.frame.Model.Timeline
	if len(line.Depth) != 0 {
		t.Errorf("the curve of pending pods has %d values before the survey", len(line.Depth))
	}
	s.advance(2 * time.Second)
	if s.screen.frame.Playing || s.loop.source.Moving() {
		t.Error("the survey is incomplete after two seconds")
	}
	line = s.screen.frame.Model.Timeline
	covered := time.Duration(len(line.Depth)) * line.Step
	if covered < line.End.Sub(line.Start) || covered > line.End.Sub(line.Start)+line.Step {
		t.Errorf("the curve of pending pods covers %v of a recording of %v", covered, line.End.Sub(line.Start))
	}
	decided := 0.0
	for _, rate := range line.Rate {
		decided += rate * line.Step.Seconds()
	}
	s.keys("$")
	if d := s.loop.source.Engine().Counters().Decisions; uint64(decided+0.5) != d[0]+d[1]+d[2]+d[3] {
		t.Errorf("the curve sums to %.1f decisions of %v", decided, d)
	}
}

func TestTimeline_MarksFilterAndSort(t *testing.T) {
	recording := builtIn(t, "zone-failure")
	s := watch(t, recording, 100, 40).keys("M")
	timeline := func() *views.Timeline { return s.screen.frame.Model.Timeline }
	all := len(timeline().Marks)
	s.keys("/").typeText("preemption").keys("enter")
	list := timeline().Listed
	if list.Total == 0 || list.Total == all || len(timeline().Marks) != all {
		t.Fatalf("%d of %d marks are listed, and the timeline has %d", list.Total, all, len(timeline().Marks))
	}
	for _, m := range list.Rows {
		if m.Kind != trace.Preemption.String() && !strings.Contains(m.Label, "preemption") {
			t.Errorf("the mark %s %q is listed", m.Kind, m.Label)
		}
	}
	s.keys("down", "enter")
	if got, want := s.screen.frame.Now, timeline().Listed.At(1).At; !got.Equal(want) {
		t.Errorf("enter seeks to %v, want the second listed mark, at %v", got, want)
	}
	s.keys("/").typeText("!nothing of the kind anywhere").keys("enter", "esc")
	s.keys("/").typeText("nothing of the kind anywhere").keys("enter").shows("no marks match /nothing of the kind anywhere/").keys("enter", "esc")
	s.keys("s")
	list = timeline().Listed
	if list.Total != all || !slices.IsSortedFunc(list.Rows, func(a, b views.Mark) int { return strings.Compare(a.Kind, b.Kind) }) {
		t.Errorf("sorted by kind the marks are %v", list.Rows)
	}
}
