package evict

import (
	"fmt"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/pressure"
)

// nodeHistory is a node's configuration, its pods, and the summaries measured at each pass and after reclaiming.
type nodeHistory struct {
	Layout    pressure.Layout
	Config    pressure.Configuration
	Pods      []*v1.Pod
	Summaries []*pressure.Summary
	Reclaim   []*pressure.Summary
}

var nodeEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func drawNodeHistory(seed uint64) *nodeHistory {
	r := rand.New(rand.NewPCG(seed, 0))
	h := &nodeHistory{Layout: pressure.Layout(r.IntN(3))}
	for i := range 1 + r.IntN(7) {
		h.Pods = append(h.Pods, drawNodePod(r, i))
	}
	h.configure(r)
	for i := range 1 + r.IntN(10) {
		at := metav1.Time{Time: nodeEpoch.Add(time.Duration(i+1) * time.Second)}
		if r.IntN(5) == 0 && i > 0 {
			at = h.Summaries[i-1].Node.Memory.Time // the same measurement
		}
		if r.IntN(8) == 0 {
			at = metav1.Time{}
		}
		h.Summaries = append(h.Summaries, h.genSummary(r, at))
		h.Reclaim = append(h.Reclaim, h.genSummary(r, at))
	}
	return h
}

// configure draws thresholds of memory, hard or soft, and of one other signal: of several that are met the kubelet acts on
// any.
func (h *nodeHistory) configure(r *rand.Rand) {
	c := &h.Config
	*c = pressure.Configuration{
		Hard: map[pressure.Signal]string{}, Soft: map[pressure.Signal]string{}, SoftGrace: map[pressure.Signal]string{}, MinimumReclaim: map[pressure.Signal]string{},
		PressureTransition: pick(r, 5*time.Second, 30*time.Second, 5*time.Minute), MaxPodGraceSeconds: pick[int64](r, 0, 5, 30),
		LocalStorageIsolation: r.IntN(3) > 0, EnforceAllocatable: r.IntN(3) == 0,
	}
	add := func(s pressure.Signal) {
		value := pick(r, "30%", "50%", fmt.Sprint(1+r.IntN(1<<30)), "256Mi", "0.5Gi")
		if s.Resource() == pressure.Inodes || s == pressure.PIDAvailable {
			value = pick(r, "30%", "50%", fmt.Sprint(1+r.IntN(1000)))
		}
		if r.IntN(2) == 0 || c.EnforceAllocatable && s == pressure.MemoryAvailable {
			c.Hard[s] = value
		} else {
			c.Soft[s], c.SoftGrace[s] = value, pick(r, "10s", "15s", "25s")
		}
		if r.IntN(2) == 0 {
			c.MinimumReclaim[s] = pick(r, "10%", "0", fmt.Sprint(1+r.IntN(1<<20)))
		}
	}
	if r.IntN(3) > 0 {
		add(pressure.MemoryAvailable)
	}
	others := []pressure.Signal{
		pressure.NodeFsAvailable, pressure.NodeFsInodesFree, pressure.ImageFsAvailable, pressure.ImageFsInodesFree, pressure.PIDAvailable,
	}
	if r.IntN(4) > 0 {
		add(others[r.IntN(len(others))])
	}
}

func drawAmount(r *rand.Rand, most int64) *uint64 {
	n := uint64(r.Int64N(most))
	return &n
}

func drawNodePod(r *rand.Rand, i int) *v1.Pod {
	name := fmt.Sprintf("p%d", i)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pick(r, "x", "y"), Name: name, UID: types.UID("uid-" + name), Generation: int64(r.IntN(3))}}
	pod.Spec.NodeName, pod.Status.Phase = "n1", v1.PodRunning
	if r.IntN(4) > 0 {
		p := pick[int32](r, 0, 0, 1, 5, 2000000000)
		if r.IntN(3) > 0 {
			p = min(p, 5)
		}
		pod.Spec.Priority = &p
	}
	switch r.IntN(12) {
	case 0:
		pod.Annotations = map[string]string{"kubernetes.io/config.source": pick(r, "file", "api")}
	case 1:
		pod.Annotations = map[string]string{v1.MirrorPodAnnotationKey: "m"}
	}
	if r.IntN(2) == 0 {
		s := pick[int64](r, 0, 3, 30, 60)
		pod.Spec.TerminationGracePeriodSeconds = &s
	}
	for c := range 1 + r.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, drawContainer(r, fmt.Sprintf("c%d", c)))
	}
	for c := range r.IntN(3) {
		init := drawContainer(r, fmt.Sprintf("i%d", c))
		if r.IntN(2) == 0 {
			always := v1.ContainerRestartPolicyAlways
			init.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, init)
	}
	if r.IntN(6) == 0 {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: drawResources(r, v1.ResourceMemory, v1.ResourceCPU)}
		if r.IntN(2) == 0 {
			pod.Spec.Resources.Limits = drawResources(r, v1.ResourceMemory, v1.ResourceCPU)
		}
	}
	if r.IntN(5) == 0 {
		pod.Spec.Overhead = drawResources(r, v1.ResourceMemory, v1.ResourceEphemeralStorage)
	}
	if r.IntN(5) == 0 {
		pod.Spec.Tolerations = []v1.Toleration{{Key: v1.TaintNodeMemoryPressure, Operator: v1.TolerationOpExists}}
	}
	if r.IntN(8) == 0 {
		pod.Spec.PriorityClassName = "system-node-critical"
	}
	drawVolumes(r, pod)
	return pod
}

