package framework

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunFilterPlugins runs the Filter plugins, in order, on a node. The first rejection decides; a status that is neither
// success nor rejection is an error.
func (p *Profile) RunFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodeInfo fwk.NodeInfo) *fwk.Status {
	return p.filter(ctx, state, pod, nodeInfo, recorderOf(state), false)
}

// filter is the inner loop of scheduling: thousands of nodes times a dozen plugins for each pod. It allocates nothing.
func (p *Profile) filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, recorder Recorder, withNominated bool) *fwk.Status {
	return p.filterBy(ctx, state, pod, node, p.filtersFor(state), recorder, withNominated)
}

func (p *Profile) filterBy(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, slots []*entry[fwk.FilterPlugin], recorder Recorder, withNominated bool) *fwk.Status {
	if recorder == nil && (p.onTiming == nil || !state.ShouldRecordPluginMetrics()) {
		return p.filterUnobserved(ctx, state, pod, node, slots)
	}
	return p.filterInstrumented(ctx, state, pod, node, slots, recorder, withNominated)
}

// filterUnobserved is filter without records and timings.
func (p *Profile) filterUnobserved(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, slots []*entry[fwk.FilterPlugin]) (decision *fwk.Status) {
	var called *entry[fwk.FilterPlugin]
	defer func() {
		if value := recover(); value != nil {
			decision = checkFilterStatus(called.Plugin, fwk.AsStatus(p.panicked(Filter, called.Plugin, pod, value)))
		}
	}()
	for _, s := range slots {
		called = s
		s.Calls++
		if status := s.plugin.Filter(ctx, state, pod, node); status != nil && !status.IsSuccess() {
			if status.IsRejected() {
				s.Rejections++
			}
			return checkFilterStatus(s.Plugin, status)
		}
	}
	return nil
}

// filterInstrumented is filter with records and timings. A recorder also sees the plugins after the one that decided.
func (p *Profile) filterInstrumented(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, slots []*entry[fwk.FilterPlugin], recorder Recorder, withNominated bool) *fwk.Status {
	w := instrument{profile: p, point: Filter, recorder: recorder, timed: p.onTiming != nil && state.ShouldRecordPluginMetrics()}
	var decision *fwk.Status
	for _, s := range slots {
		start := w.start()
		status := p.callFilter(ctx, s, state, pod, node)
		w.record(PluginResult{Plugin: s.Plugin, Node: node.Node().Name, Status: status, WithNominated: withNominated})
		if decision != nil {
			continue
		}
		s.countCall(status)
		w.observe(s.Plugin, status, start)
		if status.IsSuccess() {
			continue
		}
		decision = checkFilterStatus(s.Plugin, status)
		if recorder == nil {
			break
		}
	}
	return decision
}

// recordFilters shows a recorder what the plugins say without nominated pods, after they rejected the node with them: what
// depends on nominated pods is a rejection, too.
func (p *Profile) recordFilters(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, recorder Recorder) {
	if recorder == nil {
		return
	}
	w := instrument{profile: p, point: Filter, recorder: recorder}
	for _, s := range p.filtersFor(state) {
		w.record(PluginResult{Plugin: s.Plugin, Node: node.Node().Name, Status: p.callFilter(ctx, s, state, pod, node)})
	}
}

func (p *Profile) callFilter(ctx context.Context, s *entry[fwk.FilterPlugin], state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	return p.call(Filter, s.Plugin, pod, func() *fwk.Status { return s.plugin.Filter(ctx, state, pod, node) })
}

func checkFilterStatus(plugin string, status *fwk.Status) *fwk.Status {
	if status.IsRejected() {
		return withPlugin(status, plugin)
	}
	return fwk.AsStatus(fmt.Errorf("running %q filter plugin: %w", plugin, errorOf(status))).WithPlugin(plugin)
}

// filtersFor lists the Filter plugins that PreFilter does not skip. The state keeps the list: it is the same for every node.
func (p *Profile) filtersFor(state fwk.CycleState) []*entry[fwk.FilterPlugin] {
	own, ok := state.(*CycleState)
	switch {
	case !ok:
		return p.filterListFor(sets.List(state.GetSkipFilterPlugins())).filters
	case own.filtersOf != p:
		own.filters, own.filtersOf = p.filterListFor(own.skipFilter.names).filters, p
	}
	return own.filters
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
