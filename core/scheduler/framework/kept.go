package framework

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/reuse"
)

// KeptVerdicts are the Filter verdicts that a profile keeps for pods like one.
type KeptVerdicts struct {
	// Afresh are the Filter plugins that are called for every such pod, and whose verdicts are never kept.
	Afresh []string

	table *reuse.Table
}

// KeptVerdicts returns what the profile keeps for pods like one. The cycle is one of a fork of the profile, after PreFilter.
func (p *Profile) KeptVerdicts(fork *Profile, state *CycleState, pod *v1.Pod) KeptVerdicts {
	c := Reuse{profile: fork, state: state, pod: pod}
	if p.reuser.tables == nil || !c.sign() {
		return KeptVerdicts{}
	}
	signature := fork.reuser.signature
	kept := KeptVerdicts{table: p.reuser.tables.Look(signature)}
	if kept.table == nil && c.takeAmounts() {
		kept.table = p.reuser.tables.Look(signature[:fork.reuser.rest])
	}
	for _, s := range fork.filtersFor(state) {
		if !c.keeps(s) {
			kept.Afresh = append(kept.Afresh, s.Plugin)
		}
	}
	return kept
}

// Has reports whether the verdict on a node is kept, which is so while the node has the generation of it.
func (k KeptVerdicts) Has(place reuse.Place) bool { return k.table.Knows(place) }
