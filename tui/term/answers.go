package term

import (
	"bytes"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// They are variables for tests, in which a terminal's answer may take as long as the machine is busy.
var (
	// answerWait is how long a quitting program waits for pending answers at most: a terminal may be far away.
	answerWait = 500 * time.Millisecond
	// answerTimeout is the age at which an answer is no longer expected: most terminals do not know every query.
	answerTimeout = time.Second
)

// queries are the queries that expect an answer, as they are written.
var queries = [...][]byte{[]byte("\x1b[?2026$p"), []byte("\x1b[?2027$p"), []byte("\x1b[?u"), []byte("\x1b]11;?")}

// lastQuery is sent when a program quits with answers pending. Every terminal answers it, and after all earlier queries that
// it knows.
var lastQuery = []byte("\x1b[6n")

// pendingAnswers counts the queries that the terminal has not answered.
type pendingAnswers struct {
	mu        sync.Mutex
	open      int
	began     time.Time
	asked     time.Time
	first     chan struct{} // closed with the first queries
	quitting  bool
	afterLast int           // of the open ones, those that were written after lastQuery
	quitReady chan struct{} // closed when a quitting program may exit
}

func newPendingAnswers() pendingAnswers {
	return pendingAnswers{began: time.Now(), first: make(chan struct{})}
}

// countQueries counts the queries in written bytes.
func (a *pendingAnswers) countQueries(written []byte) {
	if bytes.IndexByte(written, '?') < 0 {
		return
	}
	n := 0
	for _, q := range queries {
		n += bytes.Count(written, q)
	}
	if n == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked.IsZero() {
		close(a.first)
	}
	a.open += n
	a.asked = time.Now()
	if a.quitReady != nil {
		a.afterLast += n
	}
}

// countAnswers counts an answer if the message is one.
func (a *pendingAnswers) countAnswers(msg tea.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch msg.(type) {
	case tea.ModeReportMsg, tea.KeyboardEnhancementsMsg, tea.BackgroundColorMsg:
		a.open = max(a.open-1, 0)
	case tea.CursorPositionMsg:
		a.open = a.afterLast
	default:
		return
	}
	if a.open == 0 {
		a.release()
	}
}

// delayQuit reports whether a quitting program has to wait: answers may still come, or the program has just begun and has not
// written its queries yet. It does so once.
func (a *pendingAnswers) delayQuit() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	expected := a.open > 0 && time.Since(a.asked) <= answerTimeout
	if a.asked.IsZero() {
		expected = time.Since(a.began) <= answerTimeout
	}
	delay := expected && !a.quitting
	a.quitting = true
	return delay
}

// awaitQueries waits for the first queries; a terminal may be asked nothing.
func (a *pendingAnswers) awaitQueries() {
	select {
	case <-a.first:
	case <-time.After(answerWait):
	}
}

// beforeQuit returns a channel that is closed when the program may exit; nil if it may exit now.
func (a *pendingAnswers) beforeQuit() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == 0 {
		return nil
	}
	a.quitReady = make(chan struct{})
	a.open++ // the last query
	time.AfterFunc(answerWait, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.release()
	})
	return a.quitReady
}

func (a *pendingAnswers) release() {
	if a.quitReady != nil {
		close(a.quitReady)
		a.quitReady = nil
	}
}
