package pressure

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

func refOf(pod *v1.Pod) world.Ref { return world.RefOf(pod) }

// evict begins a round of evictions.
func (k *Kubelet) evict(now time.Time, list []Evicting) {
	k.queue, k.leaving = list, map[types.UID]bool{}
	k.killNext(now)
}

// killNext stops the next pod of the round, or begins to wait for all of them to be gone.
func (k *Kubelet) killNext(now time.Time) {
	if len(k.queue) == 0 {
		k.phase, k.since, k.wake, k.victim = cleaning, now, now.Add(cleanupPoll), ""
		return
	}
	e := k.queue[0]
	k.queue = k.queue[1:]
	k.victim, k.leaving[e.Pod.UID] = e.Pod.UID, true
	k.phase, k.wake = killing, now.Add(killTime(e.GraceSeconds))
	k.say(now, e)
	d := evict.Departure{
		Pod: e.Pod, Node: k.options.Node, Cause: evict.NodePressure, Phase: evict.Leaving,
		Predicted: k.options.Predict, By: k.by(), Why: k.why(e), Noticed: now,
		Deadline: now.Add(time.Duration(e.GraceSeconds) * time.Second),
	}
	if pod := k.pods[e.Pod.UID]; pod != nil {
		d.Budget, d.Allowed = k.board.Guarding(pod)
	}
	k.board.Write(d)
}

// killTime is how long the kubelet waits for a pod to stop before it goes on regardless.
func killTime(graceSeconds int64) time.Duration {
	return max(leastKillTime, time.Duration(graceSeconds+graceSeconds/2)*time.Second)
}

// pollGone looks again as soon as everybody is gone, or has had time enough.
func (k *Kubelet) pollGone(now time.Time) {
	waiting := now.Sub(k.since) < cleanupTimeout
	for _, here := range k.leaving {
		if here && waiting {
			k.wake = now.Add(cleanupPoll)
			return
		}
	}
	k.sync(now)
}

func (k *Kubelet) by() string { return "kubelet on " + k.options.Node }

func (k *Kubelet) why(e Evicting) string {
	if e.Threshold.Signal == "" {
		return e.Message
	}
	return k.state(e.Threshold)
}

// state says how a threshold stands.
func (k *Kubelet) state(t Threshold) string {
	o := k.seen[t.Signal]
	return fmt.Sprintf("%s: %s available", t, o.Available.String())
}

// write puts the next phase of a departure on the board.
func (k *Kubelet) write(now time.Time, pod types.UID, phase evict.Phase) {
	if d, ok := k.board.Find(pod, evict.NodePressure); ok {
		d.Phase, d.Ended = phase, now
		k.board.Write(d)
	}
}

// foresee writes on the board who goes next if the node's pressure lasts, and when if that is known.
func (k *Kubelet) foresee(now time.Time) {
	d, ok := k.expected(now)
	if k.next != "" && (!ok || k.next != d.Pod.UID) {
		if had, open := k.board.Find(k.next, evict.NodePressure); open && had.Phase < evict.Leaving {
			k.write(now, k.next, evict.Cancelled)
		}
		k.next = ""
	}
	if ok {
		k.next = d.Pod.UID
		k.board.Write(d)
	}
}

// expected is the departure to come: of a threshold whose grace period runs, or while a condition holds.
func (k *Kubelet) expected(now time.Time) (evict.Departure, bool) {
	t, at, ok := k.worst()
	if !ok {
		return evict.Departure{}, false
	}
	for _, s := range Rank(t.Signal, k.options.Layout, k.active(), k.judged) {
		if s.Spared != "" || k.leaving[s.Pod.UID] {
			continue
		}
		phase := evict.Forecast
		if !at.IsZero() {
			phase = evict.Counting
		}
		d := evict.Departure{
			Pod: refOf(s.Pod), Node: k.options.Node, Cause: evict.NodePressure, Phase: phase, Deadline: at,
			Predicted: k.options.Predict, By: k.by(), Why: k.state(t), Noticed: now,
		}
		d.Budget, d.Allowed = k.board.Guarding(s.Pod)
		return d, true
	}
	return evict.Departure{}, false
}

// worst is the threshold that decides who is next, and when it will, if its grace period is what it waits for. One that is
// acted upon comes before one that waits, and that before one whose condition only lingers.
func (k *Kubelet) worst() (t Threshold, at time.Time, ok bool) {
	if i := slices.Index(k.unresolved, true); i >= 0 {
		return k.thresholds[i], time.Time{}, true
	}
	if i := slices.IndexFunc(k.first, func(since time.Time) bool { return !since.IsZero() }); i >= 0 {
		t := k.thresholds[i]
		return t, onGrid(k.looked, syncPeriod, k.first[i].Add(t.Grace)), true
	}
	for _, t := range k.thresholds {
		if _, seen := k.seen[t.Signal]; seen && slices.Contains(k.conditions, t.Signal.Condition()) {
			return t, time.Time{}, true
		}
	}
	return Threshold{}, time.Time{}, false
}
