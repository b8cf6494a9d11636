package framework

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunFilterPlugins asks the Filter plugins, in order, whether a pod may go on a node. The first that says no decides; a
// status that is neither success nor rejection is an error.
func (p *Profile) RunFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodeInfo fwk.NodeInfo) *fwk.Status {
	return p.filter(ctx, state, pod, nodeInfo, recorderOf(state), false)
}

// RunFilterPluginsWithNominatedPods asks the Filter plugins about a node that other pods may be on their way to.
//
// Pods of the same or a higher priority that are nominated to the node are counted in first. If the pod fits beside
// them it must also fit without them, because they may go elsewhere and something may depend on their being there.
func (p *Profile) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	recorder := recorderOf(state)
	crowdedState, crowded, err := p.withNominated(ctx, state, pod, info)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if crowded != nil {
		if status := p.filter(ctx, crowdedState, pod, crowded, recorder, true); !status.IsSuccess() {
			return status
		}
	}
	return p.filter(ctx, state, pod, info, recorder, false)
}

// withNominated adds to copies of state and node the nominated pods that the pod must make room for; it returns no node
// if there are none.
func (p *Profile) withNominated(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) (fwk.CycleState, fwk.NodeInfo, error) {
	if p.PodNominator == nil {
		return nil, nil, nil
	}
	var crowdedState fwk.CycleState
	var crowded fwk.NodeInfo
	for _, nominated := range p.NominatedPodsForNode(info.Node().Name) {
		other := nominated.GetPod()
		if priority(other) < priority(pod) || other.UID == pod.UID {
			continue
		}
		if crowded == nil {
			crowdedState, crowded = state.Clone(), info.Snapshot()
		}
		crowded.AddPodInfo(nominated)
		status := p.RunPreFilterExtensionAddPod(ctx, crowdedState, pod, nominated, crowded)
		if !status.IsSuccess() {
			return nil, nil, status.AsError()
		}
	}
	return crowdedState, crowded, nil
}

func priority(pod *v1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// filter is the inner loop of scheduling: thousands of nodes by a dozen plugins for each pod. It allocates nothing.
func (p *Profile) filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, recorder Recorder, withNominated bool) *fwk.Status {
	slots := p.filtersFor(state)
	if recorder == nil && (p.observer == nil || !state.ShouldRecordPluginMetrics()) {
		for _, s := range slots {
			s.calls++
			if status := s.plugin.Filter(ctx, state, pod, node); status != nil && !status.IsSuccess() {
				if status.IsRejected() {
					s.rejections++
				}
				return judgedFilter(s.name, status)
			}
		}
		return nil
	}
	return p.filterWatched(ctx, state, pod, node, slots, recorder, withNominated)
}

// filterWatched does what filter does and tells recorder and observer. A recorder also hears the plugins after the one
// that decided.
func (p *Profile) filterWatched(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, slots []*slot[fwk.FilterPlugin], recorder Recorder, withNominated bool) *fwk.Status {
	w := watch{profile: p, point: Filter, recorder: recorder, timed: p.observer != nil && state.ShouldRecordPluginMetrics()}
	var decision *fwk.Status
	for _, s := range slots {
		start := w.start()
		status := s.plugin.Filter(ctx, state, pod, node)
		w.said(Verdict{Plugin: s.name, Node: node.Node().Name, Status: status, WithNominated: withNominated})
		if decision != nil {
			continue
		}
		s.answered(status)
		w.took(s.name, status, start)
		if status.IsSuccess() {
			continue
		}
		decision = judgedFilter(s.name, status)
		if recorder == nil {
			break
		}
	}
	return decision
}

func judgedFilter(plugin string, status *fwk.Status) *fwk.Status {
	if status.IsRejected() {
		return named(status, plugin)
	}
	return fwk.AsStatus(fmt.Errorf("running %q filter plugin: %w", plugin, cause(status))).WithPlugin(plugin)
}

// filtersFor lists the Filter plugins that PreFilter has not made superfluous. The list is kept in the state: it is the
// same for every node.
func (p *Profile) filtersFor(state fwk.CycleState) []*slot[fwk.FilterPlugin] {
	own, ok := state.(*CycleState)
	if ok && own.filtersOf == p {
		return own.filters
	}
	slots := make([]*slot[fwk.FilterPlugin], 0, len(p.stages.filter))
	for _, s := range p.stages.filter {
		if !filterSkipped(state, s.name) {
			slots = append(slots, s)
		}
	}
	if ok {
		own.filters, own.filtersOf = slots, p
	}
	return slots
}

func filterSkipped(state fwk.CycleState, plugin string) bool {
	if own, ok := state.(*CycleState); ok {
		return own.skipFilter.has(plugin)
	}
	return state.GetSkipFilterPlugins().Has(plugin)
}

func recorderOf(state fwk.CycleState) Recorder {
	if own, ok := state.(*CycleState); ok {
		return own.recorder
	}
	return nil
}
