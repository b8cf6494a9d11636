package leader

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"orrery/core/process/leader"
)

// replay gives our candidate the inputs that an elector had, and reports where the candidate acts differently.
type replay struct {
	them *elector
	ours *leader.Candidate
	// call is the call in flight if pending; made is how many calls were made.
	call    leader.Call
	made    int
	pending bool
	notices []leader.Notice
}

func agree(e *elector) error {
	ours, err := leader.New(e.settings(), e.start)
	if err != nil {
		return err
	}
	r := &replay{them: e, ours: ours}
	cancelled := false
	for {
		if _, ended := ours.ExitCode(); ended {
			break
		}
		now, kind := r.next(cancelled)
		switch kind {
		case wakeUp:
			ours.Wake(now)
		case response:
			x := e.calls[r.made-1]
			r.pending = false
			ours.HandleResponse(now, leader.ResponseOf(r.call, x.result, x.err))
		case cancel:
			cancelled = true
			ours.Cancel(now)
		case noInput:
			return fmt.Errorf("%s: after %d calls ours has no call and no wake-up", e.plan.identity(), r.made)
		}
		if err := r.check(now); err != nil {
			return fmt.Errorf("%s: %w", e.plan.identity(), err)
		}
	}
	return r.end()
}

type input int

const (
	noInput input = iota
	response
	wakeUp
	cancel
)

// next returns the candidate's next input. A stopped process has none; when it continues, a signal that arrived meanwhile
// comes first.
func (r *replay) next(cancelled bool) (at time.Time, kind input) {
	offer := func(t time.Time, k input) {
		if kind == noInput || t.Before(at) {
			at, kind = t, k
		}
	}
	if !cancelled && !r.them.ended.IsZero() {
		offer(maxTime(r.them.ended, r.them.start), cancel)
	}
	var stopped, until time.Time
	if r.made > 0 {
		x := r.them.calls[r.made-1]
		stopped, until = x.stopped, x.ended
		if r.pending && x.answered {
			offer(x.ended, response)
		}
	}
	if wake, ok := r.ours.NextWake(); ok {
		if !stopped.IsZero() && wake.After(stopped) && wake.Before(until) {
			wake = until
		}
		offer(wake, wakeUp)
	}
	return at, kind
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// check compares the call that ours makes now, if any, with theirs.
func (r *replay) check(now time.Time) error {
	r.notices = append(r.notices, r.ours.Notices()...)
	call, ok := r.ours.Call()
	if !ok {
		return nil
	}
	r.call, r.pending = call, true
	r.made++
	if r.made > len(r.them.calls) {
		return fmt.Errorf("at %s ours makes one call more than theirs: %v", clock(now), call.Verb)
	}
	x := r.them.calls[r.made-1]
	theirs := description{clock(x.sent), x.verb, "", leader.Record{}}
	ours := description{clock(now), call.Verb, "", leader.Record{}}
	if x.lease != nil && call.Lease != nil {
		theirs.version, theirs.record = x.lease.ResourceVersion, leader.RecordOf(x.lease)
		ours.version, ours.record = call.Lease.ResourceVersion, leader.RecordOf(call.Lease)
	}
	if diff := gocmp.Diff(theirs, ours, gocmp.AllowUnexported(description{})); diff != "" {
		return fmt.Errorf("call %d (-theirs +ours):\n%s", r.made, diff)
	}
	return nil
}

type description struct {
	at      string
	verb    leader.Verb
	version string
	record  leader.Record
}

func clock(t time.Time) string { return t.Format("15:04:05.000000000") }

// end compares the number of calls, and the notices.
func (r *replay) end() error {
	if r.made < len(r.them.calls) {
		x := r.them.calls[r.made]
		return fmt.Errorf("%s: ours ended after %d calls, theirs makes %d, the next at %s: %v",
			r.them.plan.identity(), r.made, len(r.them.calls), clock(x.sent), x.verb)
	}
	byTime := func(a, b leader.Notice) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	}
	slices.SortStableFunc(r.notices, byTime)
	slices.SortStableFunc(r.them.notices, byTime)
	if diff := gocmp.Diff(r.them.notices, r.notices); diff != "" {
		return fmt.Errorf("%s: notices (-theirs +ours):\n%s", r.them.plan.identity(), diff)
	}
	return nil
}
