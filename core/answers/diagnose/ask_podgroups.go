package diagnose

import (
	"fmt"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// AskPodGroup answers about a PodGroup; nil if it does not exist, and no pod names it.
func AskPodGroup(e *engine.Engine, namespace, name string, q Question) (*answer.Answer, error) {
	g, err := PodGroupOf(e, namespace, name)
	if g == nil || err != nil {
		return nil, err
	}
	a := &answer.Answer{PodGroup: &answer.Ref{Namespace: namespace, Name: name, UID: uidOf(e, world.PodGroup, namespace, name)}}
	return ofPodGroups(a, g.Title(), []*PodGroup{g}, q), nil
}

// AskCompositePodGroup answers about a CompositePodGroup and the groups in it; nil if it does not exist, and no group names it.
func AskCompositePodGroup(e *engine.Engine, namespace, name string, q Question) (*answer.Answer, error) {
	g, inside, err := treeOf(e, namespace).diagnose(name, map[string]bool{})
	if err != nil || g.Missing && len(inside) == 0 {
		return nil, err
	}
	a := &answer.Answer{CompositePodGroup: &answer.Ref{Namespace: namespace, Name: name, UID: uidOf(e, world.CompositePodGroup, namespace, name)}}
	return ofPodGroups(a, g.Title(), append([]*PodGroup{g}, inside...), q), nil
}

// AskWorkloadGroups answers about the groups of a workload of 1.37; nil if it has none.
func AskWorkloadGroups(e *engine.Engine, namespace, name string, q Question) (*answer.Answer, error) {
	groups, err := treeOf(e, namespace).roots(name)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	return ofPodGroups(&answer.Answer{Workload: &answer.Ref{Namespace: namespace, Name: name}}, "workload "+namespace+"/"+name, groups, q), nil
}

func uidOf(e *engine.Engine, kind world.Kind, namespace, name string) string {
	if o := e.Store().Object(kind, namespace, name); o != nil {
		return string(o.GetUID())
	}
	return ""
}

// ofPodGroups puts groups into an answer: one is the answer, of several each is a part.
func ofPodGroups(a *answer.Answer, title string, groups []*PodGroup, q Question) *answer.Answer {
	a.PodGroups, a.Title = []answer.Chain{}, title
	held := 0
	for _, g := range groups {
		told := &ToldPodGroup{g, g.Summary()}
		part := answer.Words{Title: g.Title(), Headline: told.Summary}
		part.Section("Group", g.details()...)
		a.PodGroups, a.Parts = append(a.PodGroups, told), append(a.Parts, part)
		if g.Held() {
			held++
		}
	}
	a.Headline = fmt.Sprintf("%d of %s wait for pods or places", held, plural.Count(len(groups), "group"))
	if len(groups) == 1 {
		a.Headline, a.Sections, a.Parts = a.Parts[0].Headline, a.Parts[0].Sections, nil
	}
	a.Yes = held == 0
	if a.Settled = a.Yes; !a.Yes && q.Unled != "" {
		a.Headline, a.Then = q.Unled, []string{a.Headline}
	}
	a.Named("note", placedOneByOne)
	return a
}

// ToldPodGroup is a group with what is said of it.
type ToldPodGroup struct {
	*PodGroup
	Summary string `json:"summary"`
}
