package pressure

import (
	v1 "k8s.io/api/core/v1"
)

// Signal is something a kubelet measures of its node, and acts upon when there is too little of it.
type Signal string

// The signals. AllocatableMemoryAvailable is the kubelet's own: what is left of the memory set aside for all pods.
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

// signals lists them in the order in which a kubelet here deals with them.
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

// rank is the place of a signal in the list, -1 for none.
func (s Signal) rank() int {
	for i := range signals {
		if signals[i].signal == s {
			return i
		}
	}
	return -1
}

// Resource is what there is too little of, empty for an unknown signal.
func (s Signal) Resource() v1.ResourceName {
	if i := s.rank(); i >= 0 {
		return signals[i].resource
	}
	return ""
}

// Condition is the node condition that tells of it.
func (s Signal) Condition() v1.NodeConditionType {
	if i := s.rank(); i >= 0 {
		return signals[i].condition
	}
	return ""
}

// Taint is the taint that the control plane gives a node with a condition; ok is false for conditions that are not
// about pressure.
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

// Layout is how a node's filesystems lie. The kubelet finds out by itself; there are no others.
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

// Reclaim is what a kubelet can throw away before it has to evict anybody.
type Reclaim struct {
	// Containers are the dead ones, Images those that no container uses.
	Containers, Images bool
}

// Any tells whether there is anything to throw away.
func (r Reclaim) Any() bool { return r.Containers || r.Images }

// Reclaim is what is thrown away when a signal's threshold is met. For memory and process IDs there is nothing.
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
