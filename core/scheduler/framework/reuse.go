package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// reuser is what a profile keeps for reuse: what its plugins allow, the tables of their verdicts and scores, and room for one
// cycle's use of a table.
type reuser struct {
	reusable
	tables    *reuse.Tables
	amounts   reuse.AmountClasses
	signature reuse.Signature
	rest      int // how much of the signature is of plugins that do not look at amounts
	cycle     Reuse
}

// reuseLimit is how many bytes a profile's tables may take.
//
//orrery:limit scheduler; verdicts and scores of a profile that are kept for reuse, in bytes; those that were not used for the longest time go; less under GOMEMLIMIT
const reuseLimit = 64 << 20

// findLocals finds what the plugins allow. Without a NodeLocal one, or if the options say so, nothing is reused.
func (p *Profile) findLocals() {
	r := &p.reuser
	r.reusable = p.points.reusable()
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

// Nodes are the nodes of a snapshot, with what is reused of them.
type Nodes interface {
	reuse.ChangedNodes
	// Places are the places of the nodes of List.
	Places() []reuse.Place
	// Amounts are the amounts of the nodes by the numbers of their places.
	Amounts() []reuse.Amounts
}

// Reuse is one cycle's use of what earlier cycles computed about nodes for pods like this one. The profile makes one at a time.
type Reuse struct {
	profile *Profile
	number  uint64 // of the cycle
	state   *CycleState
	pod     *v1.Pod
	nodes   []fwk.NodeInfo
	places  []reuse.Place
	table   *reuse.Table
	refused uint64 // NodeLocal plugins that do not sign the pod, as bits

	// The Filter plugins that are not skipped: the table has the verdicts of those of kept, the classes those of amounts and classed,
	// and those of called are called.
	kept    []*entry[fwk.FilterPlugin]
	amounts []amountsFilter // if the table is for pods of any requests
	classed []classedFilter
	called  []*entry[fwk.FilterPlugin]

	ctx       context.Context
	nominated reuse.Bitmap     // nodes that pods are nominated for
	evaluated []amountsVerdict // by class of amounts
	found     reuse.Found
	alone     []*fwk.Status // of the nodes evaluated one by one, in the order of the search; nil if they are feasible
	stops     []int         // how many verdicts ended at each position of a plugin, or passed
	scorers   scorers

	reused, computed int
}

// Reuse returns what may be reused for a pod after PreFilter; nil if nothing may be.
func (p *Profile) Reuse(state *CycleState, pod *v1.Pod, nodes Nodes) *Reuse {
	r := &p.reuser
	if r.tables == nil || state.recorder != nil {
		return nil
	}
	list, err := nodes.List()
	if err != nil {
		return nil
	}
	// There is one Reuse for all cycles, since a cycle ends before the next begins. It is overwritten here, but for its memory.
	cycle := &r.cycle
	*cycle = Reuse{
		profile: p, number: cycle.number + 1, state: state, pod: pod, nodes: list, places: nodes.Places(),
		kept: cycle.kept[:0], amounts: cycle.amounts[:0], classed: cycle.classed[:0], called: cycle.called[:0],
		evaluated: cycle.evaluated, found: cycle.found, alone: cycle.alone[:0], scorers: cycle.scorers,
		stops: append(cycle.stops[:0], make([]int, len(p.points.filter)+1)...),
	}
	if !cycle.sign() || !cycle.findTable(nodes) {
		return nil
	}
	cycle.table.Follow(cycle.places, nodes, len(p.points.filter))
	cycle.sortFilters()
	return cycle
}

// findTable finds the table of pods like this one, or else the one of pods that differ from it in their requests alone.
func (c *Reuse) findTable(nodes Nodes) bool {
	r, numbers := &c.profile.reuser, len(nodes.Amounts())
	if c.table = r.tables.Find(r.signature, numbers, r.columns); c.table == nil && c.takeAmounts() {
		c.table = r.tables.Find(r.signature[:r.rest], numbers, r.columns)
		r.amounts.Follow(c.places, nodes.Amounts(), nodes)
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
	for i := range r.locals {
		local := &r.locals[i]
		if local.usesAmounts != amounts {
			continue
		}
		appended, ok := local.plugin.AppendSignature(r.signature, c.state, c.pod)
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

// timed reports whether single calls of plugins are timed in this cycle, which needs them one by one.
func (c *Reuse) timed() bool { return c.profile.onTiming != nil && c.state.ShouldRecordPluginMetrics() }

// Found are the nodes that Search found.
func (c *Reuse) Found() *reuse.Found { return &c.found }

// filter computes the verdict of the kept plugins. It returns false if one fails: its error is not for reuse.
func (c *Reuse) filter(position int, cell *reuse.Cell) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	// Until the end the cell knows nothing: an error or a panic below leaves no half of a verdict.
	cell.Generation, cell.Status, cell.Stop = 0, nil, int32(len(c.profile.points.filter))
	for _, s := range c.kept {
		status := s.plugin.Filter(c.ctx, c.state, c.pod, c.nodes[position])
		if status.IsSuccess() {
			continue
		}
		if !status.IsRejected() {
			return false
		}
		cell.Status, cell.Stop = withPlugin(status, s.Plugin), int32(s.position)
		break
	}
	cell.Generation = c.places[position].Generation
	c.computed++
	return true
}

// count adds this cycle's cells to the counts of the tables.
func (c *Reuse) count() {
	c.profile.reuser.tables.Count(c.reused, c.computed)
	c.reused, c.computed = 0, 0
}
