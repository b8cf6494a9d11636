package console

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"orrery/core/operate"
)

// link sees every request to the API server pass, and how it ends.
type link struct {
	mu     sync.Mutex
	lost   error
	since  time.Time
	denied []operate.Rule // reads that were forbidden since, in order
	wake   func()
}

// around has every request of a client pass the link.
func (l *link) around(next http.RoundTripper) http.RoundTripper { return passing{link: l, next: next} }

// reading is around a client that can read and nothing else.
func (l *link) reading(next http.RoundTripper) http.RoundTripper { return passing{l, next, true} }

type passing struct {
	link  *link
	next  http.RoundTripper
	reads bool // only
}

// errReadOnly is what becomes of a write that nobody has allowed.
var errReadOnly = errors.New("this console only looks; start it with --allow-actions to change the cluster")

func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.reads && r.Method != http.MethodGet {
		return nil, errReadOnly
	}
	response, err := p.next.RoundTrip(r)
	switch {
	case err == nil:
		p.link.answered(r, response.StatusCode)
	case r.Context().Err() == nil: // else it was we who gave it up
		p.link.failed(err)
	}
	return response, err
}

// WrappedRoundTripper lets client-go find what is below.
func (p passing) WrappedRoundTripper() http.RoundTripper { return p.next }

func (l *link) failed(err error) {
	l.mu.Lock()
	if l.lost == nil {
		l.since = time.Now()
	}
	l.lost = err
	l.mu.Unlock()
	l.wake()
}

func (l *link) answered(r *http.Request, code int) {
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

// state is whether the last request failed, since when they do, and what may not be read.
func (l *link) state() (since time.Time, denied []operate.Rule, lost error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since, slices.Clone(l.denied), l.lost
}

// ruleOf is the permission that a request takes, as far as its path tells.
func ruleOf(r *http.Request) (operate.Rule, bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var rule operate.Rule
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
