package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// onlyReads is a connection of a command that only asks. It refuses every request that could change something, so that such a command
// cannot, whatever it does.
type onlyReads struct{ http.RoundTripper }

// WrappedRoundTripper is what client-go cancels requests by.
func (t onlyReads) WrappedRoundTripper() http.RoundTripper { return t.RoundTripper }

// RoundTrip passes on what changes nothing.
func (t onlyReads) RoundTrip(r *http.Request) (*http.Response, error) {
	if changesNothing(r) {
		return t.RoundTripper.RoundTrip(r)
	}
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, fmt.Errorf("this command only reads, and does not send %s %q", r.Method, r.URL.Path)
}

// changesNothing allows reads; what opens a stream to a pod's port, as "kubectl port-forward" does; the question what one may do; and
// objects that the API server is to admit, and not to keep.
func changesNothing(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet:
		return true
	case http.MethodPost:
		return strings.HasSuffix(r.URL.Path, "/portforward") || strings.HasSuffix(r.URL.Path, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews") ||
			slices.Equal(r.URL.Query()["dryRun"], []string{metav1.DryRunAll})
	}
	return false
}
