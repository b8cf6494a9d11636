package pressure

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/objects/saturating"
	"orrery/core/world"
)

func refOf(pod *v1.Pod) world.PodRef { return world.PodRefOf(pod) }

// evict begins a round of evictions.
func (k *Kubelet) evict(now time.Time, list []EvictPod) {
	k.queue, k.terminating = list, map[types.UID]bool{}
	k.killNext(now)
}

// killNext stops the next pod of the round, or starts to wait until all are gone.
func (k *Kubelet) killNext(now time.Time) {
	if len(k.queue) == 0 {
		k.phase, k.since, k.wake, k.victim = awaitingCleanup, now, now.Add(cleanupPoll), ""
		return
	}
	e := k.queue[0]
	k.queue = k.queue[1:]
	k.victim, k.terminating[e.Pod.UID] = e.Pod.UID, true
	k.phase, k.wake = killingPods, now.Add(killTime(e.GraceSeconds))
	k.emit(now, e)
	d := evict.Eviction{
		Pod: e.Pod, Node: k.options.Node, Cause: evict.NodePressure, Phase: evict.Terminating,
		Predicted: k.options.Predict, Initiator: k.initiator(), Reason: k.reason(e), FirstSeen: now,
		Deadline: now.Add(saturating.Seconds(e.GraceSeconds)),
	}
	if pod := k.pods[e.Pod.UID]; pod != nil {
		d.Budget, d.DisruptionsAllowed = k.record.BudgetOf(pod)
	}
	k.record.Write(d)
}

// killTime returns how long the kubelet waits for a pod to stop before it continues regardless.
func killTime(graceSeconds int64) time.Duration {
	return max(minKillTime, saturating.Seconds(saturating.Add(graceSeconds, graceSeconds/2)))
}

// pollGone syncs again once all evicted pods are gone, or after the timeout.
func (k *Kubelet) pollGone(now time.Time) {
	waiting := now.Sub(k.since) < cleanupTimeout
	for _, here := range k.terminating {
		if here && waiting {
			k.wake = now.Add(cleanupPoll)
			return
		}
	}
	k.sync(now)
}

func (k *Kubelet) initiator() string { return "kubelet on " + k.options.Node }

func (k *Kubelet) reason(e EvictPod) string {
	if e.Threshold.Signal == "" {
		return e.Message
	}
	return k.thresholdText(e.Threshold)
}

// thresholdText describes a threshold and its last observation.
func (k *Kubelet) thresholdText(t Threshold) string {
	o := k.observations[t.Signal]
	return fmt.Sprintf("%s: %s available", t, o.Available.String())
}

// recordPhase records the next phase of an eviction.
func (k *Kubelet) recordPhase(now time.Time, pod types.UID, phase evict.Phase) {
	if d, ok := k.record.Find(pod, evict.NodePressure); ok {
		d.Phase, d.Ended = phase, now
		k.record.Write(d)
	}
}

// predictNext records the next victim if the node's pressure lasts, with the time if it is known.
func (k *Kubelet) predictNext(now time.Time) {
	d, ok := k.nextEviction(now)
	if k.nextVictim != "" && (!ok || k.nextVictim != d.Pod.UID) {
		if had, open := k.record.Find(k.nextVictim, evict.NodePressure); open && had.Phase < evict.Terminating {
			k.recordPhase(now, k.nextVictim, evict.Cancelled)
		}
		k.nextVictim = ""
	}
	if ok {
		k.nextVictim = d.Pod.UID
		k.record.Write(d)
	}
}

// nextEviction returns the predicted eviction: for a threshold in its grace period, or while a condition holds.
func (k *Kubelet) nextEviction(now time.Time) (evict.Eviction, bool) {
	t, at, ok := k.decidingThreshold()
	if !ok {
		return evict.Eviction{}, false
	}
	for _, s := range Rank(t.Signal, k.options.Layout, k.active(), k.rankedSummary) {
		if s.Exempt != "" || k.terminating[s.Pod.UID] {
			continue
		}
		phase := evict.AtRisk
		if !at.IsZero() {
			phase = evict.CountingDown
		}
		d := evict.Eviction{
			Pod: refOf(s.Pod), Node: k.options.Node, Cause: evict.NodePressure, Phase: phase, Deadline: at,
			Predicted: k.options.Predict, Initiator: k.initiator(), Reason: k.thresholdText(t), FirstSeen: now,
		}
		d.Budget, d.DisruptionsAllowed = k.record.BudgetOf(s.Pod)
		return d, true
	}
	return evict.Eviction{}, false
}

// decidingThreshold returns the threshold of the next eviction, with its time if its grace period runs. An active threshold
// comes before one in its grace period, and that before one whose condition only lingers.
func (k *Kubelet) decidingThreshold() (t Threshold, at time.Time, ok bool) {
	if i := slices.Index(k.unresolved, true); i >= 0 {
		return k.thresholds[i], time.Time{}, true
	}
	if i := slices.IndexFunc(k.firstMet, func(since time.Time) bool { return !since.IsZero() }); i >= 0 {
		t := k.thresholds[i]
		return t, nextOnGrid(k.lastSync, syncPeriod, k.firstMet[i].Add(t.Grace)), true
	}
	for _, t := range k.thresholds {
		if _, seen := k.observations[t.Signal]; seen && slices.Contains(k.conditions, t.Signal.Condition()) {
			return t, time.Time{}, true
		}
	}
	return Threshold{}, time.Time{}, false
}
