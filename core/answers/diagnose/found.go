package diagnose

import (
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
)

// Found is what a plugin says of its own rejection.
type Found []framework.Evidence

// found is what the plugin of a reason says about the causes behind it; nil if it does not explain itself. A reason without a plugin is the
// engine's, about nodes that PreFilter plugins left out of the search.
func found(x *engine.Explanation, r *Reason) Evidence {
	plugins := []string{r.Plugin}
	if r.Plugin == "" {
		plugins = x.Limiting
	}
	var all Found
	for _, plugin := range plugins {
		for _, e := range x.AllEvidence(plugin) {
			if r.Plugin == "" || e.Message == r.Message {
				all = append(all, e)
			}
		}
	}
	if all == nil {
		return nil
	}
	return all
}

// Facts implements Evidence.
func (f Found) Facts() []string {
	var facts []string
	for i := range f {
		facts = append(facts, f[i].Facts...)
	}
	return facts
}

// maxHints bounds the hints of one reason.
//
//orrery:limit answers; hints of a reason; the others are left out
const maxHints = 2

// Hint implements Evidence.
func (f Found) Hint() string {
	var hints []string
	for i := range f {
		if f[i].Hint != "" {
			hints = append(hints, f[i].Hint)
		}
	}
	return strings.Join(hints[:min(len(hints), maxHints)], "; or ")
}

// hintOf says what would make a node feasible that only this reason blocks; empty if there is no such node.
func hintOf(r *Reason) string {
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

// maxListed bounds the names in one sentence, as the plugins do.
const maxListed = framework.MaxListed

func listed(names []string) string { return framework.Listed(names) }

func fullName(pod *v1.Pod) string { return framework.PodName(pod) }