func drawVolumes(r *rand.Rand, pod *v1.Pod) {
	limit := resource.NewQuantity(1+r.Int64N(1<<30), resource.BinarySI)
	for i, source := range []v1.VolumeSource{
		{EmptyDir: &v1.EmptyDirVolumeSource{}},
		{EmptyDir: &v1.EmptyDirVolumeSource{SizeLimit: limit}},
		{EmptyDir: &v1.EmptyDirVolumeSource{Medium: v1.StorageMediumMemory}},
		{HostPath: &v1.HostPathVolumeSource{}},
		{ConfigMap: &v1.ConfigMapVolumeSource{}},
		{Secret: &v1.SecretVolumeSource{}},
	} {
		if r.IntN(5) == 0 {
			pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", i), VolumeSource: source})
		}
	}
}

func drawContainer(r *rand.Rand, name string) v1.Container {
	c := v1.Container{Name: name}
	c.Resources.Requests = drawResources(r, v1.ResourceMemory, v1.ResourceEphemeralStorage, v1.ResourceCPU)
	switch r.IntN(6) {
	case 0:
		c.Resources.Limits = drawResources(r, v1.ResourceMemory, v1.ResourceEphemeralStorage, v1.ResourceCPU)
	case 1:
		c.Resources.Limits = c.Resources.Requests
	}
	return c
}

func drawResources(r *rand.Rand, names ...v1.ResourceName) v1.ResourceList {
	list := v1.ResourceList{}
	for _, name := range names {
		if r.IntN(2) == 0 {
			list[name] = *resource.NewQuantity(r.Int64N(1<<29), resource.BinarySI)
		}
	}
	return list
}

func (h *nodeHistory) genSummary(r *rand.Rand, at metav1.Time) *pressure.Summary {
	s := &pressure.Summary{}
	s.Node.Memory = &pressure.MemoryStats{Time: at, UsageBytes: drawAmount(r, 1<<30)}
	if allocatable := h.Config.EnforceAllocatable; !allocatable {
		s.Node.Memory.AvailableBytes, s.Node.Memory.WorkingSetBytes = drawAmount(r, 1<<30), drawAmount(r, 1<<30)
	} else {
		s.Node.SystemContainers = []pressure.ContainerStats{{Name: "pods", Memory: &pressure.MemoryStats{Time: at, AvailableBytes: drawAmount(r, 1<<30), WorkingSetBytes: drawAmount(r, 1<<30)}}}
	}
	s.Node.Fs = drawFs(r, at)
	s.Node.Runtime = &pressure.RuntimeStats{ImageFs: drawFs(r, at)}
	if h.Layout == pressure.SplitImageFs {
		s.Node.Runtime.ContainerFs = s.Node.Fs
	}
	limit, running := int64(1000), r.Int64N(1000)
	s.Node.Rlimit = &pressure.RlimitStats{Time: at, MaxPID: &limit, Running: &running}
	missing := r.IntN(3 * len(h.Pods)) // at most one pod has no stats, since two would be equal
	for i, pod := range h.Pods {
		if i != missing {
			s.Pods = append(s.Pods, drawPodStats(r, pod))
		}
	}
	return s
}

func drawFs(r *rand.Rand, at metav1.Time) *pressure.FsStats {
	capacity, inodes := uint64(1<<30), uint64(1000)
	return &pressure.FsStats{Time: at, AvailableBytes: drawAmount(r, 1<<30), CapacityBytes: &capacity, InodesFree: drawAmount(r, 1000), Inodes: &inodes}
}

func drawPodStats(r *rand.Rand, pod *v1.Pod) pressure.PodStats {
	s := pressure.PodStats{PodRef: pressure.PodReference{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID}}
	used := func() *pressure.FsStats {
		if r.IntN(8) == 0 {
			return nil
		}
		return &pressure.FsStats{UsedBytes: drawAmount(r, 1<<27), InodesUsed: drawAmount(r, 1<<29)}
	}
	if r.IntN(8) > 0 {
		s.Memory = &pressure.MemoryStats{WorkingSetBytes: drawAmount(r, 1<<30)}
	}
	s.Processes = &pressure.ProcessStats{Count: drawAmount(r, 1<<30)}
	if r.IntN(3) == 0 {
		s.EphemeralStorage = &pressure.FsStats{UsedBytes: drawAmount(r, 1<<29)}
	}
	names := []string{"sandbox"}
	for _, c := range append(append([]v1.Container{}, pod.Spec.Containers...), pod.Spec.InitContainers...) {
		names = append(names, c.Name)
	}
	for _, name := range names {
		c := pressure.ContainerStats{Name: name, Rootfs: used(), Logs: used()}
		if r.IntN(6) > 0 {
			c.Memory = &pressure.MemoryStats{WorkingSetBytes: drawAmount(r, 1<<29)}
		}
		s.Containers = append(s.Containers, c)
	}
	for _, v := range pod.Spec.Volumes {
		if fs := used(); fs != nil {
			if r.IntN(2) == 0 {
				*fs.UsedBytes >>= 4
			}
			s.Volumes = append(s.Volumes, pressure.VolumeStats{Name: v.Name, FsStats: *fs})
		}
	}
	return s
}
