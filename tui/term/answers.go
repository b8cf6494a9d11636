package term

import (
	"bytes"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// patience is how long a program that is left waits for answers on their way.
	patience = 50 * time.Millisecond
	// slowest is the age at which an answer is no longer expected: most terminals do not know every question.
	slowest = time.Second
)

// questions are what is put to the terminal, as it is written.
var questions = [...][]byte{[]byte("\x1b[?2026$p"), []byte("\x1b[?2027$p"), []byte("\x1b[?u"), []byte("\x1b]11;?")}

// answers keeps count of questions that the terminal was asked and has not answered.
type answers struct {
	mu      sync.Mutex
	open    int
	asked   time.Time
	leaving bool
	waiting chan struct{} // closed when a program that leaves may go
}

// asking looks for questions in what is written.
func (a *answers) asking(written []byte) {
	if bytes.IndexByte(written, '?') < 0 {
		return
	}
	n := 0
	for _, q := range questions {
		n += bytes.Count(written, q)
	}
	if n == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open += n
	a.asked = time.Now()
}

// seen looks for answers in what comes in.
func (a *answers) seen(msg tea.Msg) {
	switch msg.(type) {
	case tea.ModeReportMsg, tea.KeyboardEnhancementsMsg, tea.BackgroundColorMsg:
	default:
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = max(a.open-1, 0)
	if a.open == 0 {
		a.release()
	}
}

// outstanding is closed when the program may leave. It is nil if that is now.
func (a *answers) outstanding() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leaving || a.open == 0 || time.Since(a.asked) > slowest {
		return nil
	}
	a.leaving, a.waiting = true, make(chan struct{})
	time.AfterFunc(patience, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.release()
	})
	return a.waiting
}

func (a *answers) release() {
	if a.waiting != nil {
		close(a.waiting)
		a.waiting = nil
	}
}
