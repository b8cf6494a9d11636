package pressure

import (
	"fmt"
	"math"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/evict"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// The kernel of a simulated node enforces three limits of memory: that of a container, that of all pods together, and the node's
// capacity. At the very moment at which one is exceeded it kills a container below it, without waiting for the kubelet.

// oomKill is what the kernel does about an exceeded limit.
type oomKill struct {
	Process
	// why names the limit; ofNode says that it is the node's capacity.
	why    string
	ofNode bool
}

// killExcess kills containers until no limit is exceeded.
func (f *Kubelets) killExcess(done []memory.PressureAction, p *nodeKubelet, now time.Time) []memory.PressureAction {
	for {
		kill, ok := f.nextKill(p, now)
		if !ok {
			return done
		}
		p.killed[kill.Pod.UID] = restartsOf(kill.Pod)
		act := memory.PressureAction{Node: p.node.Name, Kill: &memory.ContainerKill{Pod: refOf(kill.Pod)}}
		if kill.ofNode {
			node := world.PodRef{Name: p.node.Name, UID: p.node.UID}
			act.Event = warningEvent(node, "SystemOOM", "System OOM encountered, victim process: "+kill.Container)
		}
		p.kubelet.recordKill(now, kill)
		done = append(done, act)
	}
}

// nextKill returns the next container to kill. The innermost exceeded limit decides.
func (f *Kubelets) nextKill(p *nodeKubelet, now time.Time) (oomKill, bool) {
	capacity := capacityOf(p.node, v1.ResourceMemory)
	if capacity <= 0 {
		return oomKill{}, false
	}
	m := f.memoryNow(p, now)
	for _, pod := range m.pods {
		if limit := memoryLimit(pod.pod); limit > 0 && pod.used > limit {
			return oomKill{
				Process: processOf(pod.pod, &pod.pod.Spec.Containers[0], pod.used, limit, capacity),
				why:     "its limit of " + bytesOf(limit) + " was reached",
			}, true
		}
	}
	if limit := f.podsLimit(p.node, capacity); f.options.Configuration.EnforceAllocatable && limit < capacity && m.ofPods > limit {
		return m.worst(limit, capacity, oomKill{why: fmt.Sprintf("the pods of %s reached their limit of %s", p.node.Name, bytesOf(limit))})
	}
	if saturating.Add(m.own, m.ofPods) > capacity {
		return m.worst(capacity, capacity, oomKill{why: fmt.Sprintf("the memory of %s ran out", p.node.Name), ofNode: true})
	}
	return oomKill{}, false
}

// memoryLimit is the limit of a pod's first container, to which its usage is attributed, or of the whole pod.
func memoryLimit(pod *v1.Pod) int64 {
	limit, whole := ContainerCgroup(pod, &pod.Spec.Containers[0]).MemoryMax, PodCgroup(pod).MemoryMax
	if limit == 0 || whole > 0 && whole < limit {
		return whole
	}
	return limit
}

func bytesOf(n int64) string { return resource.NewQuantity(n, resource.BinarySI).String() }

// nodeMemory is the use of a node's memory at a moment, and its change in bytes per second.
type nodeMemory struct {
	own, ofPods         int64
	ownRate, ofPodsRate int64
	pods                []podMemory
}

type podMemory struct {
	pod        *v1.Pod
	used, rate int64
	// high is from where on the kernel lets it grow no more, zero for nowhere.
	high int64
}

func (f *Kubelets) memoryNow(p *nodeKubelet, now time.Time) nodeMemory {
	own := p.ownUsage
	m := nodeMemory{own: extrapolate(own.Usage, own.Growth, now.Sub(own.at)).Memory, ownRate: own.Growth.Memory}
	for _, pod := range p.kubelet.active() {
		u := f.usageOf(pod)
		since, runs := p.runsSince(pod)
		if u == nil || !runs || len(pod.Spec.Containers) == 0 {
			continue
		}
		one := podMemory{pod: pod, rate: u.Growth.Memory, high: f.memoryHigh(p.node, pod)}
		one.used = f.podUsage(p, pod, now).Memory
		if since.After(now) || one.used == 0 && one.rate < 0 || one.high > 0 && one.used >= one.high && one.rate > 0 {
			one.rate = 0
		}
		m.ofPods, m.ofPodsRate = saturating.Add(m.ofPods, one.used), saturating.Add(m.ofPodsRate, one.rate)
		m.pods = append(m.pods, one)
	}
	return m
}

// memoryHigh is from how many bytes on the kernel slows down a pod's first container, zero for never.
func (f *Kubelets) memoryHigh(node *v1.Node, pod *v1.Pod) int64 {
	part := f.options.Configuration.MemoryThrottling
	if part == 0 || len(pod.Spec.Containers) == 0 {
		return 0
	}
	allocatable := requests.Amount(v1.ResourceMemory, node.Status.Allocatable[v1.ResourceMemory])
	return MemoryHigh(&pod.Spec.Containers[0], allocatable, part)
}

// worst returns the kill of the container with the highest score.
func (m *nodeMemory) worst(limit, capacity int64, kill oomKill) (oomKill, bool) {
	found := false
	for _, pod := range m.pods {
		if pod.used == 0 {
			continue
		}
		if one := processOf(pod.pod, &pod.pod.Spec.Containers[0], pod.used, limit, capacity); !found || one.badness > kill.badness {
			kill.Process, found = one, true
		}
	}
	return kill, found
}

// nextMemoryEvent returns when the memory of a node next exceeds a limit, crosses a mark that the kernel notifies the kubelet of,
// or when a pod's ceases to change.
func (f *Kubelets) nextMemoryEvent(p *nodeKubelet, now time.Time) (next time.Time, ok bool) {
	m := f.memoryNow(p, now)
	reach := func(used, rate, level int64) {
		left := saturating.Sub(level, used)
		if rate < 0 {
			left, rate = -left, saturating.Sub(0, rate)
		}
		if at, reached := timeToChange(now, left, rate); reached && (!ok || at.Before(next)) {
			next, ok = at, true
		}
	}
	for _, pod := range m.pods {
		if pod.rate < 0 {
			reach(pod.used, pod.rate, 0)
			continue
		}
		if limit := memoryLimit(pod.pod); limit > 0 {
			reach(pod.used, pod.rate, saturating.Add(limit, 1))
		}
		if pod.high > 0 {
			reach(pod.used, pod.rate, pod.high)
		}
	}
	all, rate := saturating.Add(m.own, m.ofPods), saturating.Add(m.ownRate, m.ofPodsRate)
	capacity := capacityOf(p.node, v1.ResourceMemory)
	levels := []int64{saturating.Add(f.podsLimit(p.node, capacity), 1)}
	ofNode := []int64{saturating.Add(capacity, 1)}
	for i, mark := range p.kubelet.marks {
		switch {
		case mark == 0:
		case p.kubelet.thresholds[i].Signal == AllocatableMemoryAvailable:
			levels = append(levels, saturating.Add(mark, 1)) // at the mark itself the threshold is not yet met
		default:
			ofNode = append(ofNode, saturating.Add(mark, 1))
		}
	}
	if m.ofPodsRate > 0 {
		for _, level := range levels {
			reach(m.ofPods, m.ofPodsRate, level)
		}
	}
	if rate > 0 {
		for _, level := range ofNode {
			reach(all, rate, level)
		}
	}
	return next, ok
}

// maxForecast is how far ahead changes of memory are looked for.
const maxForecast = 365 * 24 * time.Hour

// timeToChange returns when an amount has changed by so many bytes, in whole milliseconds; reached is false if it has already,
// or does not within the forecast.
func timeToChange(now time.Time, left, rate int64) (at time.Time, reached bool) {
	if left <= 0 || rate <= 0 {
		return time.Time{}, false
	}
	ms := math.Ceil(1000 * float64(left) / float64(rate))
	if ms > float64(maxForecast.Milliseconds()) {
		return time.Time{}, false
	}
	return now.Add(max(time.Duration(ms), 1) * time.Millisecond), true
}

// recordKill writes that a container was killed, and whether that was before the kubelet looked again.
func (k *Kubelet) recordKill(now time.Time, kill oomKill) {
	reason := fmt.Sprintf("container %s was killed: %s; oom_score %d, of which %d is oom_score_adj", kill.Container, kill.why, kill.Score, kill.Adj)
	if k.phase == idle && k.wake.After(now) {
		reason += fmt.Sprintf("; the kubelet would have looked %s later", k.wake.Sub(now).Round(100*time.Millisecond))
	}
	e := evict.Eviction{
		Pod: refOf(kill.Pod), Node: k.options.Node, Cause: evict.OutOfMemory, Phase: evict.Killed,
		Initiator: "OOM killer on " + k.options.Node, Reason: reason, FirstSeen: now, Ended: now,
	}
	e.Budget, e.DisruptionsAllowed = k.record.BudgetOf(kill.Pod)
	k.record.Write(e)
}

// restartsOf is how often a pod's first container has started again.
func restartsOf(pod *v1.Pod) int32 {
	if len(pod.Status.ContainerStatuses) == 0 {
		return 0
	}
	return pod.Status.ContainerStatuses[0].RestartCount
}

// runsSince returns since when a pod's first container runs; runs is false while it does not.
func (p *nodeKubelet) runsSince(pod *v1.Pod) (since time.Time, runs bool) {
	if pod.Status.Phase != v1.PodRunning {
		return time.Time{}, false
	}
	if at, killed := p.killed[pod.UID]; killed && restartsOf(pod) == at {
		return time.Time{}, false
	}
	if all := pod.Status.ContainerStatuses; len(all) > 0 {
		switch state := all[0].State; {
		case state.Running != nil:
			return state.Running.StartedAt.Time, true
		case state.Waiting != nil || state.Terminated != nil:
			return time.Time{}, false
		}
	}
	if pod.Status.StartTime != nil {
		since = pod.Status.StartTime.Time
	}
	return since, true
}
