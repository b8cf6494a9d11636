package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/scheduler/plugins/volumezone"
)

// Storage is the chain from a pod over its claims, their classes and volumes to the nodes that the volumes reach, with what
// each link says.
type Storage struct {
	Claims []ClaimLink `json:"claims"`
	// Nodes were filtered; of them Allowed are those where storage lets the pod run, or would but for what is in Blocked.
	Nodes   int `json:"nodes"`
	Allowed int `json:"allowed"`
	// Blocked are the reasons against the allowed nodes; a node may be under several.
	Blocked []Blocker `json:"blocked"`
	// Says is the sentence that puts storage and the other reasons together; empty where storage does not matter.
	Says string `json:"message,omitempty"`
}

// Blocker is one reason against nodes which the volumes of the pod allow.
type Blocker struct {
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
	Says   string `json:"message"`

	names     []string
	predicate bool // Says is a clause whose subject is the nodes
}

// storage returns the chain; nil for a pod without claims.
func (p *pendingPod) storage(x *engine.Explanation) *Storage {
	links := p.claimLinks()
	if len(links) == 0 {
		return nil
	}
	s := &Storage{Claims: links, Nodes: len(x.Nodes), Blocked: []Blocker{}}
	if trouble := troubled(links); len(x.Nodes) == 0 && len(trouble) > 0 {
		s.Says = trouble[0].text()
		return s
	}
	allowed, lead := p.allowed(x, links)
	s.Allowed, s.Blocked = len(allowed), p.blockers(x, allowed)
	if lead != "" {
		s.Says = blockedSentence(s.Allowed, s.Blocked, lead, p.nodesText(allowed))
	} else if all := p.blockers(x, passing(x, func(engine.PluginStatus) bool { return true })); len(all) > 0 && isStorage(all[0].Plugin) && !all[0].predicate {
		s.Says = fmt.Sprintf("%d of %s: %s", all[0].Nodes, plural.Count(s.Nodes, "node"), all[0].Says)
	}
	return s
}

// allowed returns the nodes to look at, and how the sentence about them begins: those that the volumes of bound claims
// reach if that leaves any out, else those where all other claims can get volumes. The beginning is empty if no node is
// left out.
func (p *pendingPod) allowed(x *engine.Explanation, links []ClaimLink) (nodes []*engine.NodeVerdict, lead string) {
	reached := func(s engine.PluginStatus) bool {
		return s.Plugin != volumezone.Name && (s.Plugin != volumebinding.Name ||
			!slices.Contains(s.Reasons, volumebinding.ReasonVolumeElsewhere) && !slices.Contains(s.Reasons, volumebinding.ReasonVolumeMissing))
	}
	if nodes = passing(x, reached); len(nodes) < len(x.Nodes) {
		return nodes, boundText(links)
	}
	nodes = passing(x, func(s engine.PluginStatus) bool { return s.Plugin != volumebinding.Name })
	if len(nodes) < len(x.Nodes) && len(nodes) > 0 {
		lead = fmt.Sprintf("%s can get a volume on %d of %s", openText(links), len(nodes), plural.Count(len(x.Nodes), "node"))
	}
	return nodes, lead
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

func isStorage(plugin string) bool {
	switch plugin {
	case volumebinding.Name, volumezone.Name, volumerestrictions.Name, nodevolumelimits.Name:
		return true
	}
	return false
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
		return fmt.Sprintf("the %d nodes of %s", len(names), zoneName(zone))
	}
	if len(names) == 1 {
		return "the only node there, " + names[0] + ","
	}
	return fmt.Sprintf("the %d nodes there (%s)", len(names), listed(names))
}

// storageEvidence is the evidence of a reason of one of the volume plugins. What could be enough is looked for on the nodes
// that only this reason rejects, if there are any.
func (p *pendingPod) storageEvidence(r *Reason, on []string) Evidence {
	nearest := r.OnlyOn
	if len(nearest) == 0 {
		nearest = on
	}
	var evidence Evidence
	switch r.Message {
	case volumebinding.ReasonVolumeElsewhere, volumebinding.ReasonVolumeMissing, volumezone.ReasonOtherZone:
		evidence = p.elsewhere(on, r.OnlyOn)
	case volumebinding.ReasonNothingToBind:
		evidence = p.nothingToBind(nearest, r.OnlyOn)
	case volumebinding.ReasonNotEnoughSpace:
		evidence = p.notEnoughSpace(nearest)
	default:
		evidence = p.claimTrouble()
	}
	if len(evidence.Facts()) == 0 {
		return nil
	}
	return evidence
}

// describeStorage says what keeps the pod's volumes from the nodes. The volumes of bound claims say which nodes the pod wants.
func (p *pendingPod) describeStorage(plugin string, e *framework.Evidence) {
	found := p.storageEvidence(&Reason{Plugin: plugin, Message: e.Message}, e.Nodes)
	if found == nil {
		return
	}
	switch is := found.(type) {
	case *VolumesElsewhere:
		v := &is.Volumes[0]
		e.Wants = "volume " + v.Volume + " of claim " + v.Claim
		e.Predicate = "cannot reach " + e.Wants
		if v.Place != "" {
			e.Predicate, e.Wants = e.Predicate+", which is "+v.Place, e.Wants+" "+v.Place
		}
		if len(e.Nodes) == len(p.nodes) {
			e.Sentence = boundText(p.claimLinks()) + "; no node is there"
		}
	case *StorageShort:
		e.Predicate = e.Verb("has", "have") + " too little storage (" + is.Facts()[0] + ")"
	case *NothingToBind:
		if node := is.Claims[0].Selected; node != "" {
			e.Wants, e.Sentence = "claim "+is.Claims[0].Claim+", whose volume is being made for it", is.Facts()[0]
		}
		e.Predicate = e.Verb("has", "have") + " no volume for it (" + is.Facts()[0] + ")"
	}
}
