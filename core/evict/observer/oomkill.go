package observer

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

// reasonOOMKilled is that of a container's end when the kernel killed it as memory ran out.
const reasonOOMKilled = "OOMKilled"

// recordKills takes in which containers of a pod were killed as memory ran out since its previous state. Earlier kills of a pod
// that is new, before is nil then, are not on the record.
func (c *Observer) recordKills(pod, before *v1.Pod) {
	if before == nil || c.leavesKills {
		return
	}
	for i := range pod.Status.ContainerStatuses {
		s := &pod.Status.ContainerStatuses[i]
		at, number := LastOOMKill(s)
		if number < 0 || wasKilled(before, s.Name, number) {
			continue
		}
		e := evict.Eviction{
			Pod: world.PodRefOf(pod), Node: pod.Spec.NodeName, Cause: evict.OutOfMemory, Phase: evict.Killed,
			Initiator: "OOM killer on " + pod.Spec.NodeName, Reason: c.killReason(pod, s), FirstSeen: at, Ended: at,
		}
		e.Budget, e.DisruptionsAllowed = c.record.BudgetOf(pod)
		c.record.Write(e)
	}
}

// LastOOMKill returns when a container was last killed as memory ran out, and after how many restarts; the number is negative if it
// was not.
func LastOOMKill(s *v1.ContainerStatus) (at time.Time, number int32) {
	if over := s.State.Terminated; over != nil && over.Reason == reasonOOMKilled {
		return over.FinishedAt.Time, s.RestartCount
	}
	over := s.LastTerminationState.Terminated
	switch {
	case over == nil || over.Reason != reasonOOMKilled:
		return time.Time{}, -1
	case s.State.Waiting != nil:
		return over.FinishedAt.Time, s.RestartCount
	}
	return over.FinishedAt.Time, s.RestartCount - 1
}

// wasKilled reports whether a pod's container was known to be killed after so many restarts.
func wasKilled(pod *v1.Pod, container string, number int32) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(s v1.ContainerStatus) bool {
		_, was := LastOOMKill(&s)
		return s.Name == container && was >= number
	})
}

// killReason says which limit may have been reached. A node whose memory runs out reports MemoryPressure before, unless that is
// faster than its kubelet.
func (c *Observer) killReason(pod *v1.Pod, s *v1.ContainerStatus) string {
	text := fmt.Sprintf("container %s was killed", s.Name)
	pressed := c.reportsPressure(pod.Spec.NodeName)
	limit := memoryLimitOf(pod, s.Name)
	switch {
	case limit != "" && pressed:
		return text + ": limit " + limit + ", and its node reports MemoryPressure"
	case limit != "":
		return text + ": limit " + limit
	case pressed:
		return text + " while its node reports MemoryPressure"
	}
	return text + " before its node reported MemoryPressure: faster than an eviction"
}

func (c *Observer) reportsPressure(name string) bool {
	node := c.store.Node(name)
	return node != nil && slices.ContainsFunc(node.Status.Conditions, func(c v1.NodeCondition) bool {
		return c.Type == v1.NodeMemoryPressure && c.Status == v1.ConditionTrue
	})
}

// memoryLimitOf returns the memory limit of a pod's container, empty without one.
func memoryLimitOf(pod *v1.Pod, container string) string {
	for i := range pod.Spec.Containers {
		if c := &pod.Spec.Containers[i]; c.Name == container {
			if q, ok := c.Resources.Limits[v1.ResourceMemory]; ok {
				return q.String()
			}
		}
	}
	if own := pod.Spec.Resources; own != nil {
		if q, ok := own.Limits[v1.ResourceMemory]; ok {
			return q.String()
		}
	}
	return ""
}
