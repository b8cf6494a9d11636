package pressure

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/scheduling/corev1"
)

// RankedPod is a pod in the order of eviction, with the values that decide its rank.
type RankedPod struct {
	Pod *v1.Pod
	// Measured is true for a pod with stats; pods without come first.
	Measured bool
	// Exceeds is true for a pod whose usage exceeds its request.
	Exceeds  bool
	Priority int32
	// Usage is the pod's usage, Excess its usage minus its request.
	Usage, Excess resource.Quantity
	// Exempt is why the kubelet skips the pod: "static", "mirror" or "critical"; empty if it does not.
	Exempt string
}

// Rank orders pods for eviction under a signal, the first to go first.
//
//	memory            above its request, lower priority, larger excess
//	disk and inodes   the same, of what the pod has on that filesystem
//	process IDs       lower priority, more processes
//
// Inodes cannot be requested, so every pod that has any is above its request. What it has above its request of ephemeral
// storage decides last, in bytes even where inodes are counted, as in the kubelet. Pods that are equal in all this
// are in the order of namespace and name.
func Rank(signal Signal, layout Layout, pods []*v1.Pod, summary *Summary) []RankedPod {
	all, measured := make([]RankedPod, len(pods)), summary.byPod()
	for i, pod := range pods {
		all[i] = rankPod(signal, layout, pod, measured[pod.UID])
	}
	slices.SortStableFunc(all, func(a, b RankedPod) int {
		return cmp.Or(Compare(signal, &a, &b),
			cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
	return all
}

// Compare is negative if a goes before b under a signal, and zero if nothing decides between them.
func Compare(signal Signal, a, b *RankedPod) int {
	byPriority := cmp.Compare(a.Priority, b.Priority)
	byStats := 0
	if !a.Measured || !b.Measured {
		byStats = firstIf(!a.Measured, !b.Measured)
		if signal == PIDAvailable {
			return cmp.Or(byPriority, byStats)
		}
		return cmp.Or(byStats, byPriority)
	}
	if signal == PIDAvailable {
		return cmp.Or(byPriority, b.Usage.Cmp(a.Usage))
	}
	return cmp.Or(firstIf(a.Exceeds, b.Exceeds), byPriority, b.Excess.Cmp(a.Excess))
}

func firstIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func rankPod(signal Signal, layout Layout, pod *v1.Pod, stats *PodStats) RankedPod {
	s := RankedPod{Pod: pod, Priority: corev1.PodPriority(pod), Exempt: ExemptReason(pod)}
	if stats == nil {
		return s
	}
	s.Measured = true
	switch of := signal.Resource(); of {
	case v1.ResourceMemory:
		s.Usage = stats.Memory.used()
		asked := request(pod, of)
		s.setExcess(asked, asked)
	case PIDs:
		s.Usage = resource.Quantity{Format: resource.DecimalSI}
		if p := stats.Processes; p != nil && p.Count != nil {
			s.Usage.Set(int64(*p.Count))
		}
		s.Excess = s.Usage
	default:
		s.Usage = diskUsage(pod, stats, layout.counted(signal), of)
		s.setExcess(request(pod, of), request(pod, v1.ResourceEphemeralStorage))
	}
	return s
}

// setExcess compares the usage with two requests: asked decides Exceeds, subtracted the amount.
func (s *RankedPod) setExcess(asked, subtracted resource.Quantity) {
	s.Exceeds = s.Usage.Cmp(asked) > 0
	s.Excess = s.Usage.DeepCopy()
	s.Excess.Sub(subtracted)
}

// criticalPriority is the least priority of a system-critical pod.
const criticalPriority = 2000000000

// The annotation of a pod's source, and its value for pods from the API server.
const (
	sourceAnnotation = "kubernetes.io/config.source"
	fromAPIServer    = "api"
)

// ExemptReason returns why a kubelet never evicts a pod; empty if it may.
func ExemptReason(pod *v1.Pod) string {
	if source, ok := pod.Annotations[sourceAnnotation]; ok && source != fromAPIServer {
		return "static"
	}
	if _, ok := pod.Annotations[v1.MirrorPodAnnotationKey]; ok {
		return "mirror"
	}
	if corev1.PodPriority(pod) >= criticalPriority {
		return "critical"
	}
	return ""
}
