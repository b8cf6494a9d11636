package evict

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// Evictor sets a pod's DisruptionTarget condition and deletes the pod. A failed call ends an attempt; another one follows
// after the retry delay. Evictor numbers and collects the effects.
type Evictor struct {
	condition  v1.PodCondition
	retryDelay func(attempts int) time.Duration
	open       map[types.UID]*podEviction
	retries    Timers[types.UID]
	calls      map[world.EffectID]types.UID
	effects    []world.Effect
	lastID     world.EffectID
	counters   Counters
}

// podEviction is a pod that is being evicted.
type podEviction struct {
	pod      world.PodRef
	due      time.Time
	failures int            // attempts
	call     world.EffectID // in flight; zero between two attempts
	deleting bool           // call is the second of the two
	podGone  bool           // the pod was deleted
	stays    bool           // the pod may stay after all if the deletion in flight fails
}

// Ending is how far the eviction of a pod is after a call.
type Ending uint8

const (
	NotOver    Ending = iota
	PodEvicted        // by the call
	PodGone           // for another reason
	PodStays          // the eviction was cancelled, and the deletion failed
)

// MayStay is the recorded reason of PodStays.
const MayStay = "its deletion failed, and it may stay by now"

// NewEvictor returns an Evictor whose effects are numbered from first. It fills in mark's type and status; pause returns
// the delay after a number of failed attempts.
func NewEvictor(first world.EffectID, mark v1.PodCondition, pause func(attempts int) time.Duration) Evictor {
	mark.Type, mark.Status = v1.DisruptionTarget, v1.ConditionTrue
	return Evictor{
		condition: mark, retryDelay: pause, lastID: first - 1,
		open: map[types.UID]*podEviction{}, retries: NewTimers[types.UID](), calls: map[world.EffectID]types.UID{},
	}
}

// Counters returns the counts so far.
func (r *Evictor) Counters() Counters { return r.counters }

// Emit adds an effect and returns its number.
func (r *Evictor) Emit(now time.Time, action world.Action) world.EffectID {
	r.lastID++
	r.effects = append(r.effects, world.Effect{ID: r.lastID, At: now, Action: action})
	return r.lastID
}

// Effects returns the effects since the last call.
func (r *Evictor) Effects() []world.Effect {
	effects := r.effects
	r.effects = nil
	return effects
}

// Evicting reports whether a pod is being evicted.
func (r *Evictor) Evicting(pod types.UID) bool { return r.open[pod] != nil }

// Continue takes back that a pod may stay after all, and reports whether it is being evicted.
func (r *Evictor) Continue(pod types.UID) bool {
	open := r.open[pod]
	if open != nil {
		open.stays = false
	}
	return open != nil
}

// Start evicts a pod that is not being evicted yet and was due at a time.
func (r *Evictor) Start(now time.Time, pod *v1.Pod, due time.Time) {
	r.open[pod.UID] = &podEviction{pod: world.PodRefOf(pod), due: due}
	r.Retry(now, pod)
}

// NextWake returns the time of the next attempt at any pod.
func (r *Evictor) NextWake() (time.Time, bool) { return r.retries.Next() }

// PopRetry returns a pod whose next attempt is due. The caller calls Retry for it.
func (r *Evictor) PopRetry(now time.Time) (world.PodRef, bool) {
	uid, _, ok := r.retries.Pop(now)
	if !ok {
		return world.PodRef{}, false
	}
	return r.open[uid].pod, true
}

// Retry makes another attempt at a pod that PopRetry returned.
func (r *Evictor) Retry(now time.Time, pod *v1.Pod) {
	open := r.open[pod.UID]
	if open.deleting = r.HasCondition(pod); open.deleting {
		r.call(now, open, world.Delete{Pod: open.pod})
		return
	}
	mark := r.condition
	mark.ObservedGeneration = pod.Generation
	r.call(now, open, world.PatchStatus{Pod: open.pod, Condition: &mark})
}

func (r *Evictor) call(now time.Time, open *podEviction, action world.Action) {
	open.call = r.Emit(now, action)
	r.calls[open.call] = open.pod.UID
}

// HasCondition reports whether a pod has the condition of this cause, set by this controller or by another.
func (r *Evictor) HasCondition(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == r.condition.Type && c.Status == r.condition.Status && c.Reason == r.condition.Reason && c.Message == r.condition.Message
	})
}

// EffectDone continues with the pod whose call has ended.
func (r *Evictor) EffectDone(now time.Time, event world.EffectDone) (pod world.PodRef, end Ending) {
	open := r.open[r.calls[event.Effect]]
	delete(r.calls, event.Effect)
	switch {
	case open == nil || open.call != event.Effect:
	case event.Outcome.OK() && open.deleting:
		delete(r.open, open.pod.UID)
		r.counters.Evicted++
		r.counters.Latency.Observe(now.Sub(open.due))
		return open.pod, PodEvicted
	case open.podGone || event.Outcome.Reason == metav1.StatusReasonNotFound:
		delete(r.open, open.pod.UID)
		return open.pod, PodGone
	case event.Outcome.OK():
		open.deleting = true
		r.call(now, open, world.Delete{Pod: open.pod})
	case open.stays:
		r.counters.Failed++
		delete(r.open, open.pod.UID)
		return open.pod, PodStays
	default:
		r.counters.Failed++
		open.failures++
		open.call, open.deleting = 0, false
		r.retries.Set(open.pod.UID, now.Add(r.retryDelay(open.failures)))
	}
	return world.PodRef{}, NotOver
}

// Cancel stops a pod's eviction, and reports whether the pod stays. With its deletion in flight, the eviction ends with that.
func (r *Evictor) Cancel(pod types.UID) bool {
	open := r.open[pod]
	if open == nil {
		return false
	}
	if open.deleting {
		open.stays = true
		return false
	}
	r.retries.Stop(pod)
	delete(r.open, pod)
	return true
}

// PodDeleted records that a pod is deleted. The outcome of a call in flight still counts.
func (r *Evictor) PodDeleted(pod types.UID) {
	if r.retries.Stop(pod) {
		delete(r.open, pod)
	} else if open := r.open[pod]; open != nil {
		open.podGone = true
	}
}

// CountCancelled counts a pod whose eviction was cancelled before it was due.
func (r *Evictor) CountCancelled() { r.counters.Cancelled++ }

// Clone returns an independent copy.
func (r *Evictor) Clone() Evictor {
	f := *r
	f.open = make(map[types.UID]*podEviction, len(r.open))
	for uid, open := range r.open {
		twin := *open
		f.open[uid] = &twin
	}
	f.retries, f.calls, f.effects = r.retries.Clone(), maps.Clone(r.calls), slices.Clone(r.effects)
	return f
}
