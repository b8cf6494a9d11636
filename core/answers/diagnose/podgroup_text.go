package diagnose

import (
	"fmt"
	"strings"

	"orrery/core/safe/plural"
	"orrery/core/world"
)

// placedOneByOne says of every answer about groups of 1.37 what Orrery does itself.
const placedOneByOne = "Orrery does not place groups of Kubernetes 1.37 as a unit yet: it schedules their pods one by one, and shows what the cluster's scheduler does"

// Held reports whether the group keeps pods waiting, or waits for pods or groups.
func (g *PodGroup) Held() bool {
	if g.Kind == world.CompositePodGroup {
		return g.Missing || g.Policy == "gang" && g.Complete < g.MinGroupCount || g.Placed < g.Pods
	}
	return !g.isComplete() || g.Placed < g.Pods
}

// Title names the group as orrery explain takes it.
func (g *PodGroup) Title() string { return strings.ToLower(string(g.Kind)) + " " + g.Name }

// Summary is how far the group is, in one sentence, with the most frequent cause.
func (g *PodGroup) Summary() string {
	text := g.head()
	if len(g.Causes) > 0 {
		text += "; " + plural.Count(g.Causes[0].Pods, "pod") + ": " + g.Causes[0].Message
	}
	return text
}

func (g *PodGroup) head() string {
	switch {
	case g.Missing:
		return fmt.Sprintf("does not exist, and %s and %s name it", plural.Count(g.Pods, "pod"), plural.Count(g.Groups, "group"))
	case g.Kind == world.CompositePodGroup && g.Policy == "gang":
		return fmt.Sprintf("of at least %s %d are complete, of %d that exist", plural.Count(g.MinGroupCount, "group"), g.Complete, g.Groups)
	case g.Kind == world.CompositePodGroup:
		return fmt.Sprintf("%d of %s are complete, each for itself", g.Complete, plural.Count(g.Groups, "group"))
	case g.Policy == "gang" && g.Pods < g.MinCount:
		return fmt.Sprintf("of at least %s %d exist, and %d have a place", plural.Count(g.MinCount, "pod"), g.Pods, g.Placed)
	case g.Policy == "gang":
		return fmt.Sprintf("of at least %s %d have a place, of %d that exist", plural.Count(g.MinCount, "pod"), g.Placed, g.Pods)
	}
	return fmt.Sprintf("%d of %s have a place, each for itself", g.Placed, plural.Count(g.Pods, "pod"))
}

// Links are what is known of the group: its members, why those without a node have none, where they would fit, and what the scheduler reports.
func (g *PodGroup) Links(string) []Link {
	return append([]Link{{Says: g.head(), Bad: g.Held()}}, g.details()...)
}

// details are the links but for how far the group is.
func (g *PodGroup) details() []Link {
	var links []Link
	for i := range g.Counts {
		links = append(links, Link{Depth: 1, Says: g.Counts[i].text()})
	}
	if len(g.Domains) > 0 {
		where := g.Topology[0] + " " + strings.Join(g.Domains[:min(len(g.Domains), maxShownDomains)], ", ")
		text := "those with a place are in " + where
		if len(g.Domains) > 1 {
			text += fmt.Sprintf(": %d domains, and one has to hold all", len(g.Domains))
		}
		links = append(links, Link{Depth: 1, Says: text, Bad: len(g.Domains) > 1})
	}
	for i := range g.Causes {
		c := &g.Causes[i]
		links = append(links, Link{Says: plural.Count(c.Pods, "pod") + " (" + plural.Listed(c.Names) + "): " + c.Message, Bad: true})
	}
	if g.Room != nil {
		links = append(links, g.Room.links()...)
	}
	for i := range g.Conditions {
		links = append(links, Link{Says: g.Conditions[i].text(), Bad: g.Conditions[i].Status == "False"})
	}
	if len(g.Within) > 0 {
		links = append(links, Link{Says: "part of " + strings.Join(g.Within, ", ")})
	}
	if text := g.rules(); text != "" {
		links = append(links, Link{Says: text})
	}
	return links
}

// rules are what the group asks for besides its number of pods.
func (g *PodGroup) rules() string {
	var parts []string
	for _, key := range g.Topology {
		parts = append(parts, "all pods in one "+key)
	}
	if g.Disruption != "" {
		parts = append(parts, "disruption mode "+g.Disruption)
	}
	return strings.Join(parts, ", ")
}

func (c *PodGroupReported) text() string {
	text := c.Type + " is " + c.Status
	for _, more := range []string{c.Reason, c.Message} {
		if more != "" {
			text += ": " + more
		}
	}
	return text
}

// links say where the pods would fit: in which domain, or which lacks least, and what.
func (r *PodGroupRoom) links() []Link {
	if len(r.Domains) == 0 {
		return []Link{{Says: "no node has the label " + r.Key + ", of which one domain has to hold all pods", Bad: true}}
	}
	best := &r.Domains[0]
	links := []Link{{Says: "tried together on a copy, with no other pod between them: " + r.verdict(), Bad: !r.Fits}}
	if best.First != "" {
		of := "the nodes"
		if r.Key != "" {
			of = "the " + plural.Count(best.Nodes, "node") + " of " + best.Domain
		}
		links = append(links, Link{Depth: 1, Says: best.First + " is the first without a place beside those before it; of " + of + ":", Bad: true})
		for _, why := range best.Why {
			links = append(links, Link{Depth: 2, Says: why, Bad: true})
		}
	}
	for i := 1; i < len(r.Domains) && !r.Fits; i++ {
		d := &r.Domains[i]
		links = append(links, Link{Depth: 1, Says: fmt.Sprintf("%s: %d of %d fit", d.Domain, d.Placed, r.Needed)})
	}
	if more := r.All - len(r.Domains); more > 0 && !r.Fits {
		links = append(links, Link{Depth: 1, Says: plural.Count(more, "more domain")})
	}
	return links
}

func (r *PodGroupRoom) verdict() string {
	best := &r.Domains[0]
	where := "on the nodes of the cluster"
	if r.Key != "" {
		where = "in " + r.Key + " " + best.Domain
	}
	text := fmt.Sprintf("%d of the %s needed fit %s", best.Placed, plural.Count(r.Needed, "pod"), where)
	switch {
	case r.Fits:
		return fmt.Sprintf("the %s needed fit %s", plural.Count(r.Needed, "pod"), where)
	case r.Key != "":
		text += ", which lacks least"
		if r.All == 1 {
			text = strings.TrimSuffix(text, ", which lacks least") + ", the only domain that may hold them"
		}
	}
	if r.Absent > 0 {
		text += fmt.Sprintf("; %d do not exist yet", r.Absent)
	}
	if best.Cut {
		text += "; the trial was too large, and ended before all were tried"
	}
	return text
}
