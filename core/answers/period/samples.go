package period

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/capacity"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
)

// sampler looks at the cluster at equal times.
type sampler struct {
	next  time.Time
	last  time.Time
	every time.Duration
	taken []Sample

	queue                    queue.Counts // after what the engine was told last
	bound, failed, displaced int          // since the last sample
}

func newSampler(from, to time.Time) sampler {
	return sampler{next: from, last: to, every: max(to.Sub(from)/(Samples-1), time.Millisecond)}
}

// until takes the samples that are due before a time. The queue is as it was then; what the nodes have is as of the first input after it, which is applied.
func (s *sampler) until(e *engine.Engine, at time.Time) {
	for s.next.Before(at) && s.next.Before(s.last) && len(s.taken) < Samples-1 {
		s.take(e, s.next)
		s.next = s.next.Add(s.every)
	}
}

// end takes what is left.
func (s *sampler) end(e *engine.Engine, to time.Time) {
	for s.next.Before(to) && len(s.taken) < Samples-1 {
		s.take(e, s.next)
		s.next = s.next.Add(s.every)
	}
	if len(s.taken) == 0 || s.taken[len(s.taken)-1].At.Before(to) {
		s.take(e, to)
	}
}

func (s *sampler) take(e *engine.Engine, at time.Time) {
	room := capacity.Of(e, nil)
	sample := Sample{At: at.UTC(), Bound: s.bound, Failed: s.failed, Displaced: s.displaced, Nodes: room.All.Nodes}
	s.bound, s.failed, s.displaced = 0, 0, 0
	for _, r := range room.All.Resources {
		switch r.Name {
		case v1.ResourceCPU:
			sample.CPU = r.Share()
		case v1.ResourceMemory:
			sample.Memory = r.Share()
		}
	}
	if len(room.Shapes) > 0 {
		sample.Fragmented = room.Shapes[0].Fragmented()
	}
	sample.Active, sample.Unschedulable, sample.Gated = s.queue.Active+s.queue.InFlight, s.queue.Unschedulable, s.queue.Gated
	sample.Backoff = s.queue.Backoff + s.queue.ErrorBackoff
	s.taken = append(s.taken, sample)
}
