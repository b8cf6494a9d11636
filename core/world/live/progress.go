package live

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"orrery/core/world"
)

// progress is how far the watches have come, and how much of it the engine was given.
type progress struct {
	mu       sync.Mutex
	kinds    map[world.Kind]watchProgress
	received uint64        // events in the inbox so far
	taken    uint64        // and out of it
	waiting  time.Time     // since when the inbox was never empty; zero while it is
	changed  chan struct{} // closed at the next change; nil without a waiter
}

// watchProgress is the version up to which the inbox has a kind's changes, and how often the watch reported one.
type watchProgress struct {
	version string
	reports uint64
}

func newProgress() *progress { return &progress{kinds: map[world.Kind]watchProgress{}} }

func (p *progress) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// put counts an event that was put into the inbox. The engine may have taken it before that is counted.
func (p *progress) put(now time.Time) {
	p.change(func() {
		if p.received++; p.received > p.taken && p.waiting.IsZero() {
			p.waiting = now
		}
	})
}

// take counts an event that the engine takes.
func (p *progress) take() {
	p.change(func() {
		if p.taken++; p.taken >= p.received {
			p.waiting = time.Time{}
		}
	})
}

func (p *progress) report(kind world.Kind, version string) {
	p.change(func() { p.kinds[kind] = watchProgress{version, p.kinds[kind].reports + 1} })
}

// await waits until the watches of these kinds have reached a version, and the engine was given what they brought. A version that cannot
// be compared with a watch's is reached when that watch reports anything.
func (p *progress) await(ctx context.Context, kinds []world.Kind, version string) error {
	p.mu.Lock()
	began := maps.Clone(p.kinds)
	p.mu.Unlock()
	reached := func() bool {
		for _, kind := range kinds {
			at := p.kinds[kind]
			order, err := resourceversion.CompareResourceVersion(at.version, version)
			if err == nil && order < 0 || err != nil && at.reports == began[kind].reports {
				return false
			}
		}
		return true
	}
	if err := p.until(ctx, reached); err != nil {
		return err
	}
	p.mu.Lock()
	received := p.received
	p.mu.Unlock()
	return p.until(ctx, func() bool { return p.taken >= received })
}

func (p *progress) until(ctx context.Context, is func() bool) error {
	for {
		p.mu.Lock()
		ok := is()
		if p.changed == nil {
			p.changed = make(chan struct{})
		}
		changed := p.changed
		p.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// AwaitVersion waits until the watches have reached a resourceVersion and the engine was given what they brought: with the version of an
// object, everything that was written before it. It fails at the end of the context. API servers do not promise that versions of
// several kinds are in one order, but they are where all are in one etcd; a kind that nothing happens to reaches none.
func (c *Cluster) AwaitVersion(ctx context.Context, version string) error {
	return c.progress.await(ctx, c.options.Kinds, version)
}

// Backlog returns how many events wait for the engine, and for how long there was never none: an engine that keeps up takes all
// of them many times a second. It may be called from any goroutine.
func (c *Cluster) Backlog() (events int, lasting time.Duration) {
	c.progress.mu.Lock()
	since := c.progress.waiting
	c.progress.mu.Unlock()
	if since.IsZero() {
		return 0, 0
	}
	return len(c.inbox), max(time.Since(since), 0)
}
