package views

import (
	"strconv"
	"strings"
)

// withoutPodGroups are the columns that groups of 1.35 have nothing for.
func withoutPodGroups(m *Model) []int {
	if m.Gangs != nil && m.Gangs.PodGroups {
		return nil
	}
	return []int{partOfColumn, topologyColumn}
}

// The indexes of the columns of PodGroups.
const partOfColumn, topologyColumn = 7, 8

// oneByOne says why pods of groups are placed one by one here; empty if they are not.
func (g *Gangs) oneByOne() string {
	switch {
	case g.PodGroups:
		return "PodGroups are shown as another scheduler places them: here, their pods are placed one by one"
	case g.GateOff:
		return "the feature gate GangScheduling is off: pods are placed one by one"
	}
	return ""
}

// topologyWords are the constraints of a PodGroup, with the domains in which its pods are.
func (g *GangRow) topologyWords() string {
	var words []string
	for _, t := range g.Topology {
		words = append(words, t.words())
	}
	return strings.Join(words, ", ")
}

func (t *GroupTopology) words() string {
	if t.Domains == "" {
		return "one " + t.Key
	}
	return t.Key + " " + t.Domains
}

// podGroupDetail is what a PodGroup has beyond a gang of 1.35; empty for that.
func podGroupDetail(g *GangRow) string {
	if !g.WithPodGroup {
		return ""
	}
	parts := []string{labelled("part of", g.Path), labelled("topology", g.topologyWords())}
	if g.Disruption != "" {
		parts = append(parts, "disruption mode "+g.Disruption)
	}
	parts = append(parts, labelled("claims", strings.Join(g.Claims, ", ")))
	for i := range g.Conditions {
		parts = append(parts, g.Conditions[i].words())
	}
	for i := range g.Above {
		parts = append(parts, g.Above[i].words())
	}
	return joinDetails(parts...)
}

// words are a condition as "kubectl describe" has it in one line.
func (c *GroupCondition) words() string {
	text := c.Type + " " + c.Status
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	if c.Message != "" {
		text += ": " + c.Message
	}
	return text
}

func (a *GroupAbove) words() string {
	policy := "each of its groups for itself"
	if a.Least > 0 {
		policy = "at least " + strconv.Itoa(a.Least) + " of its groups together"
	}
	parts := []string{policy}
	for _, key := range a.Topology {
		parts = append(parts, "one "+key)
	}
	for i := range a.Conditions {
		parts = append(parts, a.Conditions[i].words())
	}
	return "CompositePodGroup " + a.Name + ": " + strings.Join(parts, ", ")
}
