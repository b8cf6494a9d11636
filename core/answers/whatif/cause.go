package whatif

import (
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/cause"
	"orrery/core/answers/change"
	"orrery/core/scheduler/config"
)

// Cause is a rule or a feature gate that makes the difference for pods of an upgrade; several if none of them does alone. Pods counts them.
type Cause struct {
	Factors []cause.Factor
	Pods    int
}

// maxCauseDecisions bounds the decisions of all runs that look for the causes of one upgrade.
//
//orrery:limit answers; decisions of all runs of a what-if that find out which rules of an upgrade make the difference; the rest is not tried
const maxCauseDecisions = 100_000

// explainUpgrade finds which rules and gates make the difference, if the changes are an upgrade alone: it is evaluated without some of them.
func (a *Result) explainUpgrade(start, plain, upgraded *run) {
	if len(a.Changes) != 1 || a.Changes[0].Verb != change.Upgrade || len(a.Pods) == 0 {
		return
	}
	is, was := upgraded.engine.Features(), plain.engine.Features()
	decisions := upgraded.decisions
	search := cause.Search[map[types.UID]ChangeKind]{Try: func(off []cause.Factor) (map[types.UID]ChangeKind, int, string) {
		if decisions+upgraded.decisions > maxCauseDecisions {
			return nil, 0, "the runs before took too many decisions"
		}
		features, why := cause.Without(is, was, off)
		if why != "" {
			return nil, 0, why
		}
		r, err := start.under(features)
		if err != nil {
			return nil, 0, err.Error()
		}
		r.toRest()
		decisions += r.decisions
		without := compareRuns(start.base, a.Changes, plain, r)
		return without.kinds(), a.changes(without), ""
	}}
	search.Among(cause.Factors(is, was))
	of, counts := search.Attribute(len(a.Pods), func(without map[types.UID]ChangeKind, pod int) bool {
		kind, differs := without[a.Pods[pod].Pod.UID]
		return !differs || kind != a.Pods[pod].Kind && !kind.Bad()
	})
	for i, found := range search.Found {
		a.Causes = append(a.Causes, Cause{found.Factors, counts[i]})
	}
	for i, c := range of {
		if c != cause.Together {
			a.Pods[i].Cause = a.Causes[c].String()
		}
	}
	a.NotTried = search.NotTried
}

// under returns a copy of the run whose scheduler has just started under other features.
func (r *run) under(features config.Features) (*run, error) {
	f, err := r.fork()
	if err != nil {
		return nil, err
	}
	return f, f.restart(features)
}

// kinds returns how the outcomes of pods differ.
func (a *Result) kinds() map[types.UID]ChangeKind {
	all := map[types.UID]ChangeKind{}
	for _, p := range a.Pods {
		all[p.Pod.UID] = p.Kind
	}
	return all
}

// changes counts the pods that end otherwise in another result.
func (a *Result) changes(other *Result) (n int) {
	nodes := map[types.UID]PodChange{}
	for _, p := range other.Pods {
		nodes[p.Pod.UID] = p
	}
	for _, p := range a.Pods {
		if o, there := nodes[p.Pod.UID]; !there || o.Kind != p.Kind || o.With.Node != p.With.Node {
			n++
		}
		delete(nodes, p.Pod.UID)
	}
	return n + len(nodes)
}

// String names what makes the difference.
func (c Cause) String() string { return cause.Name(c.Factors) }
