package compare

import (
	"slices"
	"time"

	"orrery/core/world"
)

const (
	// defaultDecision is the duration of a decision if the recording tells none, because its clock stood still while it
	// decided. It is the order of kube-scheduler's own on some hundreds of nodes.
	defaultDecision = time.Millisecond
	// maxDecision bounds the duration: a recording may have gaps.
	maxDecision = time.Second
	// maxGaps bounds the times that are kept for the median.
	//
	//orrery:limit answers; times by which the duration of a decision is measured; the others do not count
	maxGaps = 1 << 16
)

// decisionTime finds the median duration of a recorded scheduler's decisions: the time from one decision to the next, if
// the next one's pod was waiting already.
type decisionTime struct {
	waiting map[podKey]time.Time // since when; pods without a decision
	last    time.Time
	gaps    []time.Duration
}

func (t *decisionTime) arrived(pod podKey, at time.Time) { t.waiting[pod] = at }

func (t *decisionTime) decided(pod world.PodRef, at time.Time) {
	since, first := t.waiting[pod.UID]
	delete(t.waiting, pod.UID)
	if first && !t.last.IsZero() && !since.After(t.last) && len(t.gaps) < maxGaps {
		t.gaps = append(t.gaps, at.Sub(t.last))
	}
	t.last = at
}

// median returns the duration of a decision.
func (t *decisionTime) median() time.Duration {
	slices.Sort(t.gaps)
	if len(t.gaps) == 0 || t.gaps[len(t.gaps)/2] <= 0 {
		return defaultDecision
	}
	return min(t.gaps[len(t.gaps)/2], maxDecision)
}
