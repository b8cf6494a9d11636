package contact

import (
	"context"
	"time"
)

const (
	askAfter = 4 * time.Second
	askLimit = 2 * time.Second
	// tellAfter is when a leader that was not heard of counts as silent. A quick answer comes before that.
	tellAfter  = 5 * time.Second
	checkEvery = 500 * time.Millisecond
)

// Listen asks whenever nothing was heard for a while, until the context ends.
func (m *Monitor) Listen(ctx context.Context, ask func(context.Context)) {
	each := time.NewTicker(checkEvery)
	defer each.Stop()
	for {
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
		m.mu.Lock()
		quiet := !m.heard.IsZero() && time.Since(m.heard) >= askAfter
		m.asking = quiet
		m.mu.Unlock()
		if quiet {
			m.ask(ctx, ask)
		}
	}
}

// ask makes the request, and takes note if it had no answer in time. Any answer is heard.
func (m *Monitor) ask(ctx context.Context, ask func(context.Context)) {
	limited, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	ask(limited)
	m.mu.Lock()
	changed := m.asking && !m.silent && ctx.Err() == nil
	if changed {
		m.silent = true
	}
	m.mu.Unlock()
	if changed {
		m.wake()
	}
}
