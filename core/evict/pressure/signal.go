package pressure

import (
	v1 "k8s.io/api/core/v1"
)

// Signal is a measurement on which a kubelet evicts pods when too little is available.
type Signal string

// The signals. AllocatableMemoryAvailable is the kubelet's own: the available part of the memory for all pods.
const (
	MemoryAvailable            Signal = "memory.available"
	AllocatableMemoryAvailable Signal = "allocatableMemory.available"
	NodeFsAvailable            Signal = "nodefs.available"
	NodeFsInodesFree           Signal = "nodefs.inodesFree"
	ImageFsAvailable           Signal = "imagefs.available"
	ImageFsInodesFree          Signal = "imagefs.inodesFree"
	ContainerFsAvailable       Signal = "containerfs.available"
	ContainerFsInodesFree      Signal = "containerfs.inodesFree"
	PIDAvailable               Signal = "pid.available"
)

// Inodes and PIDs are resources that no pod can request.
const (
	Inodes v1.ResourceName = "inodes"
	PIDs   v1.ResourceName = "pids"
)

// signals lists them in the order in which Kubelet acts on them.
var signals = []struct {
	signal    Signal
	resource  v1.ResourceName
	condition v1.NodeConditionType
}{
	{MemoryAvailable, v1.ResourceMemory, v1.NodeMemoryPressure},
	{AllocatableMemoryAvailable, v1.ResourceMemory, v1.NodeMemoryPressure},
	{NodeFsAvailable, v1.ResourceEphemeralStorage, v1.NodeDiskPressure},
	{NodeFsInodesFree, Inodes, v1.NodeDiskPressure},
	{ImageFsAvailable, v1.ResourceEphemeralStorage, v1.NodeDiskPressure},
	{ImageFsInodesFree, Inodes, v1.NodeDiskPressure},
	{ContainerFsAvailable, v1.ResourceEphemeralStorage, v1.NodeDiskPressure},
	{ContainerFsInodesFree, Inodes, v1.NodeDiskPressure},
	{PIDAvailable, PIDs, v1.NodePIDPressure},
}

// rank returns a signal's index in the list, -1 for none.
func (s Signal) rank() int {
	for i := range signals {
		if signals[i].signal == s {
			return i
		}
	}
	return -1
}

// Resource returns the signal's resource, empty for an unknown signal.
func (s Signal) Resource() v1.ResourceName {
	if i := s.rank(); i >= 0 {
		return signals[i].resource
	}
	return ""
}

// Condition returns the node condition of the signal.
func (s Signal) Condition() v1.NodeConditionType {
	if i := s.rank(); i >= 0 {
		return signals[i].condition
	}
	return ""
}

// Taint returns the taint that the control plane adds for a condition; ok is false for conditions that are not about
// pressure.
func Taint(condition v1.NodeConditionType) (taint v1.Taint, ok bool) {
	taint.Effect = v1.TaintEffectNoSchedule
	switch condition {
	case v1.NodeMemoryPressure:
		taint.Key = v1.TaintNodeMemoryPressure
	case v1.NodeDiskPressure:
		taint.Key = v1.TaintNodeDiskPressure
	case v1.NodePIDPressure:
		taint.Key = v1.TaintNodePIDPressure
	default:
		return v1.Taint{}, false
	}
	return taint, true
}

// Layout is the arrangement of a node's filesystems. The kubelet detects it; there are no others.
type Layout uint8

const (
	// OneFs has everything on the node's filesystem.
	OneFs Layout = iota
	// ImageFs has images and writable layers on a filesystem of their own.
	ImageFs
	// SplitImageFs has only the images on a filesystem of their own; writable layers are on the node's.
	SplitImageFs
)

func (l Layout) String() string {
	return [...]string{"one filesystem", "a filesystem for images and containers", "a filesystem for images only"}[l]
}

// Reclaim is what a kubelet frees before it evicts a pod.
type Reclaim struct {
	// Containers are dead ones, Images unused ones.
	Containers, Images bool
}

// Any reports whether there is anything to reclaim.
func (r Reclaim) Any() bool { return r.Containers || r.Images }

// Reclaim returns what is reclaimed when a signal's threshold is met: nothing for memory and process IDs.
func (l Layout) Reclaim(s Signal) Reclaim {
	onNodeFs := s == NodeFsAvailable || s == NodeFsInodesFree
	onImageFs := s == ImageFsAvailable || s == ImageFsInodesFree
	switch {
	case s.Condition() != v1.NodeDiskPressure:
		return Reclaim{}
	case l == ImageFs && onNodeFs:
		return Reclaim{}
	case l == SplitImageFs:
		return Reclaim{Containers: !onImageFs, Images: onImageFs}
	}
	return Reclaim{Containers: true, Images: true}
}
