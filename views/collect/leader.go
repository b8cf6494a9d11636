package collect

import (
	"slices"
	"time"

	"orrery/core/engine"
	"orrery/core/leader"
	"orrery/core/printable"
	"orrery/views"
)

// changesMost is how many changes of all leases are shown: more than any screen has rows for.
const changesMost = 128

// leaderOf is the election of the scheduler's leader, and the other elections there are; nil if there is none, or none was
// seen.
func (c *Collector) leaderOf(e *engine.Engine) *views.Leader {
	ch := c.run.Chronicle
	if ch == nil {
		return nil
	}
	now := e.Now()
	v := &views.Leader{State: leader.Absent.String()}
	if w := ch.leases.scheduler(); w != nil {
		v = electionOf(w, ch.options.Election, now)
	}
	if standing := ch.leases.standing.of(ch.leases.name(), v.Holder, now); len(standing) > 0 {
		v.Candidates = standing
	}
	for _, w := range ch.leases.others() {
		v.Others = append(v.Others, otherOf(w, now))
		for _, change := range changesOf(w.History().Tenures) {
			change.Lease = printable.Text(w.name.Name)
			v.Changes = append(v.Changes, change)
		}
	}
	slices.SortStableFunc(v.Changes, func(a, b views.LeaderChange) int { return b.At.Compare(a.At) })
	v.Changes = v.Changes[:min(len(v.Changes), changesMost)]
	if v.State == leader.Absent.String() && len(v.Others)+len(v.Candidates)+len(v.Changes) == 0 {
		return nil
	}
	return v
}

// electionOf is what is known of the scheduler's Lease.
func electionOf(w *watched, settings leader.Settings, now time.Time) *views.Leader {
	r := w.Read(now)
	v := &views.Leader{
		Holder: printable.Text(r.Record.Holder), Leads: r.Record.Holder != "" && r.Record.Holder == settings.Identity,
		Lease: r.Record.Duration(), Deadline: settings.RenewDeadline, Retry: settings.RetryPeriod,
		Beats: w.last(), Transitions: r.Record.Transitions, Skew: r.Tolerance, Seen: r.ClockRatio,
		Strategy: printable.Text(string(r.Record.Strategy)), Preferred: printable.Text(r.Record.PreferredHolder),
		State: r.State.String(), Takeover: r.TakeoverFrom,
	}
	if r.State == leader.Held || r.State == leader.Expired {
		v.Acquired, v.Renewed = r.Tenure.From, r.Tenure.Last
	}
	if o := r.Overlap; o != nil {
		v.Overlap = printable.Text(o.Old + " may not have noticed yet that " + o.New + " leads")
	}
	tenures := w.History().Tenures
	v.Changes, v.Candidates = changesOf(tenures), candidatesOf(tenures, r.Record.Holder, now)
	return v
}

func otherOf(w *watched, now time.Time) views.OtherLease {
	r := w.Read(now)
	o := views.OtherLease{Name: printable.Text(w.name.String()), Holder: printable.Text(r.Record.Holder), Transitions: r.Record.Transitions}
	if r.Record.Holder != "" {
		o.Expires = r.Tenure.Last.Add(r.Record.Duration())
	}
	return o
}

// changesOf is how the lease went from hand to hand, the latest first.
func changesOf(tenures []leader.Tenure) []views.LeaderChange {
	var list []views.LeaderChange
	for i := len(tenures) - 1; i > 0; i-- {
		before := &tenures[i-1]
		list = append(list, views.LeaderChange{
			At: tenures[i].From, From: holder(before.Holder), To: holder(tenures[i].Holder), Why: before.End.String(),
		})
	}
	return list
}

func holder(name string) string {
	if name == "" {
		return "nobody"
	}
	return printable.Text(name)
}

// candidatesOf are those who have led before and do not now, the latest first: as far as a Lease tells, they wait.
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

// leads is who leads and for how long yet, for the header.
func (c *Collector) leads(e *engine.Engine) (name string, left time.Duration) {
	if ch := c.run.Chronicle; ch != nil {
		if w := ch.leases.scheduler(); w != nil {
			r := w.Read(e.Now())
			return printable.Text(r.Record.Holder), r.ExpiresIn
		}
	}
	return "", 0
}
