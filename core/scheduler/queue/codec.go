package queue

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
)

// CodeState codes the queue. The queue that is read has its options already, with the plugins of its profiles.
func (q *Queue) CodeState(c *codec.Coder) {
	codec.Int(c, &q.schedulingCycle)
	codec.Int(c, &q.moveRequestCycle)
	c.Time(&q.now)
	c.Time(&q.start)
	codec.Uint(c, &q.stamps)
	codec.Uint(c, &q.seq)
	codec.Texts(c, &q.newRejectors)
	codec.Uint(c, &q.unschedulablePods.added)
	q.codeHeap(c, &q.active, Active)
	q.codeHeap(c, &q.backoff, Backoff)
	q.codeHeap(c, &q.errored, ErrorBackoff)
	q.codeUnschedulable(c)
	q.codeInFlight(c)
	q.nominator.codeState(c)
	q.codeCounts(c)
}

// codeHeap codes the pods of a heap in its layout, which pushing them one after the other makes again.
func (q *Queue) codeHeap(c *codec.Coder, h *podHeap, place State) {
	pods := h.Items
	codec.Slice(c, &pods, func(p **Pod) {
		q.codePod(c, p)
		if c.Reading() && q.mayQueue(c, *p) {
			q.insert(*p, place)
		}
	})
}

// codeUnschedulable codes unschedulablePods in the order of arrival.
func (q *Queue) codeUnschedulable(c *codec.Coder) {
	pods := slices.Collect(q.unschedulablePods.order.all())
	before := uint64(0)
	codec.Slice(c, &pods, func(p **Pod) {
		q.codePod(c, p)
		gated := (*p).queuedIn == Gated
		c.Bool(&gated)
		if !c.Reading() || !q.mayQueue(c, *p) {
			return
		}
		one := *p
		c.Check(one.unschedulableSeq > before && one.unschedulableSeq <= q.unschedulablePods.added, "pod %q came to unschedulablePods out of order", one.key)
		before = one.unschedulableSeq
		if one.queuedIn = Unschedulable; gated {
			one.queuedIn = Gated
		}
		q.pods[one.key] = one
		q.unschedulablePods.order.push(one)
		q.unschedulablePods.index(one)
	})
}

// mayQueue reports whether a pod was read whose name is not queued yet.
func (q *Queue) mayQueue(c *codec.Coder, p *Pod) bool {
	if c.OK() {
		c.Check(q.pods[p.key] == nil, "two pods of the name %q are queued", p.key)
	}
	return c.OK()
}

// codePod codes a pod, in whatever state it is.
func (q *Queue) codePod(c *codec.Coder, to **Pod) {
	if c.Reading() {
		*to = &Pod{accounting: q.opts.Accounting}
	}
	p := *to
	codec.Object(c, &p.pod)
	c.Time(&p.timestamp)
	c.Time(&p.backoffExpiration)
	c.Time(&p.initialAttempt)
	c.Bool(&p.wasActive)
	c.Count(&p.attempts)
	c.Count(&p.unschedulableCount)
	c.Count(&p.consecutiveErrors)
	codec.Set(c, &p.unschedulable)
	codec.Set(c, &p.pending)
	codec.Text(c, &p.gate)
	codec.Text(c, &p.gateNote)
	codec.Enum(c, &p.state, InFlight)
	c.Time(&p.since)
	codec.Text(c, &p.event)
	codec.Uint(c, &p.stamp)
	codec.Uint(c, &p.unschedulableSeq)
	if q.opts.FlushGated {
		c.Time(&p.flushed)
	}
	if q.opts.NoteFlushed {
		c.Bool(&p.wasFlushed)
	}
	if q.signs() {
		signature := string(p.signature)
		if codec.Text(c, &signature); c.Reading() && signature != "" {
			p.signature = fwk.PodSignature(signature)
		}
	}
	if !c.Reading() || !c.OK() {
		return
	}
	p.set(p.pod)
	p.rejectors = sorted(p.unschedulable, p.pending)
	p.profile = q.profiles[p.pod.Spec.SchedulerName]
	if p.gate != "" {
		p.gateEvents = q.gatingEvents[p.gate]
	}
}

// signs reports whether the pods of a profile are signed here.
func (q *Queue) signs() bool {
	for _, pr := range q.profiles {
		if pr.Sign != nil {
			return true
		}
	}
	return false
}

// CodePopped codes a pod that was popped, after the queue was coded: one in flight, which the queue has, or one past Done.
func (q *Queue) CodePopped(c *codec.Coder, to **Pod) {
	var id types.UID
	if !c.Reading() && q.isInFlight(*to) {
		id = (*to).inFlightUID
	}
	codec.Text(c, &id)
	if id == "" {
		q.codePod(c, to)
		if c.Reading() && c.OK() {
			(*to).profile = nil // as that of a clone
		}
		return
	}
	if c.Reading() {
		at, known := q.inFlightEvents.markers[id]
		c.Check(known, "there is no pod %q in flight", id)
		if known {
			*to = q.inFlightEvents.list[at-q.inFlightEvents.first].pod
		}
	}
}

// isInFlight reports whether a pod is the one of a marker.
func (q *Queue) isInFlight(p *Pod) bool {
	at, known := q.inFlightEvents.markers[p.inFlightUID]
	return known && q.inFlightEvents.list[at-q.inFlightEvents.first].pod == p
}

// codeCounts codes the counts of PreEnqueue plugins by profile.
func (q *Queue) codeCounts(c *codec.Coder) {
	counts := map[string][]PreEnqueueCount{}
	for name, pr := range q.profiles {
		counts[name] = pr.preEnqueueCounts
	}
	profiles := len(counts)
	if c.Reading() {
		counts = nil
	}
	codec.Map(c, &counts, func(name *string, list *[]PreEnqueueCount) {
		codec.Text(c, name)
		codec.Slice(c, list, func(count *PreEnqueueCount) {
			codec.Text(c, &count.Plugin)
			codec.Uint(c, &count.Calls)
			codec.Uint(c, &count.Rejections)
		})
		pr := q.profiles[*name]
		if c.Check(pr != nil, "there is no profile %q", *name); c.Reading() && c.OK() {
			pr.preEnqueueCounts = *list
		}
	})
	c.Check(len(counts) == profiles, "there are counts of %d profiles, not of %d", len(counts), profiles)
}

// codeState codes the nominations in the order in which they were made.
func (n *nominator) codeState(c *codec.Coder) {
	codec.Map(c, &n.byNode, func(node *string, list *[]nominee) {
		codec.Text(c, node)
		codec.Slice(c, list, func(one *nominee) {
			codec.Text(c, &one.id)
			codec.Text(c, &one.uid)
			c.Name(&one.key)
			_, twice := n.nodeOf[one.id]
			c.Check(!twice, "pod %q is nominated twice", one.key)
			if c.Reading() {
				n.nodeOf[one.id] = *node
			}
		})
		c.Check(len(*list) > 0, "no pod is nominated for node %q", *node)
	})
	codec.Uint(c, &n.version)
}

// CodeState codes the history.
func (t *DepthHistory) CodeState(c *codec.Coder) {
	codec.Int(c, &t.waiting)
	codec.Int(c, &t.second)
	c.Bool(&t.started)
	for i := range t.ring {
		codec.Int(c, &t.ring[i])
	}
}
