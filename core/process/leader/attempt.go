package leader

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// attempt is one try to acquire, renew or release the lease: one to three calls in sequence.
//
//	                          NotFound
//	start ──────────► reading ────────► creating ──┐
//	  │ holds a          │ may be taken            │
//	  │ good lease       ▼                         ▼
//	  └─► renewing    writing ──────────────► success or failure
//	      at once ──────────────────────────►
//	          │ failed: reading
//
// All records of an attempt have the time of its start. They are one record that is corrected from step to step: what the
// optimistic update copied from the observed record stays in it when the Lease turns out to be deleted or free.
type attempt struct {
	start     time.Time
	wallLead  time.Duration // at the start
	step      step
	call      Call
	handedOut bool
	// record is the record that the next call writes.
	record Record
}

// step is the purpose of the call in flight.
type step uint8

const (
	idle step = iota
	// optimistic updates the Lease as it was last written, without reading it.
	optimistic
	reading
	creating
	writing
	// releaseReading and releaseWriting release the lease.
	releaseReading
	releaseWriting
)

var timedOut = Response{Outcome: world.Outcome{
	Code: fwk.Error, Reason: metav1.StatusReasonTimeout, Message: "the call on the lease took too long",
}}

// begin starts an attempt.
func (c *Candidate) begin(now time.Time) {
	c.next = time.Time{}
	c.attempt.start, c.attempt.wallLead = now, c.wallLead
	if c.phase == renewing {
		c.startRound(now)
	}
	c.attempt.record = Record{
		Holder:       c.settings.Identity,
		LeaseSeconds: int(c.settings.LeaseDuration / time.Second),
		AcquireTime:  now,
		RenewTime:    now,
	}
	if c.holds() && c.leaseValid(now) && !c.settings.Coordinated {
		c.keepAcquireTime(c.observed)
		if c.cached != nil {
			c.update(now, optimistic)
			return
		}
	}
	c.send(now, reading, Get, nil)
}

// keepAcquireTime makes the record renew one of this candidate's own.
func (c *Candidate) keepAcquireTime(own Record) {
	c.attempt.record.AcquireTime, c.attempt.record.Transitions = own.AcquireTime, own.Transitions
	if c.settings.Coordinated {
		c.attempt.record.Strategy = own.Strategy
	}
}

// send starts a call, with its timeout.
func (c *Candidate) send(now time.Time, s step, verb Verb, lease *coordinationv1.Lease) {
	until := c.deadline
	if limit := c.settings.CallTimeout; limit > 0 && (until.IsZero() || now.Add(limit).Before(until)) {
		until = now.Add(limit)
	}
	c.attempt.step, c.attempt.handedOut = s, false
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

// finishCall continues the attempt after a call.
func (c *Candidate) finishCall(now time.Time, a Response) {
	did, ok := c.attempt.step, a.Outcome.OK()
	c.attempt.step = idle
	if ok && did != reading && did != releaseReading {
		c.cached = a.Lease
		c.observe(now, c.attempt.record)
	}
	switch {
	case did == releaseReading:
		c.releaseLease(now, a)
	case did == releaseWriting && a.Outcome.Reason == metav1.StatusReasonConflict:
		c.send(now, releaseReading, Get, nil) // a renewal that was abandoned may have been carried out meanwhile
	case did == releaseWriting:
		c.finish(now)
	case did == reading && ok:
		c.decideOnLease(now, a.Lease)
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

// decideOnLease acts on the Lease that was read. The observed record, which only a change of the Lease renews, decides
// holder and validity; expiry is as of the attempt's start.
func (c *Candidate) decideOnLease(now time.Time, lease *coordinationv1.Lease) {
	c.cached = lease
	r := RecordOf(lease)
	if !c.hasRead || !c.read.sameToSecond(r) {
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
		c.keepAcquireTime(r)
		c.update(now, writing)
	case r.Holder != "" && c.leaseValid(start):
		c.fail(now)
	default:
		c.attempt.record.Transitions = r.Transitions + 1
		c.update(now, writing)
	}
}
