package live

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// lane has the effects on one pod: one of them may be under way, the others wait.
type lane struct {
	key     string
	waiting []*job // the oldest first
	running *job
	pause   *time.Timer // until the oldest is tried again
}

// job is an effect, or several that have become one.
type job struct {
	effects []world.EffectID
	act     world.Act
	pod     *v1.Pod // as it was known when the effect was wanted; may be nil
	// began is when the first try was made, tries how many have failed.
	began time.Time
	tries int
	// doubtful says that a try may have been carried out although nobody said so.
	doubtful bool
	cancel   context.CancelFunc // of the plugin that runs
}

// laneOf is whose turn an effect has to wait for: that of earlier ones on the same pod.
func laneOf(ref world.Ref) string {
	if ref.UID != "" {
		return string(ref.UID)
	}
	return ref.Namespace + "/" + ref.Name
}

// add puts a job behind the others, or makes one of it and the last of them. It returns the job that has become
// needless, if any: nobody will carry it out, and it has to be answered.
func (l *lane) add(j *job) (needless *job) {
	if _, deletes := j.act.(world.Delete); deletes && l.running != nil && l.running.cancel != nil {
		l.running.cancel()
	}
	if len(l.waiting) > 0 {
		last := l.waiting[len(l.waiting)-1]
		if last.absorb(j) {
			return nil
		}
		if last.overtakenBy(j) {
			l.waiting[len(l.waiting)-1] = j
			return last
		}
	}
	l.waiting = append(l.waiting, j)
	return nil
}

// putBack puts a job back that is to be tried again, before the others. A newer one of its kind takes it over, or its
// place, as if it had waited all the time.
func (l *lane) putBack(j *job) (needless *job) {
	rest := l.waiting
	l.waiting = []*job{j}
	if len(rest) == 0 {
		return nil
	}
	needless = l.add(rest[0])
	l.waiting = append(l.waiting, rest[1:]...)
	return needless
}

// absorb makes one of two jobs that want the same, the newer one's wishes first, and tells whether it could.
func (j *job) absorb(newer *job) bool {
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
		if !ok || !sameCondition(act.Condition, next.Condition) {
			return false
		}
		if next.Condition == nil {
			next.Condition = act.Condition
		}
		if next.NominatedNode == nil {
			next.NominatedNode = act.NominatedNode
		}
		j.act, j.pod = next, newer.pod
		j.tries, j.began = 0, time.Time{}
	default:
		return false
	}
	j.effects = append(j.effects, newer.effects...)
	return true
}

// sameCondition tells whether one patch can do for both: they do not speak of different conditions.
func sameCondition(a, b *v1.PodCondition) bool {
	return a == nil || b == nil || a.Type == b.Type
}

// overtakenBy tells whether a newer job makes this one needless.
func (j *job) overtakenBy(newer *job) bool {
	if _, binds := newer.act.(world.Bind); !binds {
		return false
	}
	switch act := j.act.(type) {
	case world.Bind:
		return !j.doubtful
	case world.PatchStatus:
		return act.Condition == nil || act.Condition.Type == v1.PodScheduled
	}
	return false
}
