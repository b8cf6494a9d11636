package leader

import (
	"math"
	"slices"
	"strconv"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"orrery/core/objects/saturating"
	"orrery/core/world"
)

// Watcher follows one Lease from outside the election and keeps its history. It uses its own clock, that of the inputs, as
// a candidate does: times in a Lease are only compared with earlier ones of the same Lease.
type Watcher struct {
	settings Settings
	delay    time.Duration

	history    History
	lease      *coordinationv1.Lease // the latest seen, or nil
	record     Record
	heartbeats []heartbeat
	// endOfTerm is set once the record names a preferred holder.
	endOfTerm bool
}

// NewWatcher watches the Lease that the settings name. The holders' renew deadline is not in a Lease; it is taken from the
// settings. delay is the maximum delay of a change.
func NewWatcher(s Settings, delay time.Duration) *Watcher { return &Watcher{settings: s, delay: delay} }

// Fork returns a copy with the same history.
func (w *Watcher) Fork() *Watcher {
	fork := *w
	fork.history.Tenures = slices.Clone(w.history.Tenures)
	fork.history.Overlaps = slices.Clone(w.history.Overlaps)
	fork.heartbeats = slices.Clone(w.heartbeats)
	return &fork
}

// History returns what was seen so far. It must not be changed, and is valid until the next input.
func (w *Watcher) History() *History { return &w.history }

// Apply observes an input; it ignores all but the Lease.
func (w *Watcher) Apply(in world.Input) {
	switch event := in.Event.(type) {
	case world.Changed:
		lease, ok := event.Object.(*coordinationv1.Lease)
		if !ok || !w.watches(lease) || w.outdated(lease) {
			return
		}
		if event.Op == world.Deleted {
			w.leaseDeleted(in.At)
			return
		}
		w.observe(in.At, lease)
	case world.Listed:
		if event.Kind != world.Lease {
			return
		}
		for _, o := range event.Objects {
			if lease, ok := o.(*coordinationv1.Lease); ok && w.watches(lease) {
				if !w.outdated(lease) {
					w.observe(in.At, lease)
				}
				return
			}
		}
		w.leaseDeleted(in.At)
	}
}

func (w *Watcher) watches(lease *coordinationv1.Lease) bool {
	return lease.Namespace == w.settings.Namespace && lease.Name == w.settings.Name
}

// outdated reports whether a later state of the same Lease was seen already.
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

func (w *Watcher) observe(now time.Time, lease *coordinationv1.Lease) {
	r, old := RecordOf(lease), w.record
	first := w.lease == nil
	w.lease, w.record = lease, r
	switch {
	case first:
		w.startTenure(now, r, old)
	case r.Holder != old.Holder:
		w.endTenure(now, w.endReason(now, old, r))
		w.startTenure(now, r, old)
	case !r.RenewTime.Equal(old.RenewTime) && r.Holder != "":
		w.renewed(now, old, r)
	}
	w.endOfTerm = r.PreferredHolder != ""
}

func (w *Watcher) leaseDeleted(now time.Time) {
	if w.lease != nil {
		w.endTenure(now, Deleted)
		w.lease, w.record, w.endOfTerm = nil, Record{}, false
	}
}

// endReason returns how the tenure of the old record's holder ended, given the next record.
func (w *Watcher) endReason(now time.Time, old, r Record) End {
	switch {
	case old.Holder == "":
		return AcquiredFree
	case r.Holder == "":
		return Released
	case w.endOfTerm:
		return TermEnded
	case now.Add(w.delay).Before(w.expiry(old)):
		return TakenEarly
	}
	return TakenAfterExpiry
}

// startTenure begins a tenure. Unless the previous holder released the lease, it may take a while to notice.
func (w *Watcher) startTenure(now time.Time, r, old Record) {
	var over int
	w.history.Tenures, over = appendBounded(w.history.Tenures, Tenure{
		Holder: r.Holder, From: now, Acquired: r.AcquireTime, Transitions: r.Transitions, Last: now,
	}, maxTenures)
	w.history.Forgotten += over
	w.heartbeats = append(w.heartbeats[:0], heartbeat{now, r.RenewTime})
	previous := w.previous()
	if previous == nil || previous.Holder == "" || previous.Holder == r.Holder || r.Holder == "" {
		return
	}
	if previous.End == TakenEarly {
		// The new holder has waited for all of it, so its clock is at least that fast.
		w.current().Clock = ClockRate{Low: ratio(old.Duration(), previous.SinceRenewal+w.delay), High: math.Inf(1)}
	}
	if until := w.renewTimeoutAt(previous); now.Before(until) {
		w.history.Overlaps, _ = appendBounded(w.history.Overlaps, Overlap{
			Old: previous.Holder, New: r.Holder, From: now, Until: until,
		}, maxOverlaps)
	}
}

// renewed records a renewal by the same holder.
func (w *Watcher) renewed(now time.Time, old, r Record) {
	t := w.current()
	if now.After(w.expiry(old)) {
		t.LateRenewals++
	}
	t.Renewals++
	t.LongestGap = max(t.LongestGap, now.Sub(t.Last))
	t.Last = now
	w.heartbeats, _ = appendBounded(w.heartbeats, heartbeat{now, r.RenewTime}, maxHeartbeats)
	if rate := rateOf(w.heartbeats, w.delay); rate.Known() {
		t.Clock = rate
	}
}

// endTenure closes the current tenure.
func (w *Watcher) endTenure(now time.Time, how End) {
	t := w.current()
	t.Until, t.End, t.SinceRenewal = now, how, now.Sub(t.Last)
}

// renewTimeoutAt is the latest time at which a holder that cannot renew stops leading.
func (w *Watcher) renewTimeoutAt(t *Tenure) time.Time {
	slowest := 1.0
	if t.Clock.Known() {
		slowest = t.Clock.Low
	}
	return t.Last.Add(time.Duration(saturating.Truncate(float64(w.settings.RenewTimeout()) / slowest)))
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
