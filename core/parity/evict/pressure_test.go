package evict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	v1qos "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/qos"
	"k8s.io/utils/ptr"

	"orrery/core/evict/pressure"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

func TestKubelet_SameEvictions(t *testing.T) {
	ties, looks, evictions := 0, 0, difftest.Coverage{}
	count := difftest.Cases[*nodeHistory]{
		Draw: nodeHistoryOf,
		Differ: func(h *nodeHistory) string {
			difference, tied := playNode(h, evictions)
			if tied {
				ties++
			}
			looks += len(h.Summaries)
			return difference
		},
		Reduce: reduceNodeHistory,
		Print:  difftest.JSON[*nodeHistory],
	}.Check(t, comparisons.Kubelet.Cases)
	t.Logf("%d passes; %d cases ended in a tie", looks, ties)
	evictions.Require(t, count, ownLimits, "memory.available", "allocatableMemory.available", "nodefs.available",
		"nodefs.inodesFree", "imagefs.available", "imagefs.inodesFree", "pid.available")
}

func nodeHistoryOf(seed uint64, number int) *nodeHistory {
	return drawNodeHistory(seed + uint64(number))
}

// reduceNodeHistory removes passes, pods and parts of pods.
func reduceNodeHistory(h *nodeHistory, differ func(*nodeHistory) string) *nodeHistory {
	return difftest.Smallest(h, smallerNodeHistories, differ)
}

func smallerNodeHistories(h *nodeHistory) (all []*nodeHistory) {
	for i := range h.Summaries {
		s := *h
		s.Summaries, s.Reclaim = slices.Delete(slices.Clone(h.Summaries), i, i+1), slices.Delete(slices.Clone(h.Reclaim), i, i+1)
		all = append(all, &s)
	}
	for i := range h.Pods {
		s := *h
		s.Pods = slices.Delete(slices.Clone(h.Pods), i, i+1)
		all = append(all, &s)
	}
	for i, pod := range h.Pods {
		for _, cut := range []func(*v1.Pod){
			func(p *v1.Pod) { p.Spec.Volumes = nil }, func(p *v1.Pod) { p.Spec.InitContainers = nil },
			func(p *v1.Pod) { p.Spec.Overhead = nil }, func(p *v1.Pod) { p.Spec.Resources = nil },
			func(p *v1.Pod) { p.Spec.Containers = p.Spec.Containers[:1] }, func(p *v1.Pod) { p.Annotations = nil },
			func(p *v1.Pod) { p.Spec.Tolerations = nil },
		} {
			twin := pod.DeepCopy()
			cut(twin)
			if a, b := fmt.Sprint(twin), fmt.Sprint(pod); a != b {
				s := *h
				s.Pods = slices.Clone(h.Pods)
				s.Pods[i] = twin
				all = append(all, &s)
			}
		}
	}
	return all
}

func TestRanking_Same(t *testing.T) {
	signals := []pressure.Signal{
		pressure.MemoryAvailable, pressure.AllocatableMemoryAvailable, pressure.PIDAvailable, pressure.NodeFsAvailable, pressure.NodeFsInodesFree,
		pressure.ImageFsAvailable, pressure.ImageFsInodesFree, pressure.ContainerFsAvailable, pressure.ContainerFsInodesFree,
	}
	difftest.Cases[ranking]{
		Draw: func(seed uint64, number int) ranking {
			return ranking{nodeHistoryOf(seed, number), signals[number%len(signals)]}
		},
		Differ: func(r ranking) string { return ranksDiffer(r.nodeHistory, r.Signal) },
		Reduce: func(r ranking, differ func(ranking) string) ranking {
			return ranking{reduceNodeHistory(r.nodeHistory, func(h *nodeHistory) string { return differ(ranking{h, r.Signal}) }), r.Signal}
		},
		Print: difftest.JSON[ranking],
	}.Check(t, comparisons.Ranking.Cases)
}

// ranking is a ranking of the pods of a history's first pass for a signal.
type ranking struct {
	*nodeHistory
	Signal pressure.Signal
}

