package framework

import fwk "k8s.io/kube-scheduler/framework"

// PluginCount is how often a plugin was called at an extension point, and how often it rejected a pod there, since the
// profile was made or the one that it was forked from.
type PluginCount struct {
	Point             Point
	Plugin            string
	Calls, Rejections uint64
}

// Counts lists what the plugins of every extension point from PreFilter to PostBind did, in the order in which a pod
// meets them. The queue calls PreEnqueue plugins and counts their calls. PreFilter and PreScore calls that return Skip are
// not counted.
func (p *Profile) Counts() []PluginCount {
	list := make([]PluginCount, 0, len(p.points.counts))
	for _, count := range p.points.counts {
		if count.Point != PreEnqueue && count.Point != QueueSort {
			list = append(list, *count)
		}
	}
	return list
}

// countCall counts a call. A nil status is the most frequent one.
func (c *PluginCount) countCall(status *fwk.Status) {
	c.Calls++
	if status != nil && status.IsRejected() {
		c.Rejections++
	}
}

// countCallOf counts a call that the engine made.
func countCallOf[P fwk.Plugin](entries []*entry[P], plugin string, status *fwk.Status) {
	for _, e := range entries {
		if e.Plugin == plugin {
			e.countCall(status)
			return
		}
	}
}

// listCounts lists the counts of all entries in the order in which a pod meets the points.
func (s *extensionPoints) listCounts() {
	s.counts = appendCounts(nil, s.preEnqueue)
	s.counts = appendCounts(s.counts, s.queueSort)
	s.counts = appendCounts(s.counts, s.preFilter)
	s.counts = appendCounts(s.counts, s.filter)
	s.counts = appendCounts(s.counts, s.postFilter)
	s.counts = appendCounts(s.counts, s.preScore)
	s.counts = appendCounts(s.counts, s.score)
	s.counts = appendCounts(s.counts, s.reserve)
	s.counts = appendCounts(s.counts, s.permit)
	s.counts = appendCounts(s.counts, s.preBind)
	s.counts = appendCounts(s.counts, s.bind)
	s.counts = appendCounts(s.counts, s.postBind)
}

func appendCounts[P fwk.Plugin](list []*PluginCount, entries []*entry[P]) []*PluginCount {
	for _, e := range entries {
		list = append(list, &e.PluginCount)
	}
	return list
}
