package queue

import (
	"cmp"
	"slices"
)

// pool has the parked pods, unschedulable and gated, found by the plugins that turned them down, so that an event
// looks only at pods that it can help.
type pool struct {
	q        *Queue
	line     line
	strays   group   // pods that any event of interest moves: of no known profile, or turned down by nobody
	leftover podHeap // those that the leftover flush would move, oldest first
	held     podHeap // the others: gated ones
	gated    int
	parkings uint64
}

// group is a set of parked pods; each pod has a seat in every group that it is in.
type group struct {
	pods []*Pod
}

type seat struct {
	group *group
	at    int
}

func (pl *pool) init(q *Queue) {
	*pl = pool{q: q, parkings: pl.parkings}
	pl.leftover = podHeap{slot: slotLeftover, less: oldest}
	pl.held = podHeap{slot: slotLeftover, less: oldest}
}

func oldest(a, b *Pod) bool {
	if !a.timestamp.Equal(b.timestamp) {
		return a.timestamp.Before(b.timestamp)
	}
	return a.parkedAs < b.parkedAs
}

func (pl *pool) len() int { return pl.line.live }

// add parks a pod; its place says whether it is gated.
func (pl *pool) add(p *Pod) {
	pl.parkings++
	p.parkedAs = pl.parkings
	pl.line.push(p)
	pl.seat(p)
}

// seat puts a pod that stands in the line into the groups of its rejectors.
func (pl *pool) seat(p *Pod) {
	pl.line.count(p, 1)
	if p.profile == nil || len(p.rejectors) == 0 {
		pl.strays.add(p)
	} else {
		for _, plugin := range p.rejectors {
			p.profile.group(plugin).add(p)
		}
	}
	if p.place == Gated {
		pl.gated++
	}
	p.age = pl.byAge(p)
	p.age.push(p)
}

// byAge is the heap for pods like p: the timeout moves a gated one only if its plugin waits for everything.
func (pl *pool) byAge(p *Pod) *podHeap {
	if p.place == Gated && !slices.ContainsFunc(p.gateEvents, IsWildcard) {
		return &pl.held
	}
	return &pl.leftover
}

func (pl *pool) remove(p *Pod) {
	pl.unseat(p)
	pl.line.drop(p)
}

// unseat takes a pod out of its groups and leaves it its turn.
func (pl *pool) unseat(p *Pod) {
	pl.line.count(p, -1)
	for len(p.seats) > 0 {
		s := p.seats[len(p.seats)-1]
		p.seats = p.seats[:len(p.seats)-1]
		s.group.remove(s.at)
	}
	if p.place == Gated {
		pl.gated--
	}
	p.age.remove(p)
	p.age = nil
}

func (g *group) add(p *Pod) {
	p.seats = append(p.seats, seat{g, len(g.pods)})
	g.pods = append(g.pods, p)
}

// remove takes the pod at i out, and gives its place to the last one.
func (g *group) remove(i int) {
	last := len(g.pods) - 1
	if moved := g.pods[last]; i < last {
		g.pods[i] = moved
		for s := range moved.seats {
			if moved.seats[s].group == g {
				moved.seats[s].at = i
			}
		}
	}
	g.pods[last] = nil
	g.pods = g.pods[:last]
}

// candidates are the parked pods that an event could move, in the order in which they were parked. The slice is good
// until the next call.
func (q *Queue) candidates(in *interest) []*Pod {
	q.picks++
	q.scratch = q.scratch[:0]
	if in.wildcard || q.opts.Rule == MoveRequestCycle {
		for p := range q.parked.line.all() {
			q.scratch = append(q.scratch, p)
		}
		return q.scratch
	}
	q.pick(&q.parked.strays)
	for _, groups := range in.groups {
		for _, g := range groups {
			q.pick(g)
		}
	}
	slices.SortFunc(q.scratch, byParking)
	return q.scratch
}

func byParking(a, b *Pod) int { return cmp.Compare(a.parkedAs, b.parkedAs) }

func (q *Queue) pick(g *group) {
	for _, p := range g.pods {
		if p.picked != q.picks {
			p.picked = q.picks
			q.scratch = append(q.scratch, p)
		}
	}
}

// park puts p, which is in no structure, among the parked pods.
func (q *Queue) park(p *Pod, label, plugin, note string) {
	place := Unschedulable
	if p.gate != "" {
		place = Gated
	}
	q.insert(p, place)
	q.record(p, place, true, label, plugin, note)
}

// reseat follows a change of a parked pod's rejectors or gate; it keeps its turn.
func (q *Queue) reseat(p *Pod, label, plugin, note string) {
	q.parked.unseat(p)
	p.place = Unschedulable
	if p.gate != "" {
		p.place = Gated
	}
	q.parked.seat(p)
	q.record(p, p.place, false, label, plugin, note)
}
