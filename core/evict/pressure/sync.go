package pressure

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// judgement is what a kubelet remembers from one look to the next.
type judgement struct {
	// first says for each threshold since when it has been met, zero if it is not.
	first []time.Time
	// unresolved marks thresholds that were acted upon, and stay met until the minimum is reclaimed as well.
	unresolved []bool
	// lastMet says for each condition when it was last observed.
	lastMet    map[v1.NodeConditionType]time.Time
	conditions []v1.NodeConditionType
	// seen is what was observed at the last look, judged is the summary it was read from, and starved the threshold
	// that is being acted upon.
	seen    map[Signal]Observation
	judged  *Summary
	starved Threshold
}

// sync is one look: conditions first, then pods beyond their own limits, then what the node lacks most.
func (k *Kubelet) sync(now time.Time) {
	k.phase, k.wake, k.looked = resting, now.Add(syncPeriod), now
	if k.summary == nil {
		k.wake = time.Time{}
		return
	}
	k.setMarks(now)
	last := k.seen
	k.judged, k.seen = k.summary, observeAll(k.summary)
	pending := k.judge(now)
	due := k.fresh(last)
	k.press(now)
	defer k.foresee(now)
	if over := k.overLimits(); len(over) > 0 {
		k.evict(now, over)
		return
	}
	if len(due) > 0 {
		k.relieve(now, k.thresholds[due[0]])
		return
	}
	if !pending && len(k.conditions) == 0 {
		k.wake = time.Time{} // until something is new, every look would see the same
	}
}

func observeAll(s *Summary) map[Signal]Observation {
	seen := make(map[Signal]Observation, len(signals))
	for i := range signals {
		if o, ok := s.Observe(signals[i].signal); ok {
			seen[signals[i].signal] = o
		}
	}
	return seen
}

// judge finds out which thresholds are met, for how long and hence which conditions hold. It tells whether any is met.
func (k *Kubelet) judge(now time.Time) (pending bool) {
	if k.lastMet == nil {
		k.lastMet = map[v1.NodeConditionType]time.Time{}
	}
	for i, t := range k.thresholds {
		o, observed := k.seen[t.Signal]
		if !observed || !t.Met(o, false) && !(k.unresolved[i] && t.Met(o, true)) {
			k.first[i], k.unresolved[i] = time.Time{}, false
			continue
		}
		pending = true
		if k.first[i].IsZero() {
			k.first[i] = now
		}
		k.unresolved[i] = now.Sub(k.first[i]) >= t.Grace
		k.lastMet[t.Signal.Condition()] = now
	}
	return pending
}

// press lets conditions hold that were observed within the transition period, and says so if that changes anything.
func (k *Kubelet) press(now time.Time) {
	var hold []v1.NodeConditionType
	for _, w := range words {
		if at, ok := k.lastMet[w.condition]; ok && now.Sub(at) < k.options.Configuration.PressureTransition {
			hold = append(hold, w.condition)
		}
	}
	if slices.Equal(hold, k.conditions) {
		return
	}
	k.conditions = hold
	k.say(now, Pressed{k.Conditions()})
	k.reportAt = time.Time{}
	if !slices.Equal(hold, k.reported) {
		k.reportAt = onGrid(k.options.Start.Add(-statusPeriod), statusPeriod, now)
	}
}

// fresh are the thresholds to act upon whose signals were measured anew since the last look.
func (k *Kubelet) fresh(last map[Signal]Observation) []int {
	var due []int
	for i, t := range k.thresholds {
		if !k.unresolved[i] {
			continue
		}
		before, had := last[t.Signal]
		at := k.seen[t.Signal].At
		if !had || at.IsZero() || at.After(before.At.Time) {
			due = append(due, i)
		}
	}
	return due
}

// overLimits are the evictions of pods that use more local storage than they may.
func (k *Kubelet) overLimits() []Evicting {
	if !k.options.Configuration.LocalStorageIsolation {
		return nil
	}
	var over []Evicting
	measured := k.judged.byPod()
	for _, pod := range k.active() {
		message := OverLimit(pod, measured[pod.UID], k.options.Layout)
		if message != "" && Spared(pod) == "" {
			over = append(over, Evicting{Pod: refOf(pod), GraceSeconds: hardGraceSeconds, Message: message})
		}
	}
	return over
}

