package console

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The leaders of a cluster renew their leases every two seconds, so that some watch has an event that often. When all are silent for two
// renewals, a small request tells whether the API server is there.
const (
	askAfter = 4 * time.Second
	askLimit = 2 * time.Second
	// tellAfter is when a leader that was not heard of counts as silent. A quick answer comes before that.
	tellAfter  = 5 * time.Second
	checkEvery = 500 * time.Millisecond
)

// hear takes note that the API server said something.
func (l *connection) hear() {
	l.mu.Lock()
	l.heard, l.asking, l.silent = time.Now(), false, false
	l.mu.Unlock()
}

// listen asks whenever nothing was heard for a while, until the context ends.
func (l *connection) listen(ctx context.Context, ask func(context.Context)) {
	each := time.NewTicker(checkEvery)
	defer each.Stop()
	for {
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
		l.mu.Lock()
		quiet := !l.heard.IsZero() && time.Since(l.heard) >= askAfter
		l.asking = quiet
		l.mu.Unlock()
		if quiet {
			l.ask(ctx, ask)
		}
	}
}

// ask makes the request, and takes note if it had no answer in time. Any answer is heard.
func (l *connection) ask(ctx context.Context, ask func(context.Context)) {
	limited, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	ask(limited)
	l.mu.Lock()
	if l.asking && !l.silent && ctx.Err() == nil {
		l.silent = true
		defer l.wake()
	}
	l.mu.Unlock()
}

// askForLease reads the scheduler's lease, which is small, from the store itself and not from the API server's cache.
func (s *Session) askForLease(ctx context.Context) {
	election := s.options.Config.LeaderElection
	_, _ = s.client.CoordinationV1().Leases(election.ResourceNamespace).Get(ctx, election.ResourceName, metav1.GetOptions{})
}

// heardBody is an answer whose bytes are heard as they come, such as the events of a watch.
type heardBody struct {
	io.ReadCloser
	connection *connection
}

func (b heardBody) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	if n > 0 {
		b.connection.hear()
	}
	return n, err
}
