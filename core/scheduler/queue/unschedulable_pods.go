package queue

import (
	"cmp"
	"slices"
	"time"
)

// unschedulablePods holds the unschedulable and gated pods, indexed by the plugins that rejected them, so that an event
// visits only pods that it can help.
type unschedulablePods struct {
	q            *Queue
	order        unschedulableOrder
	unattributed pluginPods // pods that any registered event moves: of an unknown profile, or without a rejecting plugin
	leftovers    podHeap    // pods that the leftover flush moves, oldest first
	exempt       podHeap    // all others: gated pods
	gated        int
	added        uint64
}

// pluginPods is a set of pods; each pod has a groupEntry for every set that it is in. Pods that a plugin holds back by group
// are in the sets of their groups instead.
type pluginPods struct {
	pods   []*Pod
	groups map[any]*heldGroup
}

type groupEntry struct {
	pods *pluginPods
	at   int
}

func (pl *unschedulablePods) init(q *Queue) {
	*pl = unschedulablePods{q: q, added: pl.added}
	pl.leftovers = leftoverHeap(byTimestamp)
	pl.exempt = leftoverHeap(byTimestamp)
}

func byTimestamp(a, b *Pod) bool {
	if since, other := a.waitsSince(), b.waitsSince(); !since.Equal(other) {
		return since.Before(other)
	}
	return a.unschedulableSeq < b.unschedulableSeq
}

func (pl *unschedulablePods) len() int { return pl.order.count }

// add adds a pod, gated or not by its queuedIn.
func (pl *unschedulablePods) add(p *Pod) {
	pl.added++
	p.unschedulableSeq = pl.added
	pl.order.push(p)
	pl.index(p)
}

// index adds a pod in order to the sets of its rejecting plugins.
func (pl *unschedulablePods) index(p *Pod) {
	pl.order.countPod(p, 1)
	switch group := groupHolding(p); {
	case group != nil:
		group.add(p)
	case p.profile == nil || len(p.rejectors) == 0:
		pl.unattributed.add(p)
	default:
		for _, plugin := range p.rejectors {
			p.profile.rejectedBy(plugin).add(p)
		}
	}
	if p.queuedIn == Gated {
		pl.gated++
	}
	p.leftoverHeap = pl.heapFor(p)
	p.leftoverHeap.Push(p)
}

// restartClock has the leftover flush count anew for a pod in leftovers.
func (pl *unschedulablePods) restartClock(p *Pod, now time.Time) {
	pl.leftovers.remove(p)
	p.flushed = now
	pl.leftovers.Push(p)
}

// heapFor returns the heap for p: unless the flush is for gated pods, too, the timeout moves one only if its gating plugin registered the
// wildcard event.
func (pl *unschedulablePods) heapFor(p *Pod) *podHeap {
	if p.queuedIn == Gated && !pl.q.opts.FlushGated && !slices.ContainsFunc(p.gateEvents, IsWildcard) {
		return &pl.exempt
	}
	return &pl.leftovers
}

func (pl *unschedulablePods) remove(p *Pod) {
	pl.unindex(p)
	pl.order.remove(p)
}

// unindex removes a pod from its sets; it keeps its position in order.
func (pl *unschedulablePods) unindex(p *Pod) {
	pl.order.countPod(p, -1)
	for len(p.groupEntries) > 0 {
		s := p.groupEntries[len(p.groupEntries)-1]
		p.groupEntries = p.groupEntries[:len(p.groupEntries)-1]
		s.pods.remove(s.at)
	}
	if p.queuedIn == Gated {
		pl.gated--
	}
	p.leftoverHeap.remove(p)
	p.leftoverHeap = nil
}

func (g *pluginPods) add(p *Pod) {
	p.groupEntries = append(p.groupEntries, groupEntry{g, len(g.pods)})
	g.pods = append(g.pods, p)
}

// remove removes the pod at i and moves the last pod there.
func (g *pluginPods) remove(i int) {
	last := len(g.pods) - 1
	if moved := g.pods[last]; i < last {
		g.pods[i] = moved
		for s := range moved.groupEntries {
			if moved.groupEntries[s].pods == g {
				moved.groupEntries[s].at = i
			}
		}
	}
	g.pods[last] = nil
	g.pods = g.pods[:last]
}

// candidates returns the pods in unschedulablePods that an event could move, in the order of arrival; not those of held
// groups that stay. The slice is valid until the next call.
func (q *Queue) candidates(in *eventMatch, stays func(*heldGroup) bool) []*Pod {
	q.scan++
	q.scratch = q.scratch[:0]
	if in.wildcard || q.opts.RequeueRule == MoveRequestCycle {
		for p := range q.unschedulablePods.order.all() {
			q.scratch = append(q.scratch, p)
		}
		return q.scratch
	}
	q.scanPods(&q.unschedulablePods.unattributed)
	for _, groups := range in.rejected {
		for _, g := range groups {
			q.scanPods(g)
			for _, group := range g.heldGroups() {
				if !stays(group) {
					q.scanPods(&group.pluginPods)
				}
			}
		}
	}
	slices.SortFunc(q.scratch, byUnschedulableSeq)
	return q.scratch
}

func byUnschedulableSeq(a, b *Pod) int { return cmp.Compare(a.unschedulableSeq, b.unschedulableSeq) }

func (q *Queue) scanPods(g *pluginPods) {
	for _, p := range g.pods {
		if p.lastScan != q.scan {
			p.lastScan = q.scan
			q.scratch = append(q.scratch, p)
		}
	}
}

// addUnschedulable adds p, which is in no structure, to unschedulablePods.
func (q *Queue) addUnschedulable(p *Pod, label, plugin, note string) {
	place := Unschedulable
	if p.gate != "" {
		place = Gated
	}
	q.insert(p, place)
	q.recordMove(p, place, true, label, plugin, note)
}

// reindex applies a change of a pod's rejecting plugins or gate; the pod keeps its position.
func (q *Queue) reindex(p *Pod, label, plugin, note string) {
	q.unschedulablePods.unindex(p)
	p.queuedIn = Unschedulable
	if p.gate != "" {
		p.queuedIn = Gated
	}
	q.unschedulablePods.index(p)
	q.recordMove(p, p.queuedIn, false, label, plugin, note)
}
