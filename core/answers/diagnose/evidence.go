package diagnose

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/plugins/interpodaffinity"
	"orrery/core/scheduler/plugins/nodeports"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/scheduler/plugins/volumezone"
)

// Evidence has the facts behind a reason: the field of the pod, and what on the nodes contradicts it.
type Evidence interface {
	// Facts are plain sentences, the most telling first.
	Facts() []string
	// Hint says what would make one of the nodes feasible that only this reason blocks.
	Hint() string
}

// Drawable is evidence that a chart can show.
type Drawable interface {
	Evidence
	// FactsBeside are the facts for a screen: with a chart, without those that it shows.
	FactsBeside(chart bool) []string
}

// Hint says what would make a node feasible that only this reason blocks; empty if there is no such node.
func (r *Reason) Hint() string {
	if len(r.OnlyOn) == 0 {
		return ""
	}
	if r.Evidence != nil {
		if hint := r.Evidence.Hint(); hint != "" {
			return hint
		}
	}
	return plural.Count(len(r.OnlyOn), "node") + " blocked only by " + r.Message
}

// limitedByAffinity begins the engine's message for nodes that a PreFilter result leaves out; NodeAffinity's leaves out
// all but the nodes that the pod names.
const limitedByAffinity = "node(s) didn't satisfy plugin(s) [" + affinityPlugin + "]"

// evidenceOf returns the evidence of a reason; nil for plugins without a type of their own.
func (p *pendingPod) evidenceOf(x *engine.Explanation, r *Reason) Evidence {
	on := rejectedNodes(x, r)
	nearest := r.OnlyOn
	if len(nearest) == 0 {
		nearest = on
	}
	if strings.HasPrefix(r.Message, limitedByAffinity) {
		return p.selectorMismatch()
	}
	switch r.Plugin {
	case unschedulablePlugin:
		return p.cordoned(on, r.OnlyOn)
	case taintPlugin:
		if u := p.untolerated(on, r.OnlyOn); len(u.Taints) > 0 {
			return u
		}
	case spreadPlugin:
		return p.skew(x, r)
	case fitPlugin:
		return p.fitEvidence(x, r.Message, nearest)
	case affinityPlugin:
		return p.selectorMismatch()
	case nodeports.Name:
		return p.portConflicts(on)
	case interpodaffinity.Name:
		return p.podAffinityEvidence(r.Message, on)
	case volumebinding.Name, volumezone.Name, volumerestrictions.Name, nodevolumelimits.Name:
		return p.storageEvidence(r, on)
	case dynamicresources.Name:
		return p.deviceEvidence(x, r)
	}
	return nil
}

// rejectedNodes are the nodes that a plugin rejects with this message.
func rejectedNodes(x *engine.Explanation, r *Reason) []string {
	var names []string
	for i := range x.Nodes {
		if slices.ContainsFunc(x.Nodes[i].Statuses, func(s engine.PluginStatus) bool {
			return s.Plugin == r.Plugin && rejects(s) && slices.Contains(s.Reasons, r.Message)
		}) {
			names = append(names, x.Nodes[i].Node)
		}
	}
	return names
}

// maxListed bounds the names in one sentence.
//
//orrery:limit answers; names in a sentence; the others are counted
const maxListed = 3

// listed joins names: "a, b, c and 4 more".
func listed(names []string) string {
	text := strings.Join(names[:min(len(names), maxListed)], ", ")
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func fullName(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }
