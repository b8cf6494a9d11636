package leader

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// attempt is one try at acquiring or renewing the lease, or at releasing it: one to three calls, one after the other.
//
//	                          NotFound
//	start ──────────► reading ────────► creating ──┐
//	  │ holds a          │ may be taken            │
//	  │ good lease       ▼                         ▼
//	  └─► renewing    writing ──────────────► success or failure
//	      at once ──────────────────────────►
//	          │ failed: reading
//
// All records it writes bear the time of its start. They are one record, corrected from step to step: what the
// optimistic update took over from the observed record stays in it when the Lease turns out to be gone or free.
type attempt struct {
	start time.Time
	step  step
	call  Call
	made  bool
	// record is what is to be written.
	record Record
}

// step is what the call under way is for.
type step uint8

const (
	idle step = iota
	// optimistic updates the Lease as it was written last, without a look at it.
	optimistic
	reading
	creating
	writing
	// readingLast and writingLast release the lease.
	readingLast
	writingLast
)

var timedOut = Answer{Outcome: world.Outcome{
	Code: fwk.Error, Reason: metav1.StatusReasonTimeout, Message: "the call on the lease took too long",
}}

// begin starts an attempt.
func (c *Candidate) begin(now time.Time) {
	c.next = time.Time{}
	c.attempt.start = now
	if c.phase == renewing {
		c.round(now)
	}
	c.attempt.record = Record{
		Holder:       c.settings.Identity,
		LeaseSeconds: int(c.settings.LeaseDuration / time.Second),
		AcquireTime:  now,
		RenewTime:    now,
	}
	if c.holds() && c.good(now) && c.cached != nil && !c.settings.Coordinated {
		c.goOnWith(c.observed)
		c.update(now, optimistic)
		return
	}
	c.send(now, reading, Get, nil)
}

// goOnWith makes the record renew one of this candidate's own.
func (c *Candidate) goOnWith(own Record) {
	c.attempt.record.AcquireTime, c.attempt.record.Transitions = own.AcquireTime, own.Transitions
	if c.settings.Coordinated {
		c.attempt.record.Strategy = own.Strategy
	}
}

// send puts a call under way, for as long as it may take.
func (c *Candidate) send(now time.Time, s step, verb Verb, lease *coordinationv1.Lease) {
	until := c.deadline
	if limit := c.settings.CallTimeout; limit > 0 && (until.IsZero() || now.Add(limit).Before(until)) {
		until = now.Add(limit)
	}
	c.attempt.step, c.attempt.made = s, false
	c.attempt.call = Call{
		ID: c.attempt.call.ID + 1, Verb: verb,
		Namespace: c.settings.Namespace, Name: c.settings.Name,
		Lease: lease, Until: until,
	}
}

func (c *Candidate) create(now time.Time) {
	c.send(now, creating, Create, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.settings.Namespace, Name: c.settings.Name},
		Spec:       c.attempt.record.Spec(),
	})
}

func (c *Candidate) update(now time.Time, s step) {
	lease := *c.cached
	lease.Spec = c.attempt.record.Spec()
	c.send(now, s, Update, &lease)
}

// ended goes on from a call that has ended.
func (c *Candidate) ended(now time.Time, a Answer) {
	did, ok := c.attempt.step, a.Outcome.OK()
	c.attempt.step = idle
	if ok && did != reading && did != readingLast {
		c.cached = a.Lease
		c.observe(now, c.attempt.record)
	}
	switch {
	case did == readingLast:
		c.foundLast(now, a)
	case did == writingLast:
		c.finish(now)
	case did == reading && ok:
		c.found(now, a.Lease)
	case did == reading && a.Outcome.Reason == metav1.StatusReasonNotFound && !c.settings.Coordinated:
		c.create(now)
	case ok:
		c.succeed(now)
	case did == optimistic:
		c.send(now, reading, Get, nil)
	default:
		if did == creating {
			c.cached = nil
		}
		c.fail(now)
	}
}

// found decides what to do about the Lease as it was read. Whether it names this candidate, and since when, is judged
// by what is observed, which only a change of the record renews; whether it had expired, as of the attempt's start.
func (c *Candidate) found(now time.Time, lease *coordinationv1.Lease) {
	c.cached = lease
	r := RecordOf(lease)
	if !c.hasRead || !c.read.looksLike(r) {
		c.observe(now, r)
		c.read, c.hasRead = r, true
	}
	start := c.attempt.start
	if c.settings.Coordinated {
		expired := c.observedAt.Add(r.Duration()).Before(start)
		if expired || !c.holds() || r.PreferredHolder != "" {
			c.fail(now)
			return
		}
	}
	switch {
	case c.holds():
		c.slowPaths++
		c.goOnWith(r)
		c.update(now, writing)
	case r.Holder != "" && c.good(start):
		c.fail(now)
	default:
		c.attempt.record.Transitions = r.Transitions + 1
		c.update(now, writing)
	}
}
