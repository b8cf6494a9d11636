package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"orrery/core/operator/actions"
	"orrery/core/safe/printable"
)

// connection observes all requests to the API server and their results.
type connection struct {
	mu     sync.Mutex
	lost   error
	since  time.Time
	heard  time.Time      // when the API server last said anything
	asking bool           // it was asked, and did not answer yet
	silent bool           // and not in time
	denied []actions.Rule // forbidden reads, in order
	wake   func()
}

// wrap observes a client's requests.
func (l *connection) wrap(next http.RoundTripper) http.RoundTripper {
	return monitoredTransport{connection: l, next: next}
}

// wrapReadOnly also rejects the client's writes.
func (l *connection) wrapReadOnly(next http.RoundTripper) http.RoundTripper {
	return monitoredTransport{l, next, true}
}

type monitoredTransport struct {
	connection *connection
	next       http.RoundTripper
	readOnly   bool // reject writes
}

// errReadOnly rejects writes without --allow-actions.
var errReadOnly = errors.New("read-only: start the console with --allow-actions to change the cluster")

func (p monitoredTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.readOnly && r.Method != http.MethodGet {
		return nil, errReadOnly
	}
	response, err := p.next.RoundTrip(r)
	switch {
	case err == nil:
		p.connection.answered(r, response)
		if response.Body != nil && response.StatusCode == http.StatusOK {
			response.Body = heardBody{response.Body, p.connection}
		}
	case r.Context().Err() == nil: // otherwise this side cancelled it
		p.connection.failed(err)
	}
	return response, err
}

// WrappedRoundTripper implements client-go's RoundTripperWrapper.
func (p monitoredTransport) WrappedRoundTripper() http.RoundTripper { return p.next }

// errUnauthorized says what to do about expired credentials.
var errUnauthorized = errors.New("the API server rejects the credentials: log in again")

// answered observes an answer. One that says that nothing can be read, by the API server or by a load balancer before it,
// is a failure like a broken connection. It tells so of lists and watches only: a request for a single object
// may fail on its own, and then tells nothing.
func (l *connection) answered(r *http.Request, response *http.Response) {
	unauthorized := response.StatusCode == http.StatusUnauthorized
	if !unauthorized && response.StatusCode < http.StatusInternalServerError {
		l.succeeded(r, response.StatusCode)
		return
	}
	rule, ok := ruleOf(r)
	switch {
	case !ok || rule.Verb != "list" && rule.Verb != "watch":
		l.hear()
	case unauthorized:
		l.failed(errUnauthorized)
	default:
		l.failed(fmt.Errorf("the API server answers %s", printable.Line(response.Status, 80)))
	}
}

func (l *connection) failed(err error) {
	l.mu.Lock()
	if l.lost == nil {
		if l.since = l.heard; l.since.IsZero() {
			l.since = time.Now()
		}
	}
	l.lost = err
	l.mu.Unlock()
	l.wake()
}

func (l *connection) succeeded(r *http.Request, code int) {
	l.hear()
	l.mu.Lock()
	changed := l.lost != nil
	l.lost = nil
	if rule, ok := ruleOf(r); ok && r.Method == http.MethodGet {
		at := slices.Index(l.denied, rule)
		switch {
		case code == http.StatusForbidden && at < 0:
			l.denied, changed = append(l.denied, rule), true
		case code == http.StatusOK && at >= 0:
			l.denied, changed = slices.Delete(l.denied, at, at+1), true
		}
	}
	l.mu.Unlock()
	if changed {
		l.wake()
	}
}

// state sets what the connection knows of a session's state, and returns the forbidden reads.
func (l *connection) state(st *State) (denied []actions.Rule) {
	l.mu.Lock()
	defer l.mu.Unlock()
	st.Lost, st.LostSince = l.lost, l.since
	st.Heard, st.Silent = l.heard, l.silent
	st.Asking = l.asking && time.Since(l.heard) >= tellAfter
	return slices.Clone(l.denied)
}

// ruleOf returns the RBAC rule of a request, by its path.
func ruleOf(r *http.Request) (actions.Rule, bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var rule actions.Rule
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		rule.Group, parts = parts[1], parts[3:]
	default:
		return rule, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		rule.Namespace, parts = parts[1], parts[2:]
	}
	rule.Resource = parts[0]
	named := len(parts) > 1
	if len(parts) > 2 {
		rule.Resource += "/" + parts[2]
	}
	switch watch := r.URL.Query().Get("watch"); {
	case r.Method == http.MethodGet && (watch == "true" || watch == "1"):
		rule.Verb = "watch"
	case r.Method == http.MethodGet && !named:
		rule.Verb = "list"
	default:
		rule.Verb = map[string]string{
			http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
		}[r.Method]
	}
	return rule, rule.Verb != ""
}
