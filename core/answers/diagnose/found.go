package diagnose

import (
	"slices"
	"strings"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
)

// Found is what a plugin says of its own rejection.
type Found []framework.Evidence

// found is what the plugin of a reason says about the causes behind it.
func found(list []framework.Evidence, r *Reason) Found {
	return slices.DeleteFunc(slices.Clone(list), func(e framework.Evidence) bool { return e.Message != r.Message })
}

// foundByLimits asks the plugins whose PreFilter left nodes out of the search: the engine's reason is about those nodes.
func foundByLimits(x *engine.Explanation) Found {
	var all Found
	for _, plugin := range x.Limiting {
		all = append(all, x.AllEvidence(plugin)...)
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
