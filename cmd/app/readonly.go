package app

import (
	"fmt"
	"net/http"
	"strings"
)

// onlyReads is a connection of a command that only asks. It refuses every request that could change something, so that such a command
// cannot, whatever it does.
type onlyReads struct{ http.RoundTripper }

// WrappedRoundTripper is what client-go cancels requests by.
func (t onlyReads) WrappedRoundTripper() http.RoundTripper { return t.RoundTripper }

// RoundTrip passes reads on, and what opens a stream to a pod's port, as "kubectl port-forward" does.
func (t onlyReads) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/portforward") {
		return t.RoundTripper.RoundTrip(r)
	}
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, fmt.Errorf("this command only reads, and does not send %s %q", r.Method, r.URL.Path)
}
