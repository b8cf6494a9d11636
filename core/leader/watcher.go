package leader

import (
	"math"
	"slices"
	"strconv"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"orrery/core/world"
)

// Watcher follows one Lease from outside the election and keeps its history. It goes by its own clock, that of the
// inputs, as a candidate does: what a Lease says of times is compared only with what it said before.
type Watcher struct {
	settings Settings
	delay    time.Duration

	history History
	lease   *coordinationv1.Lease // the latest seen, nil if there is none
	record  Record
	beats   []heartbeat
	// endOfTerm is set once the record asked for another holder.
	endOfTerm bool
}

// NewWatcher watches the Lease that the settings name. How long holders go on without renewing cannot be read from a
// Lease, and is taken to be as the settings say. delay is how late a change may be seen.
func NewWatcher(s Settings, delay time.Duration) *Watcher {
	return &Watcher{settings: s, delay: delay}
}

// Fork is a second watcher that has seen the same.
func (w *Watcher) Fork() *Watcher {
	fork := *w
	fork.history.Tenures = slices.Clone(w.history.Tenures)
	fork.history.Overlaps = slices.Clone(w.history.Overlaps)
	fork.beats = slices.Clone(w.beats)
	return &fork
}

// History is what was seen so far. It is the watcher's own: not to be changed, and good until the next input.
func (w *Watcher) History() *History { return &w.history }

// Apply tells what happened; all but what happens to the one Lease is ignored.
func (w *Watcher) Apply(in world.Input) {
	switch event := in.Event.(type) {
	case world.Changed:
		lease, ok := event.Object.(*coordinationv1.Lease)
		if !ok || !w.watches(lease) || w.outdated(lease) {
			return
		}
		if event.Op == world.Deleted {
			w.gone(in.At)
			return
		}
		w.see(in.At, lease)
	case world.Listed:
		if event.Kind != world.Lease {
			return
		}
		for _, o := range event.Objects {
			if lease, ok := o.(*coordinationv1.Lease); ok && w.watches(lease) {
				if !w.outdated(lease) {
					w.see(in.At, lease)
				}
				return
			}
		}
		w.gone(in.At)
	}
}

func (w *Watcher) watches(lease *coordinationv1.Lease) bool {
	return lease.Namespace == w.settings.Namespace && lease.Name == w.settings.Name
}

// outdated tells of an event that came late: a later state of the same Lease was seen already.
func (w *Watcher) outdated(lease *coordinationv1.Lease) bool {
	if w.lease == nil || lease.UID != w.lease.UID {
		return false
	}
	seen, err := strconv.ParseUint(w.lease.ResourceVersion, 10, 64)
	if err != nil {
		return false
	}
	version, err := strconv.ParseUint(lease.ResourceVersion, 10, 64)
	return err == nil && version < seen
}

func (w *Watcher) see(now time.Time, lease *coordinationv1.Lease) {
	r, old := RecordOf(lease), w.record
	first := w.lease == nil
	w.lease, w.record = lease, r
	switch {
	case first:
		w.open(now, r, old)
	case r.Holder != old.Holder:
		w.end(now, w.ending(now, old, r))
		w.open(now, r, old)
	case !r.RenewTime.Equal(old.RenewTime) && r.Holder != "":
		w.renewed(now, old, r)
	}
	w.endOfTerm = r.PreferredHolder != ""
}

func (w *Watcher) gone(now time.Time) {
	if w.lease != nil {
		w.end(now, Deleted)
		w.lease, w.record, w.endOfTerm = nil, Record{}, false
	}
}

// ending is how the tenure of the old record's holder ended, now that another record is there.
func (w *Watcher) ending(now time.Time, old, r Record) End {
	switch {
	case old.Holder == "":
		return TakenFree
	case r.Holder == "":
		return Released
	case w.endOfTerm:
		return TermEnded
	case now.Add(w.delay).Before(w.expiry(old)):
		return TakenEarly
	}
	return TakenAfterSilence
}

// open begins a tenure. The holder before, unless it gave the lease up itself, may take a while to notice.
func (w *Watcher) open(now time.Time, r, old Record) {
	var over int
	w.history.Tenures, over = keep(w.history.Tenures, Tenure{
		Holder: r.Holder, From: now, Acquired: r.AcquireTime, Transitions: r.Transitions, Last: now,
	}, tenuresKept)
	w.history.Forgotten += over
	w.beats = append(w.beats[:0], heartbeat{now, r.RenewTime})
	previous := w.previous()
	if previous == nil || previous.Holder == "" || previous.Holder == r.Holder || r.Holder == "" {
		return
	}
	if previous.End == TakenEarly {
		// Whoever takes a lease over has waited for all of it, so its clock is at least that fast.
		w.current().Clock = Rate{Low: ratio(old.Duration(), previous.Silence+w.delay), High: math.Inf(1)}
	}
	if until := w.givesUp(previous); now.Before(until) {
		w.history.Overlaps, _ = keep(w.history.Overlaps, Overlap{
			Old: previous.Holder, New: r.Holder, From: now, Until: until,
		}, overlapsKept)
	}
}

// renewed takes note of a renewal by the same holder.
func (w *Watcher) renewed(now time.Time, old, r Record) {
	t := w.current()
	if now.After(w.expiry(old)) {
		t.Lapses++
	}
	t.Renewals++
	t.LongestGap = max(t.LongestGap, now.Sub(t.Last))
	t.Last = now
	w.beats, _ = keep(w.beats, heartbeat{now, r.RenewTime}, heartbeatKept)
	if rate := rateOf(w.beats, w.delay); rate.Known() {
		t.Clock = rate
	}
}

// end closes the current tenure.
func (w *Watcher) end(now time.Time, how End) {
	t := w.current()
	t.Until, t.End, t.Silence = now, how, now.Sub(t.Last)
}

// givesUp is when a holder that cannot renew any more has given up at the latest.
func (w *Watcher) givesUp(t *Tenure) time.Time {
	slowest := 1.0
	if t.Clock.Known() {
		slowest = t.Clock.Low
	}
	return t.Last.Add(time.Duration(float64(w.settings.GivesUpAfter()) / slowest))
}

// expiry is when the current tenure's lease expires by the observer's clock.
func (w *Watcher) expiry(r Record) time.Time { return w.current().Last.Add(r.Duration()) }

// current is the latest tenure; there is one once a Lease was seen.
func (w *Watcher) current() *Tenure { return &w.history.Tenures[len(w.history.Tenures)-1] }

// previous is the tenure before it, nil if there was none.
func (w *Watcher) previous() *Tenure {
	if n := len(w.history.Tenures); n > 1 {
		return &w.history.Tenures[n-2]
	}
	return nil
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }
