package pressure

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Summary is a kubelet's measurements of its node and pods at one time: the fields of its summary API (/stats/summary) that
// eviction reads. A field that was not measured is nil.
type Summary struct {
	Node NodeStats  `json:"node"`
	Pods []PodStats `json:"pods"`
}

// NodeStats are those of the whole node.
type NodeStats struct {
	Memory           *MemoryStats     `json:"memory,omitempty"`
	Fs               *FsStats         `json:"fs,omitempty"`
	Runtime          *RuntimeStats    `json:"runtime,omitempty"`
	Rlimit           *RlimitStats     `json:"rlimit,omitempty"`
	SystemContainers []ContainerStats `json:"systemContainers,omitempty"`
}

// RuntimeStats are those of the container runtime's filesystems.
type RuntimeStats struct {
	ImageFs     *FsStats `json:"imageFs,omitempty"`
	ContainerFs *FsStats `json:"containerFs,omitempty"`
}

// RlimitStats count process IDs.
type RlimitStats struct {
	Time    metav1.Time `json:"time"`
	MaxPID  *int64      `json:"maxpid,omitempty"`
	Running *int64      `json:"curproc,omitempty"`
}

// MemoryStats are in bytes. The working set leaves out what the kernel could drop at once.
type MemoryStats struct {
	Time            metav1.Time `json:"time"`
	AvailableBytes  *uint64     `json:"availableBytes,omitempty"`
	UsageBytes      *uint64     `json:"usageBytes,omitempty"`
	WorkingSetBytes *uint64     `json:"workingSetBytes,omitempty"`
}

// FsStats are those of a filesystem, or of a part of one.
type FsStats struct {
	Time           metav1.Time `json:"time"`
	AvailableBytes *uint64     `json:"availableBytes,omitempty"`
	CapacityBytes  *uint64     `json:"capacityBytes,omitempty"`
	UsedBytes      *uint64     `json:"usedBytes,omitempty"`
	InodesFree     *uint64     `json:"inodesFree,omitempty"`
	Inodes         *uint64     `json:"inodes,omitempty"`
	InodesUsed     *uint64     `json:"inodesUsed,omitempty"`
}

// PodStats are those of one pod.
type PodStats struct {
	PodRef           PodReference     `json:"podRef"`
	Containers       []ContainerStats `json:"containers"`
	Memory           *MemoryStats     `json:"memory,omitempty"`
	Volumes          []VolumeStats    `json:"volume,omitempty"`
	EphemeralStorage *FsStats         `json:"ephemeral-storage,omitempty"`
	Processes        *ProcessStats    `json:"process_stats,omitempty"`
}

// PodReference names a pod.
type PodReference struct {
	Name      string    `json:"name"`
	Namespace string    `json:"namespace"`
	UID       types.UID `json:"uid"`
}

// ContainerStats are those of one container: its memory, its writable layer and its logs.
type ContainerStats struct {
	Name   string       `json:"name"`
	Memory *MemoryStats `json:"memory,omitempty"`
	Rootfs *FsStats     `json:"rootfs,omitempty"`
	Logs   *FsStats     `json:"logs,omitempty"`
}

// VolumeStats are those of one volume of a pod.
type VolumeStats struct {
	FsStats `json:",inline"`
	Name    string `json:"name,omitempty"`
}

// ProcessStats count a pod's processes.
type ProcessStats struct {
	Count *uint64 `json:"process_count,omitempty"`
}

// The system containers that count: the one of all pods, and the one in which a kubelet on Windows, and no other, reports
// the free part of the commit limit.
const (
	podsContainer   = "pods"
	commitContainer = "windows-global-commit-memory"
)

func (n *NodeStats) systemContainer(name string) *ContainerStats {
	for i := range n.SystemContainers {
		if n.SystemContainers[i].Name == name {
			return &n.SystemContainers[i]
		}
	}
	return nil
}

// Observation is the value of one signal.
type Observation struct {
	Available, Capacity resource.Quantity
	// At is when it was measured; zero if that is not known.
	At metav1.Time
}

