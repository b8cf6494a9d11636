package console

import (
	"context"
	"net/http"
)

// ObserveRequests observes requests as a session does, and returns why the API server is lost.
func ObserveRequests(next http.RoundTripper) (observed http.RoundTripper, lost func() error) {
	l := &connection{}
	l.observe(func() {})
	return l.Wrap(next), func() error {
		var st State
		l.state(&st)
		return st.Lost
	}
}

// Listen observes requests as a session does, asks by ask when nothing is heard, and returns what a session's state says of it.
func Listen(ctx context.Context, next http.RoundTripper, ask func(context.Context, http.RoundTripper)) (observed http.RoundTripper, state func() State) {
	l := &connection{}
	l.observe(func() {})
	observed = l.Wrap(next)
	go l.Listen(ctx, func(ctx context.Context) { ask(ctx, observed) })
	return observed, func() State {
		var st State
		l.state(&st)
		return st
	}
}
