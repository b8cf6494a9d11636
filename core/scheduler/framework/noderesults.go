package framework

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// NodeResults is implemented by the handle given to a plugin. It keeps what the plugin found out about nodes by calling the Filter
// plugins, where that follows from the pod's signature, the node and the pods nominated for it.
type NodeResults interface {
	// KeepsResults reports whether anything may be kept: else everything is computed afresh.
	KeepsResults() bool
	// NodeResults returns what is kept of a kind for pods like this one, whose PreFilter has succeeded in this state. The kind
	// names what else the results follow from. It is nil if nothing may be kept, as when a plugin that looks at other
	// nodes filters the pod.
	NodeResults(state fwk.CycleState, pod *v1.Pod, kind string) *reuse.Results
	// FilterCounts appends how often each Filter plugin was called and rejected a pod, and FilterCallsSince returns what was added
	// since. CountFilters adds the calls that a kept result stands for.
	FilterCounts(to []FilterCount) []FilterCount
	FilterCallsSince(before []FilterCount) []FilterCount
	CountFilters(calls []FilterCount)
}

// FilterCount is how often one Filter plugin was called, and how often it rejected.
type FilterCount struct{ Calls, Rejections uint64 }

const filterCountBytes = 16

// resultLimit is how many bytes a profile's results about single nodes may take.
//
//orrery:limit scheduler; results about single nodes of a profile that are kept, in bytes; those that were not used for the longest time go; less under GOMEMLIMIT
const resultLimit = 64 << 20

// KeepsResults reports whether anything may be kept. See [NodeResults].
func (p *Profile) KeepsResults() bool { return !p.deps.NoReuse }

// NodeResults returns results that are kept. See [NodeResults].
func (p *Profile) NodeResults(state fwk.CycleState, pod *v1.Pod, kind string) *reuse.Results {
	own, ok := state.(*CycleState)
	if !ok || p.deps.NoReuse || own.recorder != nil || own.preFiltered != pod {
		return nil
	}
	own.signed.sign(p, own, pod)
	if own.signed.signature == nil {
		return nil
	}
	nodes, err := p.deps.Snapshot.NodeInfos().List()
	if err != nil {
		return nil
	}
	return p.results.Find(slices.Clip(own.signed.signature).Text(kind), len(nodes))
}

// filterSignature is what the verdicts of the Filter plugins follow from in a cycle.
type filterSignature struct {
	signature reuse.Signature // nil if there is more than can be signed
	signed    bool
}

func (f *filterSignature) sign(p *Profile, state *CycleState, pod *v1.Pod) {
	if !f.signed {
		f.signed = true
		f.signature = p.signFilters(state, pod)
	}
}

// signFilters returns nil if a Filter plugin is not [NodeLocal], does not sign the pod, or panics over it, and if adding or
// removing a pod changes the state of a plugin.
func (p *Profile) signFilters(state *CycleState, pod *v1.Pod) (signature reuse.Signature) {
	defer func() {
		if recover() != nil {
			signature = nil
		}
	}()
	for _, s := range p.points.preFilter {
		if !state.skipFilter.has(s.Plugin) && s.plugin.PreFilterExtensions() != nil {
			return nil
		}
	}
	to := make(reuse.Signature, 0, 128)
	for _, s := range p.points.filter {
		skipped := state.skipFilter.has(s.Plugin)
		to = to.Flag(skipped)
		if skipped {
			continue
		}
		local, ok := s.plugin.(NodeLocal)
		if !ok {
			return nil
		}
		if to, ok = local.AppendSignature(to, state, pod); !ok {
			return nil
		}
	}
	return to
}

// FilterCounts appends the counts of the Filter plugins. See [NodeResults].
func (p *Profile) FilterCounts(to []FilterCount) []FilterCount {
	for _, s := range p.points.filter {
		to = append(to, FilterCount{s.Calls, s.Rejections})
	}
	return to
}

// FilterCallsSince returns the calls since FilterCounts. See [NodeResults]. Nodes often take the same calls one after the other,
// which then share a list.
func (p *Profile) FilterCallsSince(before []FilterCount) []FilterCount {
	same := len(p.lastCalls) == len(before)
	for i, s := range p.points.filter {
		calls := FilterCount{s.Calls - before[i].Calls, s.Rejections - before[i].Rejections}
		same = same && p.lastCalls[i] == calls
		before[i] = calls
	}
	if !same {
		p.lastCalls = slices.Clone(before)
	}
	return p.lastCalls
}

// CountFilters adds calls of the Filter plugins. See [NodeResults].
func (p *Profile) CountFilters(calls []FilterCount) {
	for i, s := range p.points.filter {
		s.Calls += calls[i].Calls
		s.Rejections += calls[i].Rejections
	}
}
