package tui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/whatif"
)

// TestAskingWhileItPlays asks in one goroutine while another plays on: under the race detector, that a fork shares
// nothing that either changes.
func TestAskingWhileItPlays(t *testing.T) {
	s := newSession(t, 80, 24).keys("space").passes(20 * time.Second)
	const questions = 4
	answers := make(chan tea.Msg, questions)
	told := s.pump.tell
	s.pump.tell = func(m tea.Msg) {
		if _, ok := m.(answerMsg); ok {
			answers <- m
			return
		}
		told(m)
	}
	s.pump.start = func(work func()) { go work() }
	for i := range questions {
		changes, err := whatif.ParseAll([]string{"drain", fmt.Sprintf("node-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		s.pump.ask(i, changes)
		s.passes(5 * time.Second)
	}
	for range questions {
		if m := (<-answers).(answerMsg); m.err != nil {
			t.Errorf("question %d: %v", m.number, m.err)
		}
	}
}
