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
	lost     func()        // called once, at the end
	replaced chan struct{} // closed when the control plane prefers another holder

	mu         sync.Mutex
	holder     string // in the Lease as last read
	isReplaced bool
	began      bool
	ended      bool
	until      time.Time // with a monotonic reading
	timer      *time.Timer
}

// termAfterRenewal is how long a replica leads on without another renewal, from the start of the last one. kube-scheduler's renew
// deadline counts from the next try, which is a retry period later; but here a term never outlasts the lease.
func termAfterRenewal(e componentbasev1alpha1.LeaderElectionConfiguration, strict bool) time.Duration {
	if strict {
		return e.RenewDeadline.Duration
	}
	return min(e.RenewDeadline.Duration+e.RetryPeriod.Duration, e.LeaseDuration.Duration)
}

func newTerm(lock resourcelock.Interface, deadline time.Duration, lost func()) *term {
	return &term{Interface: lock, deadline: deadline, lost: lost, replaced: make(chan struct{})}
}

// leads reports whether the term lasts.
func (t *term) leads() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.began && !t.ended && time.Now().Before(t.until)
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
	start := time.Now()
	err := t.Interface.Create(ctx, record)
	if err == nil {
		t.extend(start)
	}
	return err
}

// errHeldByOther rejects the release of a Lease that has another holder. The elector does not check that.
var errHeldByOther = errors.New("the lease is another's by now")

// Update acquires, renews or releases the Lease.
func (t *term) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if record.HolderIdentity != t.Identity() {
		t.end() // before another replica can start
		if t.heldByOther() {
			return errHeldByOther
		}
	}
	start := time.Now()
	err := t.Interface.Update(ctx, record)
	if err == nil && record.HolderIdentity == t.Identity() {
		t.extend(start)
	}
	return err
}

func (t *term) heldByOther() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holder != "" && t.holder != t.Identity()
}

// extend extends the term to the deadline after the start of a renewal.
func (t *term) extend(start time.Time) {
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

// expire ends the term unless it was extended since the timer was set.
func (t *term) expire() {
	t.mu.Lock()
	over := !time.Now().Before(t.until)
	t.mu.Unlock()
	if over {
		t.end()
	}
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
