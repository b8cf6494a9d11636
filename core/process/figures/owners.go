package figures

import (
	"cmp"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/scheduler/queue"
)

const (
	// maxOwners bounds the series of attempts.
	//
	//orrery:limit scheduler; owners of pods with series of orrery_owner_attempts_total; the others share one
	maxOwners = 64
	// maxPending bounds the series of pending pods.
	//
	//orrery:limit scheduler; owners and reasons with a series of orrery_owner_pending_pods, those with the most pods; the others share one for each part of the queue
	maxPending = 32
)

// pendingKey is whose pods wait, where, and what rejects them.
type pendingKey struct {
	owner
	queue, plugins string
}

func (j *journey) pendingKey() pendingKey {
	state := j.state
	if state == queue.ErrorBackoff {
		state = queue.Backoff
	}
	return pendingKey{j.owner, state.String(), j.reason}
}

// attempts of an owner: those after which the pod is requeued, and those after which it has left the queue.
type attempts struct{ requeued, left uint64 }

// owners counts by owner.
type owners struct {
	attempts slots[owner, attempts]
	pending  map[pendingKey]int
}

func newOwners() owners {
	return owners{attempts: newSlots[owner, attempts](maxOwners), pending: map[pendingKey]int{}}
}

// attempted counts the end of an attempt.
func (o *owners) attempted(of owner, to queue.State, now time.Time) {
	if a := o.attempts.of(of, now); to == queue.Gone {
		a.left++
	} else {
		a.requeued++
	}
}

// count changes how many pods wait for the same.
func (o *owners) count(key pendingKey, by int) {
	if o.pending[key] += by; o.pending[key] <= 0 {
		delete(o.pending, key)
	}
}

var (
	attemptsDesc = prometheus.NewDesc("orrery_owner_attempts_total",
		"Attempts to schedule pods, by their owner, and by whether the pod was requeued after it or has left the queue.", []string{"namespace", "owner_kind", "owner", "outcome"}, nil)
	pendingDesc = prometheus.NewDesc("orrery_owner_pending_pods",
		"Pods without a node, by their owner, the part of the queue that they are in, and the plugins that reject or gate them: the most.",
		[]string{"namespace", "owner_kind", "owner", "queue", "plugins"}, nil)
)

func (o *owners) metrics(add func(prometheus.Metric)) {
	o.attempts.each(otherOwner, func(of owner, a *attempts) {
		add(counter(attemptsDesc, float64(a.requeued), of.namespace, of.kind, of.name, "requeued"))
		add(counter(attemptsDesc, float64(a.left), of.namespace, of.kind, of.name, "left"))
	})
	type entry struct {
		pendingKey
		pods int
	}
	all := make([]entry, 0, len(o.pending))
	for key, pods := range o.pending {
		all = append(all, entry{key, pods})
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.pods, a.pods), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name),
			cmp.Compare(a.queue, b.queue), cmp.Compare(a.plugins, b.plugins))
	})
	rest := map[string]int{}
	for i, e := range all {
		if i < maxPending {
			add(gauge(pendingDesc, float64(e.pods), e.namespace, e.kind, e.name, e.queue, e.plugins))
			continue
		}
		rest[e.queue] += e.pods
	}
	for part, pods := range rest {
		add(gauge(pendingDesc, float64(pods), other, other, other, part, other))
	}
}
