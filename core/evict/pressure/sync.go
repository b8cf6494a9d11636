package pressure

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// syncState is what a kubelet keeps between syncs.
type syncState struct {
	// firstMet holds, by threshold, since when it has been met; zero if it is not.
	firstMet []time.Time
	// unresolved marks thresholds that were acted upon and stay met until the minimum is reclaimed as well.
	unresolved []bool
	// lastMet holds, by condition, when it was last observed.
	lastMet    map[v1.NodeConditionType]time.Time
	conditions []v1.NodeConditionType
	// observations are those of the last sync, rankedSummary is the summary they were read from, activeThreshold the
	// threshold that is being acted upon.
	observations    map[Signal]Observation
	rankedSummary   *Summary
	activeThreshold Threshold
}

// sync checks conditions first, then pods that exceed their own limits, then thresholds.
func (k *Kubelet) sync(now time.Time) {
	k.phase, k.wake, k.lastSync = idle, now.Add(syncPeriod), now
	if k.summary == nil {
		k.wake = time.Time{}
		return
	}
	k.setMarks(now)
	last := k.observations
	k.rankedSummary, k.observations = k.summary, observeAll(k.summary)
	pending := k.evaluateThresholds(now)
	due := k.thresholdsToAct(last)
	k.updateConditions(now)
	defer k.predictNext(now)
	if over := k.overLimits(); len(over) > 0 {
		k.evict(now, over)
		return
	}
	if len(due) > 0 {
		k.actOn(now, k.thresholds[due[0]])
		return
	}
	if !pending && len(k.conditions) == 0 {
		k.wake = time.Time{} // without a change every sync would see the same
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

// evaluateThresholds updates which thresholds are met, since when, and which conditions hold. It reports whether any is
// met.
func (k *Kubelet) evaluateThresholds(now time.Time) (pending bool) {
	if k.lastMet == nil {
		k.lastMet = map[v1.NodeConditionType]time.Time{}
	}
	for i, t := range k.thresholds {
		o, observed := k.observations[t.Signal]
		if !observed || !t.Met(o, false) && !(k.unresolved[i] && t.Met(o, true)) {
			k.firstMet[i], k.unresolved[i] = time.Time{}, false
			continue
		}
		pending = true
		if k.firstMet[i].IsZero() {
			k.firstMet[i] = now
		}
		k.unresolved[i] = now.Sub(k.firstMet[i]) >= t.Grace
		k.lastMet[t.Signal.Condition()] = now
	}
	return pending
}

// updateConditions holds the conditions observed within the transition period, and emits a change.
func (k *Kubelet) updateConditions(now time.Time) {
	var hold []v1.NodeConditionType
	for _, w := range conditionTexts {
		if at, ok := k.lastMet[w.condition]; ok && now.Sub(at) < k.options.Configuration.PressureTransition {
			hold = append(hold, w.condition)
		}
	}
	if slices.Equal(hold, k.conditions) {
		return
	}
	k.conditions = hold
	k.emit(now, ConditionsChanged{k.Conditions()})
	k.reportAt = time.Time{}
	if !slices.Equal(hold, k.reported) {
		k.reportAt = nextOnGrid(k.options.Start.Add(-statusPeriod), statusPeriod, now)
	}
}

// thresholdsToAct returns the thresholds to act upon whose signals were measured since the last sync.
func (k *Kubelet) thresholdsToAct(last map[Signal]Observation) []int {
	var due []int
	for i, t := range k.thresholds {
		if !k.unresolved[i] {
			continue
		}
		before, had := last[t.Signal]
		at := k.observations[t.Signal].At
		if !had || at.IsZero() || at.After(before.At.Time) {
			due = append(due, i)
		}
	}
	return due
}

// overLimits returns the evictions of pods that exceed their limits of local storage.
func (k *Kubelet) overLimits() []EvictPod {
	if !k.options.Configuration.LocalStorageIsolation {
		return nil
	}
	var over []EvictPod
	measured := k.rankedSummary.byPod()
	for _, pod := range k.active() {
		message := OverLimit(pod, measured[pod.UID], k.options.Layout)
		if message != "" && ExemptReason(pod) == "" {
			over = append(over, EvictPod{Pod: refOf(pod), GraceSeconds: hardGraceSeconds, Message: message})
		}
	}
	return over
}

// actOn acts on a threshold: it reclaims resources before it evicts pods.
func (k *Kubelet) actOn(now time.Time, t Threshold) {
	k.activeThreshold = t
	k.emit(now, ThresholdMet{t.Signal.Resource()})
	if r := k.options.Layout.Reclaim(t.Signal); r.Any() {
		k.phase, k.wake = awaitingReclaim, time.Time{}
		k.emit(now, ReclaimResources{r})
		return
	}
	k.evictFirst(now)
}

// afterReclaim evicts a pod, unless every threshold is satisfied now, its minimum reclaim included.
func (k *Kubelet) afterReclaim(now time.Time, s *Summary) {
	k.phase, k.wake = idle, now.Add(syncPeriod)
	defer k.predictNext(now)
	if s == nil || slices.ContainsFunc(k.thresholds, func(t Threshold) bool {
		o, ok := s.Observe(t.Signal)
		return ok && t.Met(o, true)
	}) {
		k.evictFirst(now)
	}
}

// evictFirst evicts the first evictable pod for the active threshold.
func (k *Kubelet) evictFirst(now time.Time) {
	t := k.activeThreshold
	for _, s := range Rank(t.Signal, k.options.Layout, k.active(), k.rankedSummary) {
		if s.Exempt != "" {
			continue
		}
		e := EvictPod{Pod: refOf(s.Pod), GraceSeconds: k.gracePeriodSeconds(t, s.Pod), Threshold: t}
		e.Message, e.Annotations = Message(s.Pod, k.rankedSummary.Pod(s.Pod.UID), k.shortage(t))
		k.evict(now, []EvictPod{e})
		return
	}
}

func (k *Kubelet) shortage(t Threshold) Shortage {
	short := Shortage{Resource: t.Signal.Resource()}
	if o, ok := k.observations[t.Signal]; ok {
		quantity := t.Value.Of(o.Capacity)
		short.Quantity, short.Available = &quantity, &o.Available
	}
	return short
}

// gracePeriodSeconds returns a pod's grace period: a second for a hard threshold; for a soft one its own, capped by the
// configuration, whose default is zero.
func (k *Kubelet) gracePeriodSeconds(t Threshold, pod *v1.Pod) int64 {
	if t.Hard() {
		return hardGraceSeconds
	}
	most := k.options.Configuration.MaxPodGraceSeconds
	if own := pod.Spec.TerminationGracePeriodSeconds; own != nil {
		return min(most, *own)
	}
	return most
}

// memoryNotifier holds the memory usage, by threshold, at which the kernel wakes the kubelet.
type memoryNotifier struct {
	marks    []int64
	markedAt time.Time
}

// setMarks updates the kernel's marks, if notification is on, at most once per period.
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

// notified reports whether the memory usage has crossed a mark.
func (k *Kubelet) notified(was, is *Summary) bool {
	for i, mark := range k.marks {
		signal := k.thresholds[i].Signal
		if mark > 0 && is.usageOf(signal) >= mark && was.usageOf(signal) < mark {
			return true
		}
	}
	return false
}

// memoryOf returns the source of a memory signal, nil for other signals.
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

// evictionRound is a round of evictions, one pod after the other.
type evictionRound struct {
	queue       []EvictPod
	victim      types.UID
	since       time.Time
	terminating map[types.UID]bool // false once gone
}