// relieve does something about a threshold: what can be thrown away goes first.
func (k *Kubelet) relieve(now time.Time, t Threshold) {
	k.starved = t
	k.say(now, Starving{t.Signal.Resource()})
	if r := k.options.Layout.Reclaim(t.Signal); r.Any() {
		k.phase, k.wake = reclaiming, time.Time{}
		k.say(now, Reclaiming{r})
		return
	}
	k.evictFirst(now)
}

// afterReclaim evicts a pod after all, unless every threshold is satisfied now, its minimum included. What frees less
// than the minimum counts for nothing.
func (k *Kubelet) afterReclaim(now time.Time, s *Summary) {
	k.phase, k.wake = resting, now.Add(syncPeriod)
	defer k.foresee(now)
	if s == nil || slices.ContainsFunc(k.thresholds, func(t Threshold) bool {
		o, ok := s.Observe(t.Signal)
		return ok && t.Met(o, true)
	}) {
		k.evictFirst(now)
	}
}

// evictFirst evicts the first pod that can be, for the threshold that is being acted upon.
func (k *Kubelet) evictFirst(now time.Time) {
	t := k.starved
	for _, s := range Rank(t.Signal, k.options.Layout, k.active(), k.judged) {
		if s.Spared != "" {
			continue
		}
		e := Evicting{Pod: refOf(s.Pod), GraceSeconds: k.grace(t, s.Pod), Threshold: t}
		e.Message, e.Annotations = Message(s.Pod, k.judged.Pod(s.Pod.UID), k.shortage(t))
		k.evict(now, []Evicting{e})
		return
	}
}

func (k *Kubelet) shortage(t Threshold) Shortage {
	short := Shortage{Resource: t.Signal.Resource()}
	if o, ok := k.seen[t.Signal]; ok {
		quantity := t.Value.Of(o.Capacity)
		short.Quantity, short.Available = &quantity, &o.Available
	}
	return short
}

// grace is how long a pod may take to stop: a second for a hard threshold; for a soft one its own period, but no longer
// than the configuration allows, which is not at all unless it says so.
func (k *Kubelet) grace(t Threshold, pod *v1.Pod) int64 {
	if t.Hard() {
		return hardGraceSeconds
	}
	most := k.options.Configuration.MaxPodGraceSeconds
	if own := pod.Spec.TerminationGracePeriodSeconds; own != nil {
		return min(most, *own)
	}
	return most
}

// notices is when the kernel wakes the kubelet: at so much memory usage, by threshold.
type notices struct {
	marks    []int64
	markedAt time.Time
}

// setMarks asks the kernel anew, if it is to be asked and was not within the last period.
func (k *Kubelet) setMarks(now time.Time) {
	if !k.options.Configuration.MemoryNotification || !k.markedAt.IsZero() && now.Sub(k.markedAt) <= syncPeriod {
		return
	}
	k.markedAt, k.marks = now, make([]int64, len(k.thresholds))
	for i, t := range k.thresholds {
		if usage, ok := NotifyAt(t, k.summary.memoryOf(t.Signal)); ok {
			k.marks[i] = usage
		}
	}
}

// notified tells whether the usage of memory has gone above a mark.
func (k *Kubelet) notified(was, is *Summary) bool {
	for i, mark := range k.marks {
		signal := k.thresholds[i].Signal
		if mark > 0 && is.usageOf(signal) >= mark && was.usageOf(signal) < mark {
			return true
		}
	}
	return false
}

// memoryOf is what a memory signal is read from, nil for other signals.
func (s *Summary) memoryOf(signal Signal) *MemoryStats {
	switch {
	case s == nil:
	case signal == MemoryAvailable:
		return s.Node.Memory
	case signal == AllocatableMemoryAvailable:
		if pods := s.Node.systemContainer(podsContainer); pods != nil {
			return pods.Memory
		}
	}
	return nil
}

func (s *Summary) usageOf(signal Signal) int64 {
	if m := s.memoryOf(signal); m != nil && m.UsageBytes != nil {
		return int64(*m.UsageBytes)
	}
	return 0
}

// round is what is being evicted at once, one pod after the other.
type round struct {
	queue   []Evicting
	victim  types.UID
	since   time.Time
	leaving map[types.UID]bool // false once gone
}
