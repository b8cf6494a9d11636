package scenario

import (
	"slices"
	"time"

	"orrery/core/evict/pressure"
	"orrery/core/trace"
	"orrery/core/world"
)

// usageRecorder is an observer that records what nodes use. A play.Recorder is one.
type usageRecorder interface {
	Usage(at time.Time, u trace.Usage)
}

// A node is read as often as a console reads one of a cluster, and when one of its kubelet's thresholds is met, more often from then on.
const (
	readingInterval = 15 * time.Second
	shortInterval   = 5 * time.Second
	lookInterval    = time.Second
)

// usageReadings records what the kubelets of a simulation measure. It is a controller without inputs and effects: the kubelets do
// not notice that they are read.
type usageReadings struct {
	*simulation
	thresholds []pressure.Threshold
	next       time.Time
	last       map[string]lastReading // by node
}

type lastReading struct {
	at    time.Time
	short bool
}

func (s *simulation) newUsageReadings() *usageReadings {
	thresholds, _ := s.kubelet.Thresholds() // the scenario's check has read them
	return &usageReadings{simulation: s, thresholds: thresholds, next: s.cluster.Now(), last: map[string]lastReading{}}
}

func (r *usageReadings) Apply(in world.Input) {
	if in.At.Before(r.next) {
		return
	}
	r.next = in.At.Add(lookInterval)
	to, recorded := r.replicas[r.observed].observer.(usageRecorder)
	kubelets, simulated := r.cluster.Pressure().(*pressure.Kubelets)
	if !recorded || !simulated {
		return
	}
	for _, node := range r.cluster.List(world.Node) {
		name := node.GetName()
		s := kubelets.Summary(in.At, name)
		if s == nil {
			continue
		}
		last, short := r.last[name], r.short(s)
		if since := in.At.Sub(last.at); since < readingInterval && !short || since < shortInterval && last.short {
			continue
		}
		r.last[name] = lastReading{in.At, short}
		to.Usage(in.At, trace.Usage{Node: name, Summary: *s})
	}
}

// short reports whether a kubelet that measures this has too little of something.
func (r *usageReadings) short(s *pressure.Summary) bool {
	return slices.ContainsFunc(r.thresholds, func(t pressure.Threshold) bool {
		o, measured := s.Observe(t.Signal)
		return measured && t.Met(o, false)
	})
}

func (r *usageReadings) Effects() []world.Effect     { return nil }
func (r *usageReadings) NextWake() (time.Time, bool) { return r.next, true }

// saysUsage reports whether a scenario says what anything uses.
func (f *file) saysUsage() bool {
	return slices.ContainsFunc(f.Workloads, func(w workload) bool { return w.Usage != nil }) ||
		slices.ContainsFunc(f.Steps, func(m moment) bool { return len(m.Usage) > 0 })
}

// kubeletFile returns the kubelets' configuration for the header of a recording; nil if nothing is said of usage, so that none is recorded.
func (s *Scenario) kubeletFile() ([]byte, error) {
	if !s.file.saysUsage() {
		return nil, nil
	}
	return s.kubelet.File()
}
