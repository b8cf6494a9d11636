package framework

import fwk "k8s.io/kube-scheduler/framework"

// reusable is what the plugins of a profile allow to reuse, found out once.
type reusable struct {
	locals  []localPlugin
	columns int // scaled scores
}

type localPlugin struct {
	plugin      NodeLocal
	usesAmounts bool
}

// filterReuse is how the verdicts of a Filter plugin may be reused.
type filterReuse struct {
	local       int // among the profile's NodeLocal plugins; -1 for all others
	usesAmounts bool
	amounts     AmountsFilter // nil if it is none
	classes     ClassFilter
}

// scoreReuse is how the scores of a Score plugin may be reused.
type scoreReuse struct {
	local       int
	usesAmounts bool
	column      int // of scaled scores in a table; -1 if it has none
	amounts     AmountsScore
	classes     ClassScore
	counts      NodeCountScore // if its scores also follow from the number of nodes
	reversed    bool           // see ScaledScore
}

// preScoreReuse is which nodes PreScore of a plugin needs.
type preScoreReuse struct {
	local    int
	nodeless NodelessPreScore
	classes  ClassPreScore
}

// reusable finds what the plugins allow.
func (e *extensionPoints) reusable() (r reusable) {
	found := map[string]int{}
	number := func(plugin fwk.Plugin) (local int, amounts bool) {
		p, ok := plugin.(NodeLocal)
		if !ok {
			return -1, false
		}
		at, known := found[plugin.Name()]
		if !known {
			at = len(r.locals)
			found[plugin.Name()] = at
			r.locals = append(r.locals, localPlugin{p, usesAmounts(plugin)})
		}
		return at, r.locals[at].usesAmounts
	}
	for i, s := range e.filter {
		s.position = i
		u := &s.filterReuse
		u.local, u.usesAmounts = number(s.plugin)
		u.amounts, _ = s.plugin.(AmountsFilter)
		u.classes, _ = s.plugin.(ClassFilter)
	}
	for _, s := range e.preScore {
		u := &s.preScoreReuse
		u.local, _ = number(s.plugin)
		u.nodeless, _ = s.plugin.(NodelessPreScore)
		u.classes, _ = s.plugin.(ClassPreScore)
	}
	for _, s := range e.score {
		u := &s.scoreReuse
		u.local, u.usesAmounts = number(s.plugin)
		u.column = -1
		u.amounts, _ = s.plugin.(AmountsScore)
		u.classes, _ = s.plugin.(ClassScore)
		u.counts, _ = s.plugin.(NodeCountScore)
		if scaled, is := s.plugin.(ScaledScore); is {
			u.column, u.reversed = r.columns, scaled.Reversed()
			r.columns++
		}
	}
	return r
}
