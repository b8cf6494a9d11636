package console

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/operator/actions"
	"orrery/core/process/contact"
)

// connection observes all requests to the API server and their results.
type connection struct {
	contact.Monitor
	mu     sync.Mutex
	denied []actions.Rule // forbidden reads, in order
}

// observe makes the monitor's answers tell which reads are forbidden, and changes wake.
func (l *connection) observe(wake func()) { l.Answered, l.Wake = l.answered, wake }

// wrapReadOnly also rejects the client's writes.
func (l *connection) wrapReadOnly(next http.RoundTripper) http.RoundTripper {
	return contact.ReadOnly(errReadOnly)(l.Wrap(next))
}

// errReadOnly rejects writes without --allow-actions.
var errReadOnly = errors.New("read-only: start the console with --allow-actions to change the cluster")

// answered notes reads that are forbidden, or no longer.
func (l *connection) answered(r *http.Request, code int) (changed bool) {
	rule, ok := ruleOf(r)
	if !ok || r.Method != http.MethodGet {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.denied, rule)
	switch {
	case code == http.StatusForbidden && at < 0:
		l.denied = append(l.denied, rule)
		return true
	case code == http.StatusOK && at >= 0:
		l.denied = slices.Delete(l.denied, at, at+1)
		return true
	}
	return false
}

// state sets what the connection knows of a session's state, and returns the forbidden reads.
func (l *connection) state(st *State) (denied []actions.Rule) {
	known := l.State()
	st.Lost, st.LostSince, st.Heard, st.Asking, st.Silent = known.Lost, known.LostSince, known.Heard, known.Asking, known.Silent
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.denied)
}

// ruleOf returns the RBAC rule of a request.
func ruleOf(r *http.Request) (actions.Rule, bool) {
	q, ok := contact.RequestOf(r)
	return actions.Rule{Group: q.Group, Resource: q.Resource, Namespace: q.Namespace, Verb: q.Verb}, ok
}

// askForLease reads the scheduler's lease, which is small, from the store itself and not from the API server's cache.
func (s *Session) askForLease(ctx context.Context) {
	election := s.options.Config.LeaderElection
	_, _ = s.client.CoordinationV1().Leases(election.ResourceNamespace).Get(ctx, election.ResourceName, metav1.GetOptions{})
}
