package views

import "time"

// Pressure is what a node's kubelet watches, and whom it would evict first.
type Pressure struct {
	Node, Key string
	// Conditions are the pressure that the node reports, with since when.
	Conditions []string
	// Usage says where what is used was read, or why it is not known; Known that it is, and At when it was read.
	Usage string
	Known bool
	At    time.Time
	// Rules are the RBAC rules without which there is no more.
	Rules []string
	// Thresholds says whose they are, and Warnings what the kubelet does not heed of them.
	Thresholds string
	Warnings   []string
	Signals    []PressureSignal
	// By is the signal that the pods are ranked under. Unranked is why they are in no order of eviction; empty if they are.
	By, Unranked string
	Pods         List[PressurePod]
}

// PressureSignal is one thing that a kubelet measures, and how little of it is too little.
type PressureSignal struct {
	Name, Available, Capacity, Threshold string
	// Left is the fraction that is available.
	Left float64
	// Measured says that it is known, Met that there is too little.
	Measured, Met bool
}

// PressurePod is a pod in the order of eviction.
type PressurePod struct {
	Place     int
	Name, Key string
	Priority  int32
	// Measured says that it is known what the pod uses; Share is that over its request, where it has one.
	Measured               bool
	Usage, Request, Excess string
	Share                  float64
	Exceeds                bool
	// Spared is why the kubelet passes it over; empty if it does not.
	Spared string
}
