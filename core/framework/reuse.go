package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
)

// reuser is what a profile keeps for reuse: its NodeLocal plugins, the tables of their verdicts and scores, and room for one
// cycle's use of a table.
type reuser struct {
	locals    []NodeLocal
	columns   int // scaled scores
	tables    *reuse.Tables
	classes   reuse.AmountClasses
	signature reuse.Signature
	rest      int // how much of the signature is of plugins that do not look at amounts
	cycle     Reuse
}

// reuseLimit is how many bytes a profile's tables may take.
//
//orrery:limit scheduler; verdicts and scores of a profile that are kept for reuse, in bytes; those that were not used for the longest time go; less under GOMEMLIMIT
const reuseLimit = 64 << 20

// findLocals numbers the NodeLocal plugins. Without one, or if the options say so, nothing is reused.
func (p *Profile) findLocals() {
	r := &p.reuser
	found := map[string]int{}
	number := func(plugin fwk.Plugin) int {
		local, ok := plugin.(NodeLocal)
		if !ok {
			return -1
		}
		if _, known := found[plugin.Name()]; !known {
			found[plugin.Name()] = len(r.locals)
			r.locals = append(r.locals, local)
		}
		return found[plugin.Name()]
	}
	for i, s := range p.points.filter {
		s.position, s.local = i, number(s.plugin)
	}
	for i, s := range p.points.score {
		s.position, s.local, s.column = i, number(s.plugin), -1
		s.counts, _ = s.plugin.(NodeCountScore)
		if _, scaled := s.plugin.(ScaledScore); scaled {
			s.column = r.columns
			r.columns++
		}
	}
	if len(r.locals) > 0 && !p.deps.NoReuse {
		r.tables = reuse.New(reuseLimit)
	}
}

// ReuseStats count what was reused; they are zero if nothing may be.
func (p *Profile) ReuseStats() reuse.Stats {
	if p.reuser.tables == nil {
		return reuse.Stats{}
	}
	return p.reuser.tables.Stats().Plus(p.results.Stats())
}

// ShrinkReuse leaves what is kept for reuse a share of its bounds: a half, a quarter, and so on. It is called between two cycles.
func (p *Profile) ShrinkReuse(halvings int) {
	if p.reuser.tables != nil {
		p.reuser.tables.Limit(reuseLimit >> halvings)
	}
	p.results.Limit(resultLimit >> halvings)
}

// Reuse is one cycle's use of what earlier cycles computed about nodes for pods like this one. The profile makes one at a time.
type Reuse struct {
	profile  *Profile
	number   uint64 // of the cycle
	numNodes int
	state    *CycleState
	pod      *v1.Pod
	table    *reuse.Table
	refused  uint64 // NodeLocal plugins that do not sign the pod, as bits

	// local, others and byAmounts are the Filter plugins that are not skipped, stops how many verdicts ended at each position, or
	// passed.
	local, others []*entry[fwk.FilterPlugin]
	byAmounts     []amountsFilter // if the table is for pods of any requests
	classes       *reuse.AmountClasses
	judged        []amountsVerdict // by class of amounts
	summed        []amountsSum     // the same
	stops         []int
	bulk          bulk
	scorers       scorers
	totals        []int64

	// tree has the verdicts about these nodes, if they were not visited one by one.
	tree   *reuse.Tree
	nodes  []fwk.NodeInfo
	places []reuse.Place

	reused, computed int
}

// Reuse returns what may be reused for a pod after PreFilter; nil if nothing may be.
func (p *Profile) Reuse(state *CycleState, pod *v1.Pod, nodes Nodes) *Reuse {
	r := &p.reuser
	if r.tables == nil || state.recorder != nil {
		return nil
	}
	cycle := &r.cycle
	*cycle = Reuse{
		profile: p, number: cycle.number + 1, numNodes: len(nodes.Places()), state: state, pod: pod,
		judged: cycle.judged, summed: cycle.summed,
		local: cycle.local[:0], others: cycle.others[:0], byAmounts: cycle.byAmounts[:0], bulk: cycle.bulk,
		scorers: cycle.scorers, totals: cycle.totals,
		stops: append(cycle.stops[:0], make([]int, len(p.points.filter)+1)...),
	}
	if !cycle.sign() || !cycle.findTable(nodes) {
		return nil
	}
	for _, s := range p.filtersFor(state) {
		switch {
		case cycle.keeps(s):
			cycle.local = append(cycle.local, s)
		case !cycle.isLocal(s.local):
			cycle.others = append(cycle.others, s)
		}
	}
	cycle.bulk.begin(len(cycle.others))
	return cycle
}

