package diagnose

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/volumes"
)

// Blocker is one reason against nodes which the volumes of the pod allow.
type Blocker struct {
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
	Says   string `json:"message"`

	names     []string
	predicate bool // Says is a clause whose subject is the nodes
}

// passing returns the nodes of which all rejections are as wanted.
func passing(x *engine.Explanation, wanted func(engine.PluginStatus) bool) []*engine.NodeVerdict {
	var nodes []*engine.NodeVerdict
	for i := range x.Nodes {
		if !slices.ContainsFunc(x.Nodes[i].Statuses, func(s engine.PluginStatus) bool { return s.Rejects() && !wanted(s) }) {
			nodes = append(nodes, &x.Nodes[i])
		}
	}
	return nodes
}

// blockers groups nodes by all the reasons that reject them. A node may have several.
func (p *pendingPod) blockers(x *engine.Explanation, nodes []*engine.NodeVerdict) []Blocker {
	list := []Blocker{}
	for _, n := range nodes {
		for _, s := range n.Statuses {
			if !s.Rejects() {
				continue
			}
			for _, reason := range s.Reasons {
				at := slices.IndexFunc(list, func(b Blocker) bool { return b.Plugin == s.Plugin && b.Reason == reason })
				if at < 0 {
					at, list = len(list), append(list, Blocker{Plugin: s.Plugin, Reason: reason})
				}
				list[at].Nodes++
				list[at].names = append(list[at].names, n.Node)
			}
		}
	}
	for i := range list {
		list[i].Says = p.blockerText(x, &list[i])
	}
	slices.SortStableFunc(list, func(a, b Blocker) int { return b.Nodes - a.Nodes })
	return list
}

// blockerText says what the reason is on its nodes alone.
func (p *pendingPod) blockerText(x *engine.Explanation, b *Blocker) string {
	r := &Reason{Plugin: b.Plugin, Message: b.Reason, OnlyOn: b.names}
	if own := found(x.Evidence(b.Plugin, b.names), r); len(own) > 0 {
		b.predicate = true
		clauses := make([]string, len(own))
		for i := range own {
			clauses[i] = own[i].Predicate
		}
		if len(own) > 1 { // each is of some of the nodes
			return listed(clauses)
		}
		return clauses[0]
	}
	evidence := p.evidenceOf(x, r)
	if evidence != nil {
		if facts := evidence.Facts(); len(facts) > 0 {
			return facts[0]
		}
	}
	return b.Reason
}

// blockedSentence continues the beginning with the reasons against the allowed nodes: those against all of them if there are any.
func blockedSentence(allowed int, blocked []Blocker, lead, nodes string) string {
	if every := ofAll(allowed, blocked); len(every) > 0 {
		blocked = every
	}
	switch {
	case allowed == 0:
		return lead + "; no node is there"
	case len(blocked) == 0:
		return lead
	case len(blocked) == 1 && blocked[0].Nodes == allowed && blocked[0].predicate:
		return lead + "; " + nodes + " " + blocked[0].Says
	}
	return lead + "; " + strings.TrimSuffix(nodes, ",") + ": " + blockedText(allowed, blocked)
}

// ofAll are the reasons against all of the allowed nodes.
func ofAll(allowed int, blocked []Blocker) []Blocker {
	return slices.DeleteFunc(slices.Clone(blocked), func(b Blocker) bool { return b.Nodes < allowed })
}

// blockedText lists the reasons against the allowed nodes, with the number of nodes where it is not all of them.
func blockedText(allowed int, blocked []Blocker) string {
	parts := make([]string, len(blocked))
	for i, b := range blocked {
		parts[i] = b.Says
		switch {
		case b.predicate && b.Nodes == allowed && b.Nodes > 1:
			parts[i] = "all " + b.Says
		case b.predicate && b.Nodes == 1:
			parts[i] = b.names[0] + " " + b.Says
		case b.predicate:
			parts[i] = fmt.Sprintf("%d %s", b.Nodes, b.Says)
		case b.Nodes == allowed:
		default:
			parts[i] = fmt.Sprintf("%d: %s", b.Nodes, b.Says)
		}
	}
	return strings.Join(parts, "; ")
}

// nodesText names nodes: by their zone if they are all of it, else by their names.
func (p *pendingPod) nodesText(nodes []*engine.NodeVerdict) string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Node
	}
	slices.Sort(names)
	if zone := p.zoneOf(names); zone != "" && len(names) > 1 {
		return fmt.Sprintf("the %d nodes of %s", len(names), volumes.ZoneName(zone))
	}
	if len(names) == 1 {
		return "the only node there, " + names[0] + ","
	}
	return fmt.Sprintf("the %d nodes there (%s)", len(names), listed(names))
}

// zoneOf returns the zone that consists of just these nodes; empty if there is none.
func (p *pendingPod) zoneOf(names []string) string {
	zone := p.zone(names[0])
	all := 0
	for name := range p.nodes {
		if p.zone(name) == zone {
			all++
		}
	}
	if zone == "" || all != len(names) || slices.ContainsFunc(names, func(name string) bool { return p.zone(name) != zone }) {
		return ""
	}
	return zone
}

func (p *pendingPod) zone(node string) string {
	return p.nodes[node].Node().Labels[v1.LabelTopologyZone]
}
