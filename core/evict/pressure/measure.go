package pressure

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/evict"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/world/memory"
)

// bytesPerInode is the usual ratio of a filesystem.
const bytesPerInode = 16 << 10

// usageSelects reports whether a usage report selects a pod.
func usageSelects(u *memory.UsageReport, pod *v1.Pod) bool {
	switch {
	case u.Namespace != pod.Namespace:
		return false
	case u.Pod != "":
		return u.Pod == pod.Name
	}
	for key, value := range u.Labels {
		if has, ok := pod.Labels[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// usageOf returns the last usage report of a pod, or nil.
func (f *Kubelets) usageOf(pod *v1.Pod) *timedUsage {
	for i := len(f.podUsages) - 1; i >= 0; i-- {
		if usageSelects(&f.podUsages[i].UsageReport, pod) {
			return &f.podUsages[i]
		}
	}
	return nil
}

// grows reports whether any usage on a node grows.
func (f *Kubelets) grows(p *nodeKubelet) bool {
	if p.ownUsage.Growth != (memory.Usage{}) {
		return true
	}
	for _, pod := range p.pods {
		if u := f.usageOf(pod); u != nil && u.Growth != (memory.Usage{}) {
			if _, runs := p.runsSince(pod); runs {
				return true
			}
		}
	}
	return false
}

// podUsage returns a pod's current usage: zero unless it runs. Its memory does not grow beyond where the kernel slows it down.
func (f *Kubelets) podUsage(p *nodeKubelet, pod *v1.Pod, now time.Time) memory.Usage {
	u := f.usageOf(pod)
	since, runs := p.runsSince(pod)
	if u == nil || !runs {
		return memory.Usage{}
	}
	used := extrapolate(u.Usage, u.Growth, now.Sub(evict.Later(u.at, since)))
	if high := f.memoryHigh(p.node, pod); high > 0 {
		used.Memory = min(used.Memory, high)
	}
	return used
}

// extrapolate returns a usage after some time of growth. It is never negative.
func extrapolate(u, growth memory.Usage, d time.Duration) memory.Usage {
	if growth == (memory.Usage{}) {
		return u
	}
	amounts, rates := amountsOf(&u), amountsOf(&growth)
	for i, amount := range amounts {
		*amount = max(0, saturating.Add(*amount, saturating.Truncate(float64(*rates[i])*d.Seconds())))
	}
	return u
}

func amountsOf(u *memory.Usage) []*int64 {
	all := []*int64{&u.Memory, &u.PIDs}
	for _, d := range []*memory.Disk{&u.Writable, &u.Logs, &u.Volumes, &u.Images, &u.DeadContainers, &u.UnusedImages} {
		all = append(all, &d.Bytes, &d.Inodes)
	}
	return all
}

// reclaim frees dead containers and unused images.
func (p *nodeKubelet) reclaim(now time.Time, what Reclaim) {
	p.ownUsage.Usage = extrapolate(p.ownUsage.Usage, p.ownUsage.Growth, now.Sub(p.ownUsage.at))
	p.ownUsage.at = now
	if what.Containers {
		p.ownUsage.Usage.DeadContainers = memory.Disk{}
	}
	if what.Images {
		p.ownUsage.Usage.UnusedImages = memory.Disk{}
	}
}

// measure returns what a kubelet would measure on a node now.
func (f *Kubelets) measure(p *nodeKubelet, now time.Time) *Summary {
	own := extrapolate(p.ownUsage.Usage, p.ownUsage.Growth, now.Sub(p.ownUsage.at))
	s := &Summary{Pods: make([]PodStats, 0, len(p.pods))}
	var all memory.Usage
	for _, pod := range p.kubelet.active() {
		u := f.podUsage(p, pod, now)
		all = sum(all, u)
		s.Pods = append(s.Pods, podStats(pod, u))
	}
	capacity := capacityOf(p.node, v1.ResourceMemory)
	s.Node.Memory = memoryOf(saturating.Add(own.Memory, all.Memory), capacity)
	s.Node.SystemContainers = []ContainerStats{{Name: podsContainer, Memory: memoryOf(all.Memory, f.podsLimit(p.node, capacity))}}
	running := saturating.Add(own.PIDs, all.PIDs)
	machine := f.machine(p.node.Name)
	limit := cmp.Or(machine.PIDs, defaultPIDs)
	s.Node.Rlimit = &RlimitStats{MaxPID: &limit, Running: &running}
	machine.measureDisks(s, p.node, own, all)
	return s
}

// measureDisks measures each filesystem. A single one holds images and containers as well.
func (m *Machine) measureDisks(s *Summary, node *v1.Node, own, pods memory.Usage) {
	layers := add(pods.Writable, own.Writable, own.DeadContainers)
	images := add(own.Images, own.UnusedImages)
	onNode := add(pods.Logs, pods.Volumes, own.Logs, own.Volumes)
	if m.Layout != ImageFs {
		onNode = add(onNode, layers)
	} else {
		images = add(images, layers)
	}
	size := memory.Disk{Bytes: capacityOf(node, v1.ResourceEphemeralStorage), Inodes: m.NodeFsInodes}
	if m.Layout == OneFs {
		s.Node.Fs = fsOf(add(onNode, images), size)
		s.Node.Runtime = &RuntimeStats{ImageFs: s.Node.Fs, ContainerFs: s.Node.Fs}
		return
	}
	s.Node.Fs = fsOf(onNode, size)
	s.Node.Runtime = &RuntimeStats{ImageFs: fsOf(images, m.ImageFs), ContainerFs: s.Node.Fs}
	if m.Layout == ImageFs {
		s.Node.Runtime.ContainerFs = s.Node.Runtime.ImageFs
	}
}

// podsLimit returns the memory limit of all pods together: the allocatable memory plus the hard threshold.
func (f *Kubelets) podsLimit(node *v1.Node, capacity int64) int64 {
	limit, ok := node.Status.Allocatable[v1.ResourceMemory]
	if !ok {
		return capacity
	}
	kept := f.hardMemory.Of(*resource.NewQuantity(capacity, resource.BinarySI))
	return min(capacity, saturating.Add(requests.Amount(v1.ResourceMemory, limit), requests.Amount(v1.ResourceMemory, kept)))
}

func capacityOf(node *v1.Node, name v1.ResourceName) int64 {
	if q, ok := node.Status.Capacity[name]; ok {
		return q.Value()
	}
	q := node.Status.Allocatable[name]
	return q.Value()
}

func memoryOf(used, capacity int64) *MemoryStats {
	if capacity <= 0 {
		return nil
	}
	in := uint64(min(used, capacity))
	left := uint64(capacity) - in
	return &MemoryStats{AvailableBytes: &left, UsageBytes: &in, WorkingSetBytes: &in}
}

func fsOf(used, size memory.Disk) *FsStats {
	if size.Bytes <= 0 {
		return nil
	}
	inodes := cmp.Or(size.Inodes, size.Bytes/bytesPerInode)
	return &FsStats{
		CapacityBytes: unsigned(size.Bytes), UsedBytes: unsigned(used.Bytes), AvailableBytes: unsigned(size.Bytes - used.Bytes),
		Inodes: unsigned(inodes), InodesUsed: unsigned(used.Inodes), InodesFree: unsigned(inodes - used.Inodes),
	}
}

func unsigned(n int64) *uint64 {
	u := uint64(max(0, n))
	return &u
}

// podStats attributes a pod's usage to its first container, and its volumes to the first one on the node's disk; a pod
// without such a volume writes into the container.
func podStats(pod *v1.Pod, u memory.Usage) PodStats {
	s := PodStats{
		PodRef:    PodReference{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
		Memory:    workingSet(u.Memory),
		Processes: &ProcessStats{Count: unsigned(u.PIDs)},
	}
	at := slices.IndexFunc(pod.Spec.Volumes, func(v v1.Volume) bool {
		return v.EmptyDir != nil && v.EmptyDir.Medium == v1.StorageMediumDefault
	})
	if at >= 0 {
		s.Volumes = []VolumeStats{{Name: pod.Spec.Volumes[at].Name, FsStats: usedFs(u.Volumes)}}
	} else {
		u.Writable = add(u.Writable, u.Volumes)
		u.Volumes = memory.Disk{}
	}
	whole := usedFs(add(u.Writable, u.Logs, u.Volumes))
	s.EphemeralStorage = &whole
	if len(pod.Spec.Containers) > 0 {
		layer, logs := usedFs(u.Writable), usedFs(u.Logs)
		s.Containers = []ContainerStats{{
			Name: pod.Spec.Containers[0].Name, Memory: workingSet(u.Memory), Rootfs: &layer, Logs: &logs,
		}}
	}
	return s
}

func workingSet(bytes int64) *MemoryStats {
	return &MemoryStats{UsageBytes: unsigned(bytes), WorkingSetBytes: unsigned(bytes)}
}

func usedFs(d memory.Disk) FsStats {
	return FsStats{UsedBytes: unsigned(d.Bytes), InodesUsed: unsigned(d.Inodes)}
}

func add(disks ...memory.Disk) (sum memory.Disk) {
	for _, d := range disks {
		sum.Bytes = saturating.Add(sum.Bytes, d.Bytes)
		sum.Inodes = saturating.Add(sum.Inodes, d.Inodes)
	}
	return sum
}

func sum(a, b memory.Usage) memory.Usage {
	more := amountsOf(&b)
	for i, amount := range amountsOf(&a) {
		*amount = saturating.Add(*amount, *more[i])
	}
	return a
}
