package observer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/scheduler/preempt"
	"orrery/core/world"
)

// preemption holds the victims of a preemptor. It is not changed once it is stored.
type preemption struct{ victims []world.PodRef }

// Preempted records a preemption decision: its victims are evicted to make room for a pod. Victims that are terminating
// already are skipped.
func (c *Observer) Preempted(at time.Time, r *preempt.Record, pod world.PodRef) {
	c.advance(at)
	var made preemption
	why := preemptionReason(r, pod)
	for _, victim := range r.Victims {
		if _, leaves := c.causes[victim.UID]; leaves || victim.DeletionTimestamp != nil {
			continue
		}
		made.victims = append(made.victims, world.PodRefOf(victim))
		d := evict.Eviction{
			Pod: world.PodRefOf(victim), Node: r.Node, Cause: evict.Preemption, Phase: evict.Terminating,
			Initiator: "pod " + pod.String(), Preemptor: pod, Reason: why, FirstSeen: at,
		}
		d.Budget, d.DisruptionsAllowed = c.record.BudgetOf(victim)
		c.record.Write(d)
	}
	was := c.preemptions[pod.UID]
	if c.preemptions[pod.UID] = made; len(made.victims) == 0 {
		delete(c.preemptions, pod.UID)
	}
	c.cancelVictims(was, made, "other victims were chosen")
}

// preemptionReason names the preemptor and why it preempts on that node.
func preemptionReason(r *preempt.Record, pod world.PodRef) string {
	var b strings.Builder
	b.WriteString("preempted by ")
	b.WriteString(pod.String())
	b.WriteString(" on ")
	b.WriteString(r.Node)
	b.WriteString(": ")
	b.WriteString(string(r.By))
	if n := len(r.Lost); n > 0 {
		b.WriteString(", of ")
		b.WriteString(strconv.Itoa(n + 1))
		b.WriteString(" candidates")
	}
	if n := r.Violations; n > 0 {
		b.WriteString("; PodDisruptionBudget violations: ")
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// endPreemption ends a preemption whose preemptor no longer needs room.
func (c *Observer) endPreemption(preemptor types.UID, why string) {
	if made, ok := c.preemptions[preemptor]; ok {
		delete(c.preemptions, preemptor)
		c.cancelVictims(made, preemption{}, why)
	}
}

// cancelVictims cancels the evictions of victims whose eviction was not seen and that others does not contain.
func (c *Observer) cancelVictims(made, others preemption, why string) {
	for _, victim := range made.victims {
		if _, asked := c.causes[victim.UID]; asked || others.has(victim.UID) {
			continue
		}
		pod := c.store.Pod(victim.Namespace, victim.Name)
		if pod != nil && pod.UID == victim.UID && pod.DeletionTimestamp == nil {
			c.cancel(pod, evict.Preemption, why)
		}
	}
}

func (r preemption) has(pod types.UID) bool {
	return slices.ContainsFunc(r.victims, func(victim world.PodRef) bool { return victim.UID == pod })
}
