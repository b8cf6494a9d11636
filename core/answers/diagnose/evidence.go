package diagnose

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
)

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

// evidenceOf returns the evidence of a reason; nil for plugins without a type of their own.
func (p *pendingPod) evidenceOf(x *engine.Explanation, r *Reason) Evidence {
	if r.Plugin == "" {
		return someOf(foundByLimits(x))
	}
	if all := found(x.AllEvidence(r.Plugin), r); len(all) > 0 {
		return all
	}
	if r.Plugin == dynamicresources.Name {
		return p.deviceEvidence(x, r)
	}
	return nil
}

// someOf is nil without any.
func someOf(all Found) Evidence {
	if len(all) == 0 {
		return nil
	}
	return all
}

// maxListed bounds the names in one sentence, as the plugins do.
const maxListed = framework.MaxListed

func listed(names []string) string { return framework.Listed(names) }

func fullName(pod *v1.Pod) string { return framework.PodName(pod) }

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}
