package framework

import (
	"context"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
)

// bulk is what plugins that look at other nodes say of many nodes at once, see [BulkFilter] and [BulkScore].
type bulk struct {
	places []reuse.Place
	// verdicts and rejections are by the index of the plugin among the others. A plugin without verdicts is called.
	verdicts   [][]uint8
	rejections [][]*fwk.Status
	buffers    [][]uint8
	scores     []int64

	// rejected is 0 for the nodes that pass without a call of a plugin, passed how many of them Passing has told of.
	rejected []uint8
	passed   int
}

// begin forgets the last cycle's verdicts.
func (b *bulk) begin(others int) {
	b.places, b.passed = nil, 0
	b.verdicts = append(b.verdicts[:0], make([][]uint8, others)...)
	b.rejections = append(b.rejections[:0], make([][]*fwk.Status, others)...)
	for len(b.buffers) < others {
		b.buffers = append(b.buffers, nil)
	}
}

// Expect announces the next nodes for Filter.
func (c *Reuse) Expect(places []reuse.Place) {
	b := &c.bulk
	b.places = places
	for i, s := range c.others {
		b.verdicts[i] = nil
		if plugin, ok := s.plugin.(BulkFilter); ok && !c.timed() {
			c.filterBulk(i, s.Plugin, plugin)
		}
	}
	c.findRejected()
}

// findRejected finds which of the expected nodes pass without a call of any plugin.
func (c *Reuse) findRejected() {
	b := &c.bulk
	b.rejected = slices.Grow(b.rejected[:0], len(b.places))[:len(b.places)]
	for i := range b.places {
		b.rejected[i] = 1
		cell := c.table.Cell(b.places[i].Number)
		if cell.Status == nil && cell.Generation == b.places[i].Generation {
			b.rejected[i] = 0
		}
	}
	c.rejectByAmounts(b.places, b.rejected)
	for _, verdicts := range b.verdicts {
		if verdicts == nil {
			b.rejected = b.rejected[:0] // a plugin has to be called
			return
		}
		for i := range b.rejected {
			b.rejected[i] |= verdicts[i]
		}
	}
}

// Withhold has Filter say about an expected node, by its index.
func (c *Reuse) Withhold(i int) {
	if i < len(c.bulk.rejected) {
		c.bulk.rejected[i] = 1
	}
}

// Passing is how many of the expected nodes pass from an index on, as far as is known, and up to so many; of the next one Filter has
// to say. It stands for as many calls of Filter.
func (c *Reuse) Passing(from, most int) int {
	b := &c.bulk
	if from >= len(b.rejected) || most == 0 {
		return 0
	}
	rest := b.rejected[from:min(from+most, len(b.rejected))]
	n := 0
	for n < len(rest) && rest[n] == 0 {
		n++
	}
	b.passed += n
	return n
}

// countPasses counts the nodes that pass as calls of the plugins.
func (c *Reuse) countPasses() {
	passed := c.bulk.passed
	c.stops[len(c.stops)-1] += passed
	c.reused += passed
	for _, s := range c.others {
		s.Calls += uint64(passed)
	}
	c.bulk.passed = 0
}

// timed reports whether single calls of plugins are timed in this cycle, which needs them one by one.
func (c *Reuse) timed() bool { return c.profile.onTiming != nil && c.state.ShouldRecordPluginMetrics() }

// filterBulk has one plugin judge the expected nodes. If it panics, it is called for each node, where that is reported.
func (c *Reuse) filterBulk(i int, name string, plugin BulkFilter) {
	defer func() { _ = recover() }()
	b := &c.bulk
	b.buffers[i] = slices.Grow(b.buffers[i][:0], len(b.places))[:len(b.places)]
	clear(b.buffers[i])
	rejections, ok := plugin.FilterPlaces(c.state, b.places, b.buffers[i])
	if !ok {
		return
	}
	b.rejections[i] = b.rejections[i][:0]
	for _, status := range rejections {
		b.rejections[i] = append(b.rejections[i], withPlugin(status, name))
	}
	b.verdicts[i] = b.buffers[i]
}

// Filter is RunFilterPlugins of an expected node, by its index. It calls the plugins that are not NodeLocal and do not judge many
// nodes at once, and the NodeLocal ones if the node has changed.
func (c *Reuse) Filter(ctx context.Context, node fwk.NodeInfo, i int) *fwk.Status {
	at := &c.bulk.places[i]
	cell := c.table.Cell(at.Number)
	if cell.Generation == at.Generation {
		c.reused++
	} else if !c.filter(ctx, node, cell, at.Generation) {
		return c.profile.RunFilterPlugins(ctx, c.state, c.pod, node)
	}
	rejection, stop := cell.Status, int(cell.Stop)
	if len(c.byAmounts) > 0 {
		if v := c.judgeAmounts(c.classes.Of(at.Number)); v.position >= 0 && v.position < stop {
			rejection, stop = v.rejection, v.position
		}
	}
	for k, s := range c.others {
		if s.position > stop {
			break
		}
		var status *fwk.Status
		if verdicts := c.bulk.verdicts[k]; verdicts == nil {
			status = c.profile.filterBy(ctx, c.state, c.pod, node, c.others[k:k+1], nil, false)
		} else if s.Calls++; verdicts[i] != 0 {
			s.Rejections++
			status = c.bulk.rejections[k][verdicts[i]-1]
		}
		if status != nil {
			c.stops[s.position]++
			return status
		}
	}
	c.stops[stop]++
	return rejection
}

// RunPreScorePlugins is that of the profile. places[i] is that of nodes[i].
func (c *Reuse) RunPreScorePlugins(ctx context.Context, nodes []fwk.NodeInfo, places []reuse.Place) *fwk.Status {
	return c.profile.runPreScore(ctx, c.state, c.pod, nodes, places)
}

// addBulk adds the scores of those of the other plugins that score all nodes at once. The others are left.
func (c *Reuse) addBulk(places []reuse.Place) {
	left := c.scorers.others[:0]
	for _, s := range c.scorers.others {
		if plugin, ok := s.plugin.(BulkScore); !ok || c.timed() || !c.scoreBulk(plugin, places) {
			left = append(left, s)
			continue
		}
		s.Calls += uint64(len(places))
		for i, score := range c.bulk.scores {
			c.totals[i] += score * s.weight
		}
	}
	c.scorers.others = left
}

// scoreBulk has one plugin score the nodes. It returns false if the plugin has to be called for each node, since it cannot, panics,
// or gives a score that is none.
func (c *Reuse) scoreBulk(plugin BulkScore, places []reuse.Place) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	b := &c.bulk
	b.scores = slices.Grow(b.scores[:0], len(places))[:len(places)]
	if !plugin.ScorePlaces(c.state, places, b.scores) {
		return false
	}
	for _, score := range b.scores {
		if score > fwk.MaxNodeScore || score < fwk.MinNodeScore {
			return false
		}
	}
	return true
}