// ranksDiffer compares the two rankings by rank and not by name, since upstream leaves the order of equal pods open.
func ranksDiffer(h *nodeHistory, signal pressure.Signal) string {
	if len(h.Summaries) == 0 {
		return ""
	}
	s := h.Summaries[0]
	measured := map[string]statsapi.PodStats{}
	for _, p := range upstreamSummary(s).Pods {
		measured[p.PodRef.UID] = p
	}
	stats := func(pod *v1.Pod) (statsapi.PodStats, bool) {
		p, ok := measured[string(pod.UID)]
		return p, ok
	}
	ranked := slices.Clone(h.Pods)
	switch signal.Resource() {
	case v1.ResourceMemory:
		rankMemoryPressure(ranked, stats)
	case pressure.PIDs:
		rankPIDPressure(ranked, stats)
	default:
		buildSignalToRankFunc(h.Layout != pressure.OneFs, h.Layout == pressure.SplitImageFs)[string(signal)](ranked, stats)
	}
	here := pressure.Rank(signal, h.Layout, h.Pods, s)
	at := map[string]*pressure.RankedPod{}
	for j := range here {
		at[here[j].Pod.Name] = &here[j]
	}
	for j := range ranked {
		if pressure.Compare(signal, at[ranked[j].Name], &here[j]) != 0 {
			return fmt.Sprintf("theirs %v, ours %v", podNamesOf(ranked), rankedNames(here))
		}
	}
	return ""
}

func podNamesOf(pods []*v1.Pod) (names []string) {
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	return names
}

func rankedNames(ranked []pressure.RankedPod) (names []string) {
	for _, s := range ranked {
		names = append(names, s.Pod.Name)
	}
	return names
}

func TestQOS_Same(t *testing.T) {
	classes := difftest.Coverage{}
	count := difftest.Cases[*v1.Pod]{
		Draw: func(seed uint64, number int) *v1.Pod {
			pod := drawNodePod(rand.New(rand.NewPCG(seed+uint64(number), 1)), 0)
			if own := pod.Spec.Resources; own != nil {
				own.Requests[v1.ResourceMemory] = requestedMemory(pod)
			}
			return pod
		},
		Differ: func(pod *v1.Pod) string {
			if theirs, ours := v1qos.GetPodQOS(pod), pressure.QOS(pod); theirs != ours {
				return fmt.Sprintf("theirs %s, ours %s", theirs, ours)
			}
			classes[string(pressure.QOS(pod))]++
			return ""
		},
		Print: difftest.JSON[*v1.Pod],
	}.Check(t, comparisons.QOSClasses.Cases)
	classes.Require(t, count, string(v1.PodQOSBestEffort), string(v1.PodQOSBurstable), string(v1.PodQOSGuaranteed))
}

// requestedMemory returns the memory that all containers of a pod request together: validation requires at least that of
// the pod itself.
func requestedMemory(pod *v1.Pod) resource.Quantity {
	sum := resource.NewQuantity(1<<20, resource.BinarySI)
	for _, c := range append(slices.Clone(pod.Spec.Containers), pod.Spec.InitContainers...) {
		sum.Add(*c.Resources.Requests.Memory())
	}
	return *sum
}

func TestThresholds_Same(t *testing.T) {
	verdicts := difftest.Coverage{}
	count := difftest.Cases[pressure.Configuration]{
		Draw:   someConfiguration,
		Differ: func(c pressure.Configuration) string { return readingsDiffer(c, verdicts) },
	}.Check(t, comparisons.Thresholds.Cases)
	verdicts.Require(t, count, "taken", "refused")
}

// someConfiguration draws a configuration that may be invalid.
func someConfiguration(seed uint64, number int) pressure.Configuration {
	r := rand.New(rand.NewPCG(seed+uint64(number), 2))
	c := pressure.Configuration{EnforceAllocatable: r.IntN(2) == 0}
	draw := func(values ...string) map[pressure.Signal]string {
		m := map[pressure.Signal]string{}
		for range r.IntN(3) {
			s := pick(r, pressure.MemoryAvailable, pressure.NodeFsAvailable, pressure.ImageFsInodesFree, pressure.PIDAvailable, pressure.AllocatableMemoryAvailable, "cpu.available")
			if r.IntN(4) > 0 {
				s = pressure.MemoryAvailable
			}
			m[s] = pick(r, values...)
		}
		return m
	}
	c.Hard = draw("100Mi", "10%", "0%", "100%", "0", "-1", "1e3", "x", "120%", "-3%", "x%", "99.5%", "0.1%", "")
	c.Soft = draw("100Mi", "10%", "0%", "1.5Gi", "x")
	c.SoftGrace = draw("10s", "1m30s", "0s", "-1s", "x")
	c.MinimumReclaim = draw("0", "10%", "1Gi", "0%", "-5", "x")
	return c
}

