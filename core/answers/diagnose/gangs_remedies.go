package diagnose

import (
	"fmt"
	"strings"

	"orrery/core/answers/change"
	"orrery/core/scheduler/gangs"
)

// maxGangTried bounds the candidates of each kind.
//
//orrery:limit answers; remedies for a gang of each kind that are tried; the others are not
const maxGangTried = 3

// propose collects what might let the gang go: the ends of the gangs in its way, what would help its first member without a place, a
// smaller gang, and more nodes. A gang that was too large to be tried together is too large for this.
func (s *gangSearch) propose(g *Gang) {
	if g.Trial.Cut {
		return
	}
	for i := range g.Rivals {
		if r := &g.Rivals[i]; r.HoldsRoom && len(g.Candidates) < maxGangTried {
			g.Candidates = append(g.Candidates, deleting(r.Name))
		}
	}
	if len(g.Together) > 0 {
		g.Candidates = append(g.Candidates, deleting(g.Together...))
	}
	ofMember := 0
	for _, r := range s.candidates {
		switch {
		case r.Change.Verb == change.AddNodes && g.NodeLike == "":
			g.NodeLike = r.Change.Name
		case !ofPod(r.Change) && !ofClaim(r.Change) && r.Change.Verb != change.AddNodes && ofMember < maxGangTried:
			ofMember++
			g.Candidates = append(g.Candidates, Combination{Changes: []change.Change{r.Change}, Text: r.Text})
		}
	}
	if least := g.Placed + g.Trial.Placed; least > 0 && least < g.MinCount {
		group := gangs.Key{Namespace: s.key.Namespace, Workload: s.key.Workload, Group: s.key.Group}
		g.Candidates = append(g.Candidates, Combination{
			Changes: []change.Change{{Verb: change.SetMinCount, Name: group.FullName(), Count: least}},
			Text:    fmt.Sprintf("create its workload again with a minCount of %d only", least),
		})
	}
}

func deleting(names ...string) Combination {
	c := Combination{Text: "delete gang " + strings.Join(names, " and gang ")}
	for _, name := range names {
		c.Changes = append(c.Changes, change.Change{Verb: change.DeleteGang, Name: name})
	}
	return c
}
