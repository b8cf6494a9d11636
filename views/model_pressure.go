package views

import "time"

// Pressure is what a node's kubelet measures, and its eviction order.
type Pressure struct {
	Node, Key string
	// Conditions are the pressure conditions that the node reports, and since when.
	Conditions []string
	// Usage tells where the usage was read, or why it is unknown; Known means that it was read, and At when.
	Usage string
	Known bool
	At    time.Time
	// Rules are the RBAC rules that reading more needs.
	Rules []string
	// Thresholds tells where the thresholds come from, and Warnings which settings the kubelet ignores.
	Thresholds string
	Warnings   []string
	Signals    []PressureSignal
	// RankedBy is the signal that ranks the pods. UnrankedBecause is why there is no eviction order; empty if there is
	// one.
	RankedBy, UnrankedBecause string
	// Next names which pod is evicted next and why; empty if that is not known.
	Next string
	// KilledFirst describes what the kernel kills if memory runs out before the kubelet evicts; empty if that is not known.
	KilledFirst string
	Pods        List[PressurePod]
}

// PressureSignal is one eviction signal and its threshold.
type PressureSignal struct {
	Name, Available, Capacity, Threshold string
	// AvailableFraction is the fraction that is available.
	AvailableFraction float64
	// Measured means that the value is known, BelowThreshold that it is below the threshold.
	Measured, BelowThreshold bool
}

// PressurePod is a pod in the eviction order.
type PressurePod struct {
	Rank      int // 0 for a pod that came after the reading
	Name, Key string
	Priority  int32
	// Measured means that the pod's usage is known; Share is usage over request, if it has a request.
	Measured               bool
	Usage, Request, Excess string
	Share                  float64
	Exceeds                bool
	// ExcludedBecause is why the kubelet does not evict the pod; empty if it may.
	ExcludedBecause string
	// Because is what the pod's place depends on where there is no order by usage.
	Because string
	Labels  map[string]string
}
