package live

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// podEffects are the effects on one pod: one may be running, the others wait.
type podEffects struct {
	key        string
	pending    []*task // oldest first
	running    *task
	retryTimer *time.Timer // until the oldest is retried
}

// task is an effect, or several that were merged.
type task struct {
	effects  []world.EffectID
	act      world.Action
	knownPod *v1.Pod // as known when the effect was emitted; may be nil
	// began is the time of the first attempt, failures the number of failed ones.
	began    time.Time
	failures int
	// uncertain: an attempt without a response may have succeeded.
	uncertain bool
	version   string             // of the claim that it wrote
	cancel    context.CancelFunc // of the running plugin
}

// podKey identifies the pod whose effects are carried out in order.
func podKey(ref world.PodRef) string {
	if ref.UID != "" {
		return string(ref.UID)
	}
	return ref.Namespace + "/" + ref.Name
}

// add appends a task, or merges it with the last one. It returns the task that the new one superseded, if any: it is not
// carried out, and its effects need an outcome.
func (l *podEffects) add(j *task) (superseded *task) {
	if _, deletes := j.act.(world.Delete); deletes && l.running != nil && l.running.cancel != nil {
		l.running.cancel()
	}
	if len(l.pending) > 0 {
		last := l.pending[len(l.pending)-1]
		if last.merge(j) {
			return nil
		}
		if last.supersededBy(j) {
			l.pending[len(l.pending)-1] = j
			return last
		}
	}
	l.pending = append(l.pending, j)
	return nil
}

// requeue puts a task back for a retry, before the others. A newer one merges with it or supersedes it as if it had waited
// all the time.
func (l *podEffects) requeue(j *task) (superseded *task) {
	rest := l.pending
	l.pending = []*task{j}
	if len(rest) == 0 {
		return nil
	}
	superseded = l.add(rest[0])
	l.pending = append(l.pending, rest[1:]...)
	return superseded
}

// merge combines two tasks with the same purpose, the newer one's fields first, and reports whether it could.
func (j *task) merge(newer *task) bool {
	switch act := j.act.(type) {
	case world.Bind:
		if next, ok := newer.act.(world.Bind); !ok || next.Node != act.Node {
			return false
		}
	case world.Delete:
		if _, ok := newer.act.(world.Delete); !ok {
			return false
		}
	case world.PatchStatus:
		next, ok := newer.act.(world.PatchStatus)
		if !ok || !mergeableConditions(act.Condition, next.Condition) {
			return false
		}
		if next.Condition == nil {
			next.Condition = act.Condition
		}
		if next.NominatedNode == nil {
			next.NominatedNode = act.NominatedNode
		}
		if next.ExtendedResources == nil {
			next.ExtendedResources = act.ExtendedResources
		}
		j.act, j.knownPod = next, newer.knownPod
		j.failures, j.began = 0, time.Time{}
	default:
		return false
	}
	j.effects = append(j.effects, newer.effects...)
	return true
}

// mergeableConditions reports whether one patch can set both: they are not of different types.
func mergeableConditions(a, b *v1.PodCondition) bool { return a == nil || b == nil || a.Type == b.Type }

// supersededBy reports whether a newer task makes this one needless.
func (j *task) supersededBy(newer *task) bool {
	if _, binds := newer.act.(world.Bind); !binds {
		return false
	}
	switch act := j.act.(type) {
	case world.Bind:
		return !j.uncertain
	case world.PatchStatus:
		return act.ExtendedResources == nil && (act.Condition == nil || act.Condition.Type == v1.PodScheduled)
	}
	return false
}
