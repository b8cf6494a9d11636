package tui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/whatif/change"
)

// TestWhatIf_WhilePlaying runs a what-if in one goroutine while another plays on: under the race detector, that a fork
// shares no data that either changes.
func TestWhatIf_WhilePlaying(t *testing.T) {
	s := newSession(t, 80, 24).keys("space").advance(20 * time.Second)
	const questions = 4
	answers := make(chan tea.Msg, questions)
	messages := s.loop.send
	s.loop.send = func(m tea.Msg) {
		if _, ok := m.(whatIfMsg); ok {
			answers <- m
			return
		}
		messages(m)
	}
	s.loop.spawn = func(work func()) { go work() }
	for i := range questions {
		changes, err := change.ParseAll([]string{"drain", fmt.Sprintf("node-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		s.loop.askWhatIf(i, changes)
		s.advance(5 * time.Second)
	}
	for range questions {
		if m := (<-answers).(whatIfMsg); m.err != nil {
			t.Errorf("question %d: %v", m.number, m.err)
		}
	}
}