// Observe reads a signal from a summary; ok is false if it was not measured.
func (s *Summary) Observe(signal Signal) (o Observation, ok bool) {
	switch signal {
	case MemoryAvailable:
		if commit := s.Node.systemContainer(commitContainer); commit != nil {
			return commit.Memory.observeCommit()
		}
		return s.Node.Memory.observe()
	case AllocatableMemoryAvailable:
		if pods := s.Node.systemContainer(podsContainer); pods != nil {
			return pods.Memory.observe()
		}
		return Observation{}, false
	case NodeFsAvailable, NodeFsInodesFree:
		return s.Node.Fs.observe(signal.Resource() == Inodes)
	case ImageFsAvailable, ImageFsInodesFree, ContainerFsAvailable, ContainerFsInodesFree:
		if s.Node.Runtime == nil {
			return Observation{}, false
		}
		fs := s.Node.Runtime.ImageFs
		if signal == ContainerFsAvailable || signal == ContainerFsInodesFree {
			fs = s.Node.Runtime.ContainerFs
		}
		return fs.observe(signal.Resource() == Inodes)
	case PIDAvailable:
		return s.Node.Rlimit.observe()
	}
	return Observation{}, false
}

func (m *MemoryStats) observe() (Observation, bool) {
	if m == nil || m.AvailableBytes == nil || m.WorkingSetBytes == nil {
		return Observation{}, false
	}
	return observation(int64(*m.AvailableBytes), int64(*m.AvailableBytes+*m.WorkingSetBytes), resource.BinarySI, m.Time), true
}

// observeCommit returns the uncommitted part of the commit limit, which is available plus used bytes.
func (m *MemoryStats) observeCommit() (Observation, bool) {
	if m == nil || m.AvailableBytes == nil || m.UsageBytes == nil {
		return Observation{}, false
	}
	return observation(int64(*m.AvailableBytes), int64(*m.AvailableBytes+*m.UsageBytes), resource.BinarySI, m.Time), true
}

func (f *FsStats) observe(inodes bool) (Observation, bool) {
	switch {
	case f == nil:
	case inodes && f.InodesFree != nil && f.Inodes != nil:
		return observation(int64(*f.InodesFree), int64(*f.Inodes), resource.DecimalSI, f.Time), true
	case !inodes && f.AvailableBytes != nil && f.CapacityBytes != nil:
		return observation(int64(*f.AvailableBytes), int64(*f.CapacityBytes), resource.BinarySI, f.Time), true
	}
	return Observation{}, false
}

func (r *RlimitStats) observe() (Observation, bool) {
	if r == nil || r.MaxPID == nil || r.Running == nil {
		return Observation{}, false
	}
	return observation(*r.MaxPID-*r.Running, *r.MaxPID, resource.DecimalSI, r.Time), true
}

func observation(available, capacity int64, format resource.Format, at metav1.Time) Observation {
	return Observation{
		Available: *resource.NewQuantity(available, format),
		Capacity:  *resource.NewQuantity(capacity, format), At: at,
	}
}

// Pod returns the stats of a pod, or nil.
func (s *Summary) Pod(uid types.UID) *PodStats {
	for i := range s.Pods {
		if s.Pods[i].PodRef.UID == uid {
			return &s.Pods[i]
		}
	}
	return nil
}

// byPod returns the stats by pod.
func (s *Summary) byPod() map[types.UID]*PodStats {
	all := make(map[types.UID]*PodStats, len(s.Pods))
	for i := range s.Pods {
		all[s.Pods[i].PodRef.UID] = &s.Pods[i]
	}
	return all
}

// NotifyAt returns the memory usage at which the kernel wakes the kubelet for a threshold: usage includes memory that the
// working set does not, so the threshold moves up by the difference. ok is false if it was not measured.
func NotifyAt(t Threshold, m *MemoryStats) (usage int64, ok bool) {
	o, ok := m.observe()
	if !ok || m.UsageBytes == nil {
		return 0, false
	}
	value := t.Value.Of(o.Capacity)
	return o.Capacity.Value() - value.Value() + int64(*m.UsageBytes) - int64(*m.WorkingSetBytes), true
}
