package period

import (
	"cmp"
	"math"
	"slices"
	"time"

	"orrery/core/scheduler/config"
	"orrery/core/trace/journey"
)

// Exclusion is why a pod does not count for the objective; empty if it does.
type Exclusion string

// The exclusions, the first that holds of a pod.
const (
	// Constraints is a pod that its own specification held back: gates, gangs, affinity, spread, selectors, tolerations, ports.
	Constraints Exclusion = "constraints"
	// Storage is a pod that waited for volumes: a volume's plugin rejected it, or its binding had a volume provisioned or bound.
	Storage Exclusion = "storage"
	// Capacity is a pod that no node had room for, so that it waited for others to go or for the autoscaler.
	Capacity Exclusion = "capacity"
	// Preemption is a pod that had to preempt others, whose graceful termination it then waited for.
	Preemption Exclusion = "preemption"
)

// Exclusions are all, in the order in which they are shown, each with its reason.
var Exclusions = []struct {
	Exclusion
	Why string
}{
	{Constraints, "held back by its own gates, gang, affinity, spread, selectors, tolerations or ports"},
	{Storage, "waited for a volume to be provisioned, bound, detached or allowed"},
	{Capacity, "no node had room: it waited for other pods to go, or for the autoscaler"},
	{Preemption, "had to preempt others, and waited for their termination"},
}

// plugins are the exclusions by the plugin that rejected. Other plugins, and errors, count as the scheduler's own.
var plugins = map[string]Exclusion{
	config.SchedulingGates: Constraints, config.NodeAffinity: Constraints, config.NodeName: Constraints, config.NodePorts: Constraints,
	config.NodeUnschedulable: Constraints, config.TaintToleration: Constraints, config.PodTopologySpread: Constraints,
	config.InterPodAffinity: Constraints, config.GangSchedulingPlugin: Constraints, config.NodeDeclaredFeaturesPlugin: Constraints,
	config.VolumeBinding: Storage, config.VolumeZone: Storage, config.VolumeRestrictions: Storage, config.NodeVolumeLimits: Storage,
	config.NodeResourcesFit: Capacity, config.DynamicResources: Capacity,
}

// excluded says why a pod does not count. Of several plugins it is the one that held the pod longest: which others also rejected nodes says
// little. A pod whose attempts were rejected always has one.
func excluded(p *journey.Pod, storage bool) Exclusion {
	switch {
	case p.Preempting > 0:
		return Preemption
	case p.In[journey.Gated] > 0 || p.In[journey.Permit] > 0:
		return Constraints
	case storage:
		return Storage
	}
	for _, h := range p.HeldBy {
		if e := plugins[h.Plugin]; e != "" {
			return e
		}
	}
	return ""
}

// Latency is how long pods took from their creation to their binding.
type Latency struct {
	Pods int     `json:"pods"`
	P50  float64 `json:"p50Seconds"`
	P90  float64 `json:"p90Seconds"`
	P99  float64 `json:"p99Seconds"`
	Max  float64 `json:"maxSeconds"`
}

// Objective is how many pods were bound in time.
type Objective struct {
	// Target is the time, Share the share of pods that have to be bound within it.
	Target float64 `json:"targetSeconds"`
	Share  float64 `json:"share"`
	// Met says whether they were. It is true where no pod counts.
	Met bool `json:"met"`
	// Counted are the pods that count, Within those of them that were bound in time. One that waits for longer than that counts as bound at the end.
	Counted Latency `json:"counted"`
	Within  int     `json:"within"`
	// All are all pods, those that do not count included.
	All Latency `json:"all"`
	// Excluded are the others, by reason.
	Excluded []ExcludedPods `json:"excluded"`
	// Elsewhere counts pods of other schedulers, which are in none of these numbers.
	Elsewhere int `json:"otherSchedulers"`
}

// ExcludedPods are the pods that do not count for one reason.
type ExcludedPods struct {
	Reason Exclusion `json:"reason"`
	Why    string    `json:"why"`
	Latency
}

// durations are the latencies of some pods.
type durations []time.Duration

func (d durations) latency() Latency {
	if len(d) == 0 {
		return Latency{}
	}
	sorted := slices.Sorted(slices.Values(d))
	at := func(share float64) float64 {
		return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)].Seconds()
	}
	return Latency{Pods: len(d), P50: at(.5), P90: at(.9), P99: at(.99), Max: sorted[len(sorted)-1].Seconds()}
}

// latencies are those of pods by why they do not count.
type latencies struct {
	all       durations
	by        map[Exclusion]durations
	elsewhere int
}

func (l *latencies) add(e Exclusion, d time.Duration) {
	l.all = append(l.all, d)
	l.by[e] = append(l.by[e], d)
}

func (l *latencies) objective(target time.Duration, share float64) Objective {
	o := Objective{Target: target.Seconds(), Share: share, Counted: l.by[""].latency(), All: l.all.latency(), Excluded: []ExcludedPods{}, Elsewhere: l.elsewhere}
	for _, d := range l.by[""] {
		if d <= target {
			o.Within++
		}
	}
	o.Met = float64(o.Within) >= share*float64(o.Counted.Pods)
	for _, e := range Exclusions {
		if of := l.by[e.Exclusion]; len(of) > 0 {
			o.Excluded = append(o.Excluded, ExcludedPods{e.Exclusion, e.Why, of.latency()})
		}
	}
	slices.SortStableFunc(o.Excluded, func(a, b ExcludedPods) int { return cmp.Compare(b.Pods, a.Pods) })
	return o
}
