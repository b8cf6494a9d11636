package collect

import (
	"slices"
	"time"

	"orrery/core/process/leader"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// maxChanges bounds the leader changes of all Leases; no screen has more rows.
//
//orrery:limit screen; changes of leaders that are listed; the oldest goes
const maxChanges = 128

// leaderOf is the election of the scheduler's leader and the other elections; nil if no Lease was seen.
func (c *Collector) leaderOf(e *engine.Engine) *views.Leader {
	ch := c.options.History
	if ch == nil {
		return nil
	}
	now := e.Now()
	v := &views.Leader{State: leader.Absent.String()}
	if w := ch.leases.scheduler(); w != nil {
		v = electionOf(w, ch.options.Election, now)
	}
	if candidates := ch.leases.candidates.of(ch.leases.name(), v.Holder, now); len(candidates) > 0 {
		v.Candidates = candidates
	}
	for _, w := range ch.leases.others() {
		v.Others = append(v.Others, otherOf(w, now))
		for _, change := range changesOf(w.History().Tenures) {
			change.Lease = printable.Text(w.name.Name)
			v.History = append(v.History, change)
		}
	}
	slices.SortStableFunc(v.History, func(a, b views.LeaderTransition) int { return b.At.Compare(a.At) })
	v.History = v.History[:min(len(v.History), maxChanges)]
	v.Pending, v.LastBound = c.queueCounts(e).Waiting(), lastBound(e)
	if v.State == leader.Absent.String() && len(v.Others)+len(v.Candidates)+len(v.History) == 0 {
		return nil
	}
	return v
}

// lastBound returns when a pod last got a node, from the latest transitions; zero if none of them is that.
func lastBound(e *engine.Engine) time.Time {
	walked := 0
	for t := range e.RecentTransitions() {
		if walked++; walked > maxWalked {
			break
		}
		if destination(e, t) == views.Bound {
			return t.At
		}
	}
	return time.Time{}
}

// electionOf reads the scheduler's Lease.
func electionOf(w *leaseHistory, settings leader.Settings, now time.Time) *views.Leader {
	r := w.Status(now)
	v := &views.Leader{
		Holder: printable.Text(r.Record.Holder), IsSelf: r.Record.Holder != "" && r.Record.Holder == settings.Identity,
		Lease: r.Record.Duration(), Deadline: settings.RenewDeadline, Retry: settings.RetryPeriod,
		RenewIntervals: w.lastIntervals(), Transitions: r.Record.Transitions, MaxClockSkew: r.MaxClockSkew, ObservedClockSkew: r.ClockSkew,
		Strategy: printable.Text(string(r.Record.Strategy)), Preferred: printable.Text(r.Record.PreferredHolder),
		State: r.State.String(), FailoverAt: r.FailoverAt,
	}
	if r.State == leader.Held || r.State == leader.Expired {
		v.Acquired, v.Renewed = r.Tenure.From, r.Tenure.Last
	}
	if o := r.Overlap; o != nil {
		v.Overlap = printable.Text(o.Old + " may not have noticed yet that " + o.New + " leads")
	}
	tenures := w.History().Tenures
	v.History, v.Candidates = changesOf(tenures), candidatesOf(tenures, r.Record.Holder, now)
	return v
}

func otherOf(w *leaseHistory, now time.Time) views.OtherLease {
	r := w.Status(now)
	o := views.OtherLease{Name: printable.Text(w.name.String()), Holder: printable.Text(r.Record.Holder), Transitions: r.Record.Transitions}
	if r.Record.Holder != "" {
		o.Expires = r.Tenure.Last.Add(r.Record.Duration())
	}
	return o
}

// changesOf are the changes of holder, the latest first.
func changesOf(tenures []leader.Tenure) []views.LeaderTransition {
	var list []views.LeaderTransition
	for i := len(tenures) - 1; i > 0; i-- {
		before := &tenures[i-1]
		list = append(list, views.LeaderTransition{
			At: tenures[i].From, From: holder(before.Holder), To: holder(tenures[i].Holder), Why: whyChanged(before),
		})
	}
	return list
}

// whyChanged returns why a tenure ended, and how long after the last renewal.
func whyChanged(before *leader.Tenure) string {
	why := before.End.String()
	if silent := before.SinceRenewal.Round(time.Second); before.Holder != "" && silent > 0 {
		why += ", " + silent.String() + " after its last renewal"
	}
	return why
}

func holder(name string) string {
	if name == "" {
		return "none"
	}
	return printable.Text(name)
}

// candidatesOf returns the former holders, the latest first; a Lease names no other candidates.
func candidatesOf(tenures []leader.Tenure, now string, at time.Time) []views.Candidate {
	var list []views.Candidate
	var seen []string
	for _, t := range slices.Backward(tenures) {
		if t.Holder == "" || t.Holder == now || slices.Contains(seen, t.Holder) {
			continue
		}
		seen = append(seen, t.Holder)
		list = append(list, views.Candidate{Name: printable.Text(t.Holder), Note: "led until " + at.Sub(t.Until).Round(time.Second).String() + " ago"})
	}
	return list
}

// currentLeader is the holder of the scheduler's Lease and its time until expiry, for the header.
func (c *Collector) currentLeader(e *engine.Engine) (name string, left time.Duration) {
	if ch := c.options.History; ch != nil {
		if w := ch.leases.scheduler(); w != nil {
			r := w.Status(e.Now())
			return printable.Text(r.Record.Holder), r.ExpiresIn
		}
	}
	return "", 0
}
