package fix

import (
	"slices"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// OfGang tries what may let a gang go, and says in the diagnosis whether it goes without. A gang that does needs no fix, unless that is
// chance: one in a deadlock may go, or the other one. A fix for it is one after which none of the two waits.
func OfGang(e *engine.Engine, g *diagnose.Gang) []Fix {
	if g.State != gangs.Pending && g.State != gangs.Waiting || g.Trial.Cut {
		return nil
	}
	of := gangTry{members: membersOf(e, g.Name), least: g.MinCount}
	if g.Deadlock() {
		for i := range g.Rivals {
			of.rivals = append(of.rivals, membersOf(e, g.Rivals[i].Name)...)
		}
	}
	each := [][]change.Change{nil}
	for _, c := range g.Candidates {
		each = append(each, c.Changes)
	}
	all := Try(e, each)
	goes := all[0].Err == nil && all[0].Placed(of.members) >= g.MinCount
	if g.Goes = &goes; goes && !g.Deadlock() {
		return nil
	}
	var fixes []Fix
	add := func(t *Tried, changes []change.Change, text string) {
		fixes = append(fixes, Fix{Changes: changes, Text: text, Effect: t.Effect(), Worse: t.Result().Worse(), Outcome: Outcome{Always: true}})
	}
	for i, c := range g.Candidates {
		if t := &all[1+i]; t.Err == nil && of.enough(t) {
			add(t, c.Changes, c.Text)
		}
	}
	if g.NodeLike != "" {
		if n, t := FewestNodes(e, g.NodeLike, 1, of.enough); t != nil {
			add(t, adding(g.NodeLike, []int{n})[0], addText(n, g.NodeLike))
		}
	}
	slices.SortStableFunc(fixes, func(a, b Fix) int { return a.smaller() - b.smaller() })
	return fixes
}

// smaller is 1 of a fix that has the gang be a smaller one, which its program may not be made for.
func (f *Fix) smaller() int {
	if f.Changes[0].Verb == change.SetMinCount {
		return 1
	}
	return 0
}

// gangTry is what a fix for a gang has to do: so many of its members have a place, and none of its rivals waits.
type gangTry struct {
	members, rivals []world.PodRef
	least           int
}

func (g *gangTry) enough(t *Tried) bool {
	least := g.least
	for _, c := range t.Result().Changes {
		if c.Verb == change.SetMinCount {
			least = c.Count
		}
	}
	return t.Placed(g.members) >= least && !t.strands() && !slices.ContainsFunc(g.rivals, func(pod world.PodRef) bool {
		return slices.ContainsFunc(t.results, func(r *whatif.Result) bool {
			p := changeOf(r, pod)
			return p != nil && p.With.Pending()
		})
	})
}

// membersOf returns the pods of a gang.
func membersOf(e *engine.Engine, name string) []world.PodRef {
	var pods []world.PodRef
	for _, key := range e.Gangs().Keys() {
		if key.FullName() == name {
			for _, m := range e.Gangs().Group(key).Members() {
				pods = append(pods, world.PodRefOf(m.Pod))
			}
		}
	}
	return pods
}
