package framework

import fwk "k8s.io/kube-scheduler/framework"

// PluginCount is how often a plugin was called at an extension point, and how often it turned a pod down there.
type PluginCount struct {
	Point             Point
	Plugin            string
	Calls, Rejections uint64
}

// Counts lists what the plugins of every extension point from PreFilter to PostBind did since the profile was made, in
// the order in which a pod meets them. PreEnqueue plugins are asked by the queue, which counts them.
func (p *Profile) Counts() []PluginCount {
	s := &p.stages
	list := make([]PluginCount, 0, 64)
	list = counts(list, PreFilter, s.preFilter)
	list = counts(list, Filter, s.filter)
	list = counts(list, PostFilter, s.postFilter)
	list = counts(list, PreScore, s.preScore)
	list = counts(list, Score, s.score)
	list = counts(list, Reserve, s.reserve)
	list = counts(list, Permit, s.permit)
	list = counts(list, PreBind, s.preBind)
	list = counts(list, Bind, s.bind)
	return counts(list, PostBind, s.postBind)
}

func counts[P fwk.Plugin](list []PluginCount, point Point, slots []*slot[P]) []PluginCount {
	for _, s := range slots {
		list = append(list, PluginCount{point, s.name, s.calls, s.rejections})
	}
	return list
}

// answeredBy counts a call that was made elsewhere.
func answeredBy[P fwk.Plugin](slots []*slot[P], plugin string, status *fwk.Status) {
	for _, s := range slots {
		if s.name == plugin {
			s.answered(status)
			return
		}
	}
}

// countOn takes over the counts of stages with the same plugins.
func (s *stages) countOn(old *stages) {
	countOn(s.preFilter, old.preFilter)
	countOn(s.filter, old.filter)
	countOn(s.postFilter, old.postFilter)
	countOn(s.preScore, old.preScore)
	countOn(s.score, old.score)
	countOn(s.reserve, old.reserve)
	countOn(s.permit, old.permit)
	countOn(s.preBind, old.preBind)
	countOn(s.bind, old.bind)
	countOn(s.postBind, old.postBind)
}

func countOn[P fwk.Plugin](slots, old []*slot[P]) {
	for i, s := range slots {
		s.calls, s.rejections = old[i].calls, old[i].rejections
	}
}
