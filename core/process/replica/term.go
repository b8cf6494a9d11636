package replica

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentbasev1alpha1 "k8s.io/component-base/config/v1alpha1"
)

// term is the period during which the lease permits a replica to lead. It wraps the elector's access to the Lease and
// sees all renewals; see the package comment.
type term struct {
	resourcelock.Interface
	deadline time.Duration
	lost     func()           // called once, at the end; it does not wait
	settle   func()           // called before the release: returns when nothing that was cut off is under way
	wall     func() time.Time // the wall clock, without a monotonic reading
	replaced chan struct{}    // closed when the control plane prefers another holder

	mu         sync.Mutex
	holder     string // in the Lease as last read
	isReplaced bool
	began      bool
	ended      bool
	until      deadline
	timer      *time.Timer
}

// deadline is a time by both clocks: the monotonic one stands still while a machine is suspended, and the wall clock may be set back.
type deadline struct{ monotonic, wall time.Time }

// passed reports whether one of the clocks has reached the deadline.
func (t *term) passed() bool {
	return !time.Now().Before(t.until.monotonic) || !t.wall().Before(t.until.wall)
}

// termAfterRenewal is how long a replica leads on without another renewal, from the start of the last one. kube-scheduler's renew
// deadline counts from the next try, which is a retry period later; but here a term never outlasts the lease.
func termAfterRenewal(e componentbasev1alpha1.LeaderElectionConfiguration, strict bool) time.Duration {
	if strict {
		return e.RenewDeadline.Duration
	}
	return min(e.RenewDeadline.Duration+e.RetryPeriod.Duration, e.LeaseDuration.Duration)
}

func newTerm(lock resourcelock.Interface, deadline time.Duration, lost, settle func()) *term {
	return &term{
		Interface: lock, deadline: deadline, lost: lost, settle: settle, replaced: make(chan struct{}),
		wall: func() time.Time { return time.Now().Round(0) },
	}
}

// leads reports whether the term lasts. It ends one whose deadline has passed, for good: the timer may be late, and stands still
// while the machine is suspended.
func (t *term) leads() bool {
	t.mu.Lock()
	began, passed := t.began && !t.ended, t.passed()
	t.mu.Unlock()
	if began && passed {
		t.end()
	}
	return began && !passed
}

// Get reads the Lease. A leader that reads another holder stops leading; one that reads another preferred holder closes
// replaced.
func (t *term) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := t.Interface.Get(ctx)
	if err != nil {
		return record, raw, err
	}
	mine := record.HolderIdentity == t.Identity()
	t.mu.Lock()
	t.holder = record.HolderIdentity
	if mine && t.began && record.PreferredHolder != "" && !t.isReplaced {
		t.isReplaced = true
		close(t.replaced)
	}
	t.mu.Unlock()
	if !mine {
		t.end()
	}
	return record, raw, err
}

// Create acquires a missing Lease.
func (t *term) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	until := t.next()
	err := t.Interface.Create(ctx, record)
	if err == nil {
		t.extend(until)
	}
	return err
}

var (
	// errHeldByOther rejects the release of a Lease that has another holder. The elector does not check that.
	errHeldByOther = errors.New("the lease is another's by now")
	// errEnded rejects the renewal of a term that has ended: the process is about to end, and others could lead.
	errEnded = errors.New("not renewed: the term has ended")
)

// Update acquires, renews or releases the Lease.
func (t *term) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if record.HolderIdentity != t.Identity() {
		t.end() // before another replica can start
		if t.heldByOther() {
			return errHeldByOther
		}
		t.settle()
		return t.Interface.Update(ctx, record)
	}
	if t.over() {
		return errEnded
	}
	until := t.next()
	err := t.Interface.Update(ctx, record)
	if err == nil {
		t.extend(until)
	}
	return err
}

// over reports whether a term has begun and ended.
func (t *term) over() bool {
	leads := t.leads()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.began && !leads
}

func (t *term) heldByOther() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holder != "" && t.holder != t.Identity()
}

// next is the deadline after a renewal that starts now.
func (t *term) next() deadline { return deadline{time.Now().Add(t.deadline), t.wall().Add(t.deadline)} }

// extend extends the term, unless it is over: a renewal that took so long that the deadline has passed comes too late.
func (t *term) extend(until deadline) {
	if t.over() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began, t.until = true, until
	left := time.Until(t.until.monotonic)
	if t.timer == nil {
		t.timer = time.AfterFunc(left, func() { t.leads() })
		return
	}
	t.timer.Reset(left)
}

// end ends a term that has started, for good.
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
