package replica

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// term is the time for which a lease lets a replica lead. It stands between client-go's elector and the Lease, and sees
// when it is renewed; see the package comment.
type term struct {
	resourcelock.Interface
	deadline time.Duration
	lost     func()        // called once, when leading ends
	recalled chan struct{} // closed when the control plane prefers another

	mu     sync.Mutex
	holder string // as the Lease was last seen
	recall bool
	began  bool
	ended  bool
	until  time.Time // with a monotonic reading
	timer  *time.Timer
}

func newTerm(lock resourcelock.Interface, deadline time.Duration, lost func()) *term {
	return &term{Interface: lock, deadline: deadline, lost: lost, recalled: make(chan struct{})}
}

// leads tells whether the term lasts.
func (t *term) leads() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.began && !t.ended && time.Now().Before(t.until)
}

// Get looks at the Lease. A leader that finds another's name there leads no more, and one that is to make room for another
// is told to.
func (t *term) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := t.Interface.Get(ctx)
	if err != nil {
		return record, raw, err
	}
	mine := record.HolderIdentity == t.Identity()
	t.mu.Lock()
	t.holder = record.HolderIdentity
	if mine && t.began && record.PreferredHolder != "" && !t.recall {
		t.recall = true
		close(t.recalled)
	}
	t.mu.Unlock()
	if !mine {
		t.end()
	}
	return record, raw, err
}

// Create takes a Lease that is not there.
func (t *term) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	start := time.Now()
	err := t.Interface.Create(ctx, record)
	if err == nil {
		t.renewed(start)
	}
	return err
}

// errNotOurs is why a Lease is not released. The elector looks at it first, and does not heed whose it is.
var errNotOurs = errors.New("the lease is another's by now")

// Update takes, renews or releases the Lease.
func (t *term) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if record.HolderIdentity != t.Identity() {
		t.end() // before anybody else can begin
		if t.isAnothers() {
			return errNotOurs
		}
	}
	start := time.Now()
	err := t.Interface.Update(ctx, record)
	if err == nil && record.HolderIdentity == t.Identity() {
		t.renewed(start)
	}
	return err
}

func (t *term) isAnothers() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holder != "" && t.holder != t.Identity()
}

// renewed lets the term go on until the deadline after a renewal was begun.
func (t *term) renewed(start time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.began, t.until = true, start.Add(t.deadline)
	left := time.Until(t.until)
	if t.timer == nil {
		t.timer = time.AfterFunc(left, t.expire)
		return
	}
	t.timer.Reset(left)
}

// expire ends the term if it was not renewed since the timer was set.
func (t *term) expire() {
	t.mu.Lock()
	over := !time.Now().Before(t.until)
	t.mu.Unlock()
	if over {
		t.end()
	}
}

// end ends a term that has begun, for good.
func (t *term) end() {
	t.mu.Lock()
	ends := t.began && !t.ended
	t.ended = t.ended || ends
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	if ends {
		t.lost()
	}
}
