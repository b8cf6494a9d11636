package figures

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/evict"
	"orrery/core/evict/observer"
	"orrery/core/world"
)

// evictions counts evicted pods by what evicted them. What this scheduler decides to preempt is counted when it is seen of the pod, as are the
// others.
type evictions struct {
	observer *observer.Observer
	seen     uint64 // of the ended ones
	began    time.Time
	by       map[evict.Cause]uint64
}

func newEvictions(o observer.Options) evictions {
	return evictions{observer: observer.New(o), by: map[evict.Cause]uint64{}}
}

func (v *evictions) apply(in world.Input, counts bool) {
	if v.began.IsZero() {
		v.began = in.At
	}
	v.observer.Apply(in)
	r := v.observer.Record()
	fresh := r.TotalEnded() - v.seen
	if fresh == 0 {
		return
	}
	v.seen += fresh
	ended := r.Ended()
	for _, e := range ended[len(ended)-min(len(ended), int(fresh)):] {
		if counts && (e.Phase == evict.Evicted || e.Phase == evict.Killed) && !e.Ended.Before(v.began) {
			v.by[e.Cause]++
		}
	}
}

var evictionsDesc = prometheus.NewDesc("orrery_evictions_total",
	"Pods that were evicted, and containers that were killed as they ran out of memory, by cause.", []string{"cause"}, nil)

func (v *evictions) metrics(add func(prometheus.Metric)) {
	for _, cause := range evict.Causes() {
		add(counter(evictionsDesc, float64(v.by[cause]), string(cause)))
	}
}
