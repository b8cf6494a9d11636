package console

import "net/http"

// ObserveRequests observes requests as a session does, and returns why the API server is lost.
func ObserveRequests(next http.RoundTripper) (observed http.RoundTripper, lost func() error) {
	l := &connection{wake: func() {}}
	return l.wrap(next), func() error {
		_, _, err := l.state()
		return err
	}
}