// readingsDiffer compares the thresholds of a configuration, or the errors. Of several errors upstream returns one.
func readingsDiffer(c pressure.Configuration, verdicts difftest.Coverage) string {
	var enforce []string
	if c.EnforceAllocatable {
		enforce = []string{"pods"}
	}
	theirs, errT := eviction.ParseThresholdConfig(enforce, signalTexts(c.Hard), signalTexts(c.Soft), signalTexts(c.SoftGrace), signalTexts(c.MinimumReclaim))
	ours, errO := c.Thresholds()
	if (errT == nil) != (errO == nil) {
		return fmt.Sprintf("theirs %v, ours %v", errT, errO)
	}
	if errT != nil {
		verdicts["refused"]++
		if sentence := errT.Error(); strings.Contains(sentence, "eviction") && !strings.Contains(errO.Error(), sentence) {
			return fmt.Sprintf("theirs returned %q, ours %q", sentence, errO)
		}
		return ""
	}
	verdicts["taken"]++
	var a, b []string
	for _, th := range theirs {
		a = append(a, fmt.Sprint(th.Signal, th.Value.Quantity, th.Value.Percentage, th.GracePeriod, th.MinReclaim != nil))
	}
	for _, th := range ours {
		b = append(b, fmt.Sprint(string(th.Signal), th.Value.Quantity, th.Value.Share, th.Grace, th.MinReclaim != nil))
	}
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		return fmt.Sprintf("theirs %v, ours %v", a, b)
	}
	return ""
}

func TestOOMScoreAdj_Same(t *testing.T) {
	classes := difftest.Coverage{}
	count := difftest.Cases[*v1.Pod]{
		Draw: drawWholePod,
		Differ: func(pod *v1.Pod) string {
			const capacity = 1 << 28
			for _, list := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for i := range list {
					theirs, ours := qos.GetContainerOOMScoreAdjust(pod, &list[i], capacity), pressure.OOMScoreAdj(pod, &list[i], capacity)
					if int64(theirs) != ours {
						return fmt.Sprintf("%s: theirs %d, ours %d", list[i].Name, theirs, ours)
					}
					classes[adjustmentClass(ours)]++
				}
			}
			return ""
		},
		Print: difftest.JSON[*v1.Pod],
	}.Check(t, comparisons.OOMScores.Cases)
	classes.Require(t, count, "guaranteed", "best effort", "burstable", "least burstable", "most burstable")
}

func adjustmentClass(adj int64) string {
	switch adj {
	case -997:
		return "guaranteed"
	case 1000:
		return "best effort"
	case 3:
		return "least burstable"
	case 999:
		return "most burstable"
	}
	return "burstable"
}

// drawWholePod draws a pod whose own requests, if it has any, are enough for its containers.
func drawWholePod(seed uint64, number int) *v1.Pod {
	r := rand.New(rand.NewPCG(seed+uint64(number), 3))
	pod := drawNodePod(r, 0)
	if own := pod.Spec.Resources; own != nil {
		asked := requestedMemory(pod)
		asked.Add(*resource.NewQuantity(r.Int64N(1<<30), resource.BinarySI))
		own.Requests[v1.ResourceMemory] = asked
	}
	if r.IntN(3) == 0 {
		pod.Spec.Overhead = drawResources(r, v1.ResourceMemory, v1.ResourceCPU)
	}
	lists := []v1.ResourceList{pod.Spec.Overhead}
	for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		lists = append(lists, c.Resources.Requests, c.Resources.Limits)
	}
	for _, list := range lists { // at most 500 cpus
		if q, ok := list[v1.ResourceCPU]; ok {
			list[v1.ResourceCPU] = *resource.NewMilliQuantity(q.Value()%500000, resource.DecimalSI)
		}
	}
	return pod
}

func TestPodCgroup_Same(t *testing.T) {
	limits := difftest.Coverage{}
	count := difftest.Cases[*v1.Pod]{
		Draw: drawWholePod,
		Differ: func(pod *v1.Pod) string {
			theirs := cm.ResourceConfigForPod(pod.DeepCopy(), true, cm.QuotaPeriod, false, kubeletconfig.NoneMemoryReservationPolicy)
			ours := pressure.PodCgroup(pod)
			want := pressure.Cgroup{CPUShares: int64(ptr.Deref(theirs.CPUShares, 0)), CPUQuota: ptr.Deref(theirs.CPUQuota, 0), MemoryMax: ptr.Deref(theirs.Memory, 0)}
			if ours != want {
				return fmt.Sprintf("theirs %+v, ours %+v", want, ours)
			}
			if weight := cpuWeight(theirs.CPUShares); int64(weight) != ours.CPUWeight() {
				return fmt.Sprintf("their weight %d, ours %d", weight, ours.CPUWeight())
			}
			for name, is := range map[string]bool{"cpu": ours.CPUQuota > 0, "memory": ours.MemoryMax > 0, "none": ours.CPUQuota+ours.MemoryMax == 0} {
				if is {
					limits[name]++
				}
			}
			return ""
		},
		Print: difftest.JSON[*v1.Pod],
	}.Check(t, comparisons.PodCgroups.Cases)
	limits.Require(t, count, "cpu", "memory", "none")
}
