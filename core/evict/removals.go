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

// Removals carry out what a controller has decided: a pod is marked with the condition DisruptionTarget, which tells its
// owner why it leaves, and then deleted. A call that fails is the end of an attempt, and another one follows. What is
// wanted of the world is numbered and gathered here.
type Removals struct {
	mark    v1.PodCondition
	pause   func(attempts int) time.Duration
	open    map[types.UID]*removal
	retries Timers[types.UID]
	calls   map[world.EffectID]types.UID
	effects []world.Effect
	last    world.EffectID
	tally   Tally
}

// removal is a pod that is being made to leave.
type removal struct {
	pod      world.Ref
	due      time.Time
	failed   int            // attempts
	call     world.EffectID // under way; zero between two attempts
	deleting bool           // call is the second of the two
	gone     bool           // the pod is no more
}

// NewRemovals makes removals whose effects are numbered from first on. Mark's status and ObservedGeneration are filled
// in; pause is how long to wait after that many failed attempts.
func NewRemovals(first world.EffectID, mark v1.PodCondition, pause func(attempts int) time.Duration) Removals {
	mark.Type, mark.Status = v1.DisruptionTarget, v1.ConditionTrue
	return Removals{
		mark: mark, pause: pause, last: first - 1,
		open: map[types.UID]*removal{}, retries: NewTimers[types.UID](), calls: map[world.EffectID]types.UID{},
	}
}

// Tally is what was done so far.
func (r *Removals) Tally() Tally { return r.tally }

// Do wants something done, and says under which number.
func (r *Removals) Do(now time.Time, act world.Act) world.EffectID {
	r.last++
	r.effects = append(r.effects, world.Effect{ID: r.last, At: now, Act: act})
	return r.last
}

// Effects hands over what is wanted since the last call.
func (r *Removals) Effects() []world.Effect {
	effects := r.effects
	r.effects = nil
	return effects
}

// UnderWay tells whether a pod is being removed.
func (r *Removals) UnderWay(pod types.UID) bool { return r.open[pod] != nil }

// Begin removes a pod that is not being removed yet, and was due at that moment.
func (r *Removals) Begin(now time.Time, pod *v1.Pod, due time.Time) {
	r.open[pod.UID] = &removal{pod: world.RefOf(pod), due: due}
	r.Try(now, pod)
}

// NextWake is when the next attempt of any is due.
func (r *Removals) NextWake() (time.Time, bool) { return r.retries.Next() }

// Due is a pod that should be tried again by now. Try it.
func (r *Removals) Due(now time.Time) (world.Ref, bool) {
	uid, _, ok := r.retries.Pop(now)
	if !ok {
		return world.Ref{}, false
	}
	return r.open[uid].pod, true
}

// Try makes another attempt at a pod that is Due.
func (r *Removals) Try(now time.Time, pod *v1.Pod) {
	open := r.open[pod.UID]
	if open.deleting = r.Marked(pod); open.deleting {
		r.call(now, open, world.Delete{Pod: open.pod})
		return
	}
	mark := r.mark
	mark.ObservedGeneration = pod.Generation
	r.call(now, open, world.PatchStatus{Pod: open.pod, Condition: &mark})
}

func (r *Removals) call(now time.Time, open *removal, act world.Act) {
	open.call = r.Do(now, act)
	r.calls[open.call] = open.pod.UID
}

// Marked tells whether a pod carries the mark, which says that it leaves for this cause, whoever acts.
func (r *Removals) Marked(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == r.mark.Type && c.Status == r.mark.Status && c.Reason == r.mark.Reason && c.Message == r.mark.Message
	})
}

// Ended goes on with the pod whose call has ended. Where this was the last call it says so, and whether the pod was
// deleted by it or had gone before.
func (r *Removals) Ended(now time.Time, event world.Ended) (pod world.Ref, over, deleted bool) {
	open := r.open[r.calls[event.Effect]]
	delete(r.calls, event.Effect)
	switch {
	case open == nil || open.call != event.Effect:
	case event.Outcome.OK() && open.deleting:
		delete(r.open, open.pod.UID)
		r.tally.Evicted++
		r.tally.Took.Observe(now.Sub(open.due))
		return open.pod, true, true
	case open.gone || event.Outcome.Reason == metav1.StatusReasonNotFound:
		delete(r.open, open.pod.UID)
		return open.pod, true, false
	case event.Outcome.OK():
		open.deleting = true
		r.call(now, open, world.Delete{Pod: open.pod})
	default:
		r.tally.Failed++
		open.failed++
		open.call, open.deleting = 0, false
		r.retries.Set(open.pod.UID, now.Add(r.pause(open.failed)))
	}
	return world.Ref{}, false, false
}

// CallOff lets a pod stay, unless its deletion is under way; it says whether the pod stays.
func (r *Removals) CallOff(pod types.UID) bool {
	if open := r.open[pod]; open == nil || open.deleting {
		return false
	}
	r.retries.Stop(pod)
	delete(r.open, pod)
	return true
}

// Gone says that a pod is no more. The outcome of a call that is under way still counts.
func (r *Removals) Gone(pod types.UID) {
	if r.retries.Stop(pod) {
		delete(r.open, pod)
	} else if open := r.open[pod]; open != nil {
		open.gone = true
	}
}

// Cancelled counts a pod that was let stay before it was due.
func (r *Removals) Cancelled() { r.tally.Cancelled++ }

// Clone is a copy that goes its own way.
func (r *Removals) Clone() Removals {
	f := *r
	f.open = make(map[types.UID]*removal, len(r.open))
	for uid, open := range r.open {
		twin := *open
		f.open[uid] = &twin
	}
	f.retries, f.calls, f.effects = r.retries.Clone(), maps.Clone(r.calls), slices.Clone(r.effects)
	return f
}
