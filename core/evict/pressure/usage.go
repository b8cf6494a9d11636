package pressure

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resources "k8s.io/component-helpers/resource"

	"orrery/core/objects/saturating"
)

// part is a part of a pod's disk usage.
type part uint8

const (
	writable part = 1 << iota // the writable layers of its containers
	logs
	volumes // those of its volumes that lie on the node's disk
)

// counted returns the parts of a pod that count for a disk signal. Images are shared by pods and count for none.
func (l Layout) counted(s Signal) part {
	onImageFs := s == ImageFsAvailable || s == ImageFsInodesFree
	onNodeFs := s == NodeFsAvailable || s == NodeFsInodesFree
	switch {
	case l == SplitImageFs && onImageFs:
		return 0
	case l == ImageFs && onNodeFs:
		return logs | volumes
	case l == ImageFs:
		return writable
	}
	return writable | logs | volumes
}

// diskUsage returns how much of a resource, bytes or inodes, some parts of a pod use.
func diskUsage(pod *v1.Pod, stats *PodStats, parts part, of v1.ResourceName) resource.Quantity {
	var sum int64
	for i := range stats.Containers {
		if parts&writable != 0 {
			sum = saturating.Add(sum, stats.Containers[i].Rootfs.used(of))
		}
		if parts&logs != 0 {
			sum = saturating.Add(sum, stats.Containers[i].Logs.used(of))
		}
	}
	if parts&volumes != 0 {
		for i := range pod.Spec.Volumes {
			if !onNodeDisk(&pod.Spec.Volumes[i]) {
				continue
			}
			if v := stats.volume(pod.Spec.Volumes[i].Name); v != nil {
				sum = saturating.Add(sum, v.used(of))
			}
		}
	}
	return *resource.NewQuantity(sum, formatOf(of))
}

func (f *FsStats) used(of v1.ResourceName) int64 {
	switch {
	case f == nil:
	case of == Inodes && f.InodesUsed != nil:
		return int64(*f.InodesUsed)
	case of != Inodes && f.UsedBytes != nil:
		return int64(*f.UsedBytes)
	}
	return 0
}

func (p *PodStats) volume(name string) *FsStats {
	i := slices.IndexFunc(p.Volumes, func(v VolumeStats) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Volumes[i].FsStats
}

// onNodeDisk reports whether a volume lies on the node's own disk.
func onNodeDisk(v *v1.Volume) bool {
	return v.HostPath != nil || v.GitRepo != nil || v.ConfigMap != nil ||
		v.EmptyDir != nil && v.EmptyDir.Medium == v1.StorageMediumDefault
}

func (m *MemoryStats) used() resource.Quantity {
	if m == nil || m.WorkingSetBytes == nil {
		return resource.Quantity{Format: resource.BinarySI}
	}
	return *resource.NewQuantity(int64(*m.WorkingSetBytes), resource.BinarySI)
}

func formatOf(r v1.ResourceName) resource.Format {
	if r == Inodes || r == PIDs {
		return resource.DecimalSI
	}
	return resource.BinarySI
}

// request returns a pod's request of a resource. Requests at pod level replace its containers'; the pod's overhead is added
// if it requests anything.
func request(pod *v1.Pod, of v1.ResourceName) resource.Quantity {
	sum := resource.Quantity{Format: formatOf(of)}
	asked, ok := resources.PodRequests(pod, resources.PodResourcesOptions{
		SkipContainerLevelResources: resources.IsPodLevelResourcesSet(pod),
		ExcludeOverhead:             true,
	})[of]
	if ok {
		sum.Add(asked)
	}
	if extra, ok := pod.Spec.Overhead[of]; ok && !sum.IsZero() {
		sum.Add(extra)
	}
	return sum
}
