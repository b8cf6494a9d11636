package contact

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"orrery/core/safe/printable"
)

// ErrUnauthorized says what to do about expired credentials.
var ErrUnauthorized = errors.New("the API server rejects the credentials: log in again")

// Monitor observes all requests to an API server and their results. Its methods may be called on any goroutine.
type Monitor struct {
	// Answered is called for each answer that is no failure, and reports whether it changes what is shown. It may be nil.
	Answered func(r *http.Request, code int) (changed bool)
	// Wake is called after changes of the state. It may be nil.
	Wake func()

	mu     sync.Mutex
	lost   error
	since  time.Time
	heard  time.Time // when the API server last said anything
	asking bool      // it was asked, and did not answer yet
	silent bool      // and not in time
}

// State is what is known of an API server.
type State struct {
	// Lost is why it is unreachable or answers no lists and watches; nil if it does. Nothing is known of the time since LostSince.
	Lost      error
	LostSince time.Time
	// Heard is when it last said anything. Asking means that it was silent for so long that a leader would count as silent, and
	// has not answered a request yet; Silent that it did not answer in time.
	Heard          time.Time
	Asking, Silent bool
}

// State returns what is known.
func (m *Monitor) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return State{
		Lost: m.lost, LostSince: m.since, Heard: m.heard, Silent: m.silent, Asking: m.asking && time.Since(m.heard) >= tellAfter,
	}
}

// Wrap observes a client's requests.
func (m *Monitor) Wrap(next http.RoundTripper) http.RoundTripper { return transport{m, next} }

type transport struct {
	monitor *Monitor
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	switch {
	case err == nil:
		t.monitor.answered(r, response)
		if response.Body != nil && response.StatusCode == http.StatusOK {
			response.Body = heardBody{response.Body, t.monitor}
		}
	case r.Context().Err() == nil: // otherwise this side cancelled it
		t.monitor.failed(err)
	}
	return response, err
}

// WrappedRoundTripper implements client-go's RoundTripperWrapper.
func (t transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// heardBody is an answer whose bytes are heard as they come, such as the events of a watch.
type heardBody struct {
	io.ReadCloser
	monitor *Monitor
}

func (b heardBody) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	if n > 0 {
		b.monitor.hear()
	}
	return n, err
}

// answered observes an answer. One that says that nothing can be read, by the API server or by a load balancer before it,
// is a failure like a broken connection. It tells so of lists and watches only: a request for a single object
// may fail on its own, and then tells nothing.
func (m *Monitor) answered(r *http.Request, response *http.Response) {
	unauthorized := response.StatusCode == http.StatusUnauthorized
	if !unauthorized && response.StatusCode < http.StatusInternalServerError {
		m.succeeded(r, response.StatusCode)
		return
	}
	request, ok := RequestOf(r)
	switch {
	case !ok || request.Verb != "list" && request.Verb != "watch":
		m.hear()
	case unauthorized:
		m.failed(ErrUnauthorized)
	default:
		m.failed(fmt.Errorf("the API server answers %s", printable.Line(response.Status, 80)))
	}
}

func (m *Monitor) failed(err error) {
	m.mu.Lock()
	if m.lost == nil {
		if m.since = m.heard; m.since.IsZero() {
			m.since = time.Now()
		}
	}
	m.lost = err
	m.mu.Unlock()
	m.wake()
}

func (m *Monitor) succeeded(r *http.Request, code int) {
	m.hear()
	m.mu.Lock()
	changed := m.lost != nil
	m.lost = nil
	m.mu.Unlock()
	if m.Answered != nil && m.Answered(r, code) || changed {
		m.wake()
	}
}

func (m *Monitor) wake() {
	if m.Wake != nil {
		m.Wake()
	}
}

// hear takes note that the API server said something.
func (m *Monitor) hear() {
	m.mu.Lock()
	m.heard, m.asking, m.silent = time.Now(), false, false
	m.mu.Unlock()
}
