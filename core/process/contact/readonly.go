package contact

import "net/http"

// ReadOnly refuses every request of a client that is no GET with an error, so that the client cannot change anything.
func ReadOnly(refusal error) func(next http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return readOnly{next, refusal} }
}

type readOnly struct {
	next    http.RoundTripper
	refusal error
}

// RoundTrip implements http.RoundTripper.
func (t readOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return t.next.RoundTrip(r)
	}
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, t.refusal
}

// WrappedRoundTripper is what client-go cancels requests by.
func (t readOnly) WrappedRoundTripper() http.RoundTripper { return t.next }
