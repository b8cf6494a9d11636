package console

import (
	"context"
	"net/http"
)

// ObserveRequests observes requests as a session does, and returns why the API server is lost.
func ObserveRequests(next http.RoundTripper) (observed http.RoundTripper, lost func() error) {
	l := &connection{wake: func() {}}
	return l.wrap(next), func() error {
		var st State
		l.state(&st)
		return st.Lost
	}
}

// Listen observes requests as a session does, asks by ask when nothing is heard, and returns what a session's state says of it.
func Listen(ctx context.Context, next http.RoundTripper, ask func(context.Context, http.RoundTripper)) (observed http.RoundTripper, state func() State) {
	l := &connection{wake: func() {}}
	observed = l.wrap(next)
	go l.listen(ctx, func(ctx context.Context) { ask(ctx, observed) })
	return observed, func() State {
		var st State
		l.state(&st)
		return st
	}
}
