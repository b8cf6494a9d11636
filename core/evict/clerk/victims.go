package clerk

import (
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/preempt"
	"orrery/core/world"
)

// room is what a preemptor has been promised: whose leaving makes it. It is not changed once it is kept.
type room struct{ victims []world.Ref }

// Preempted tells of a preemption that was decided: the victims leave to make room for a pod. Those that are leaving
// anyway are let be.
func (c *Clerk) Preempted(at time.Time, r *preempt.Record, pod world.Ref) {
	c.pass(at)
	var made room
	why := whyThere(r, pod)
	for _, victim := range r.Victims {
		if _, leaves := c.marked[victim.UID]; leaves || victim.DeletionTimestamp != nil {
			continue
		}
		made.victims = append(made.victims, world.RefOf(victim))
		d := evict.Departure{
			Pod: world.RefOf(victim), Node: r.Node, Cause: evict.Preemption, Phase: evict.Leaving,
			By: "pod " + pod.String(), Why: why, Noticed: at,
		}
		d.Budget, d.Allowed = c.board.Guarding(victim)
		c.board.Write(d)
	}
	was := c.rooms[pod.UID]
	if c.rooms[pod.UID] = made; len(made.victims) == 0 {
		delete(c.rooms, pod.UID)
	}
	c.release(was, made, "other victims were picked")
}

// whyThere says for whom a node's pods have to go, and why on that node.
func whyThere(r *preempt.Record, pod world.Ref) string {
	var b strings.Builder
	b.WriteString("room for ")
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
		b.WriteString("; of the victims in spite of a budget: ")
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// settle ends a preemption whose preemptor needs no room any more.
func (c *Clerk) settle(preemptor types.UID, why string) {
	if made, ok := c.rooms[preemptor]; ok {
		delete(c.rooms, preemptor)
		c.release(made, room{}, why)
	}
}

// release lets those victims stay that nobody has asked to leave, unless they are among others as well.
func (c *Clerk) release(made, others room, why string) {
	for _, victim := range made.victims {
		if _, asked := c.marked[victim.UID]; asked || others.has(victim.UID) {
			continue
		}
		pod := c.store.Pod(victim.Namespace, victim.Name)
		if pod != nil && pod.UID == victim.UID && pod.DeletionTimestamp == nil {
			c.cancel(pod, evict.Preemption, why)
		}
	}
}

func (r room) has(pod types.UID) bool {
	for _, victim := range r.victims {
		if victim.UID == pod {
			return true
		}
	}
	return false
}
