package collect

import (
	"sync"
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// timings holds the durations of plugin calls in this process. A forked engine, as of a what-if, reports to it from another
// goroutine, hence the lock. Single plugin calls are measured in one cycle of ten.
type timings struct {
	mu  sync.Mutex
	all map[timingKey]*latencies
}

// timingKey is a plugin at an extension point or, without a plugin, the point itself.
type timingKey struct {
	profile string
	point   framework.Point
	plugin  string
}

// latencies are the durations of calls.
type latencies struct {
	histogram histogram
	sum       time.Duration
}

func (l *latencies) mean() time.Duration {
	if l.histogram.total == 0 {
		return 0
	}
	return l.sum / time.Duration(l.histogram.total)
}

func newTimings() *timings { return &timings{all: map[timingKey]*latencies{}} }

// add leaves out calls that are not counted either: those that say that the pod is nothing to the plugin.
func (t *timings) add(timing framework.Timing) {
	if timing.Plugin != "" && timing.Code == fwk.Skip && (timing.Point == framework.PreFilter || timing.Point == framework.PreScore) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := timingKey{timing.Profile, timing.Point, timing.Plugin}
	l := t.all[key]
	if l == nil {
		l = &latencies{}
		t.all[key] = l
	}
	l.histogram.add(timing.Duration)
	l.sum += timing.Duration
}

// of copies the durations of a key; they are empty if none were measured.
func (t *timings) of(key timingKey) latencies {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.all[key]; l != nil {
		return *l
	}
	return latencies{}
}