// findTable finds the table of pods like this one, or else the one of pods that differ from it in their requests alone.
func (c *Reuse) findTable(nodes Nodes) bool {
	r, numbers := &c.profile.reuser, len(nodes.Amounts())
	if c.table = r.tables.Find(r.signature, numbers, r.columns); c.table == nil && c.takeAmounts() {
		c.table = r.tables.Find(r.signature[:r.rest], numbers, r.columns)
		c.followAmounts(nodes)
	}
	return c.table != nil
}

// sign makes the pod's signature. It returns false if a plugin panics over the pod: that shows when it is called.
func (c *Reuse) sign() (signed bool) {
	defer func() { signed = recover() == nil }()
	r := &c.profile.reuser
	r.signature = r.signature[:0]
	c.signWith(false)
	r.rest = len(r.signature)
	c.signWith(true)
	return true
}

// signWith has the plugins sign that look at amounts, or the others.
func (c *Reuse) signWith(amounts bool) {
	r := &c.profile.reuser
	for i, plugin := range r.locals {
		if usesAmounts(plugin) != amounts {
			continue
		}
		appended, ok := plugin.AppendSignature(r.signature, c.state, c.pod)
		if ok {
			r.signature = appended.Flag(true)
			continue
		}
		c.refused |= 1 << i
		r.signature = r.signature.Flag(false)
	}
}

// maxLocals is how many NodeLocal plugins may refuse a pod one by one; further ones are never reused.
const maxLocals = 64

func (c *Reuse) isLocal(local int) bool {
	return local >= 0 && local < maxLocals && c.refused&(1<<local) == 0
}

// keeps reports whether the table has a plugin's verdicts.
func (c *Reuse) keeps(s *entry[fwk.FilterPlugin]) bool {
	return c.isLocal(s.local) && (len(c.byAmounts) == 0 || !usesAmounts(s.plugin))
}

// filter computes the verdict of the NodeLocal plugins. It returns false if one fails: its error is not for reuse.
func (c *Reuse) filter(ctx context.Context, node fwk.NodeInfo, cell *reuse.Cell, generation int64) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	cell.Generation, cell.Status, cell.Stop = 0, nil, int32(len(c.profile.points.filter))
	for _, s := range c.local {
		status := s.plugin.Filter(ctx, c.state, c.pod, node)
		if status.IsSuccess() {
			continue
		}
		if !status.IsRejected() {
			return false
		}
		cell.Status, cell.Stop = withPlugin(status, s.Plugin), int32(s.position)
		break
	}
	cell.Generation = generation
	c.computed++
	return true
}

// Filtered counts the verdicts as calls of the plugins that they are of. It is called when no node is left to filter.
func (c *Reuse) Filtered() {
	c.countPasses()
	after := 0 // verdicts that ended at a position or after it
	for at := len(c.stops) - 1; at >= 0; at-- {
		after += c.stops[at]
		c.stops[at] = after
	}
	for _, s := range c.local {
		c.countCalls(s)
	}
	for i := range c.byAmounts {
		c.countCalls(c.byAmounts[i].entry)
	}
	c.count()
}

func (c *Reuse) countCalls(s *entry[fwk.FilterPlugin]) {
	s.Calls += uint64(c.stops[s.position])
	s.Rejections += uint64(c.stops[s.position] - c.stops[s.position+1])
}

// count adds this cycle's cells to the counts of the tables.
func (c *Reuse) count() {
	c.profile.reuser.tables.Count(c.reused, c.computed)
	c.reused, c.computed = 0, 0
}
