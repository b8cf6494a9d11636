package framework

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPreFilterPlugins prepares the plugins for a pod and restricts the nodes to search.
//
//   - Skip: the plugin does not concern this pod; its Filter, AddPod and RemovePod are not called.
//   - A set of nodes restricts the search. If the intersection of all sets is empty, the pod is rejected.
//   - Unschedulable is kept and the other plugins still run, because preemption needs their state; the last one is
//     returned. UnschedulableAndUnresolvable and an empty intersection end the run and win over an earlier Unschedulable.
//   - Everything else is an error.
//
// The third result holds the plugins that restricted the search; nil if none did.
func (p *Profile) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	w := p.instrument(PreFilter, state)
	if p.deps.NoReuse {
		p.forget()
	}
	var room [skippedRoom]string
	var run preFilterRun
	result, status, skipped := run.all(ctx, &w, state, pod, room[:0])
	p.skipFilters(state, skipped)
	if own, ok := state.(*CycleState); ok && status.IsSuccess() {
		own.preFiltered = pod
	}
	w.done(status.Code())
	return result, status, run.pluginsWithNodes
}

// forgets reports whether a plugin can compute again what it keeps.
func forgets(plugin fwk.Plugin) bool {
	_, ok := plugin.(Forgetful)
	return ok
}

func (p *Profile) forget() {
	for _, name := range p.order {
		if plugin, ok := p.byName[name].(Forgetful); ok {
			plugin.Forget()
		}
	}
}

type preFilterRun struct {
	pluginsWithNodes sets.Set[string]
	result           *fwk.PreFilterResult
	rejection        *fwk.Status
}

// all appends the plugins that skip the pod.
func (r *preFilterRun) all(ctx context.Context, w *instrument, state fwk.CycleState, pod *v1.Pod, skipped []string) (*fwk.PreFilterResult, *fwk.Status, []string) {
	nodes, err := w.profile.deps.Snapshot.NodeInfos().List()
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("getting all nodes: %w", err)), skipped
	}
	for _, s := range w.profile.points.preFilter {
		start := w.start()
		var result *fwk.PreFilterResult
		status := w.profile.call(PreFilter, s.Plugin, pod, func() (status *fwk.Status) {
			result, status = s.plugin.PreFilter(ctx, state, pod, nodes)
			return status
		})
		w.observe(s.Plugin, status, start)
		v := PluginResult{Plugin: s.Plugin, Status: status}
		if status.IsSuccess() && result != nil {
			v.Nodes = result.NodeNames
		}
		w.record(v)
		if status.IsSkip() {
			skipped = append(skipped, s.Plugin)
			continue
		}
		s.countCall(status)
		if final := r.handle(s.Plugin, result, status); final != nil {
			return r.result, final, skipped
		}
	}
	return r.result, r.rejection, skipped
}

// handle handles one plugin's result; it returns the status that ends the run, if this one does.
func (r *preFilterRun) handle(plugin string, result *fwk.PreFilterResult, status *fwk.Status) *fwk.Status {
	switch status.Code() {
	case fwk.Success:
		return r.mergeNodes(plugin, result)
	// The others run all the same: preemption follows in this cycle, and needs the state that they write (kubernetes issue 119770).
	// After UnschedulableAndUnresolvable there is none.
	case fwk.Unschedulable:
		r.rejection = withPlugin(status, plugin)
		return nil
	}
	r.result, r.pluginsWithNodes = nil, nil
	if status.Code() == fwk.UnschedulableAndUnresolvable {
		return withPlugin(status, plugin)
	}
	return pluginError(PreFilter, plugin, status).WithPlugin(plugin)
}

func (r *preFilterRun) mergeNodes(plugin string, result *fwk.PreFilterResult) *fwk.Status {
	if result.AllNodes() {
		return nil
	}
	r.pluginsWithNodes = insertName(r.pluginsWithNodes, plugin)
	r.result = r.result.Merge(result)
	if len(r.result.NodeNames) > 0 {
		return nil
	}
	reason := fmt.Sprintf("node(s) didn't satisfy plugin %v", plugin)
	if len(r.pluginsWithNodes) > 1 {
		reason = fmt.Sprintf("node(s) didn't satisfy plugin(s) %v simultaneously", sets.List(r.pluginsWithNodes))
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason)
}

func (p *Profile) skipFilters(state fwk.CycleState, skipped []string) {
	own, ok := state.(*CycleState)
	if !ok {
		state.SetSkipFilterPlugins(sets.New(skipped...))
		return
	}
	list := p.filterListFor(skipped)
	own.skipFilter = skippedPlugins{names: list.skipped, known: true}
	own.filters, own.filtersOf = list.filters, p
}

// RunPreFilterExtensionAddPod adds a pod on a node to the state of the PreFilter plugins.
func (p *Profile) RunPreFilterExtensionAddPod(ctx context.Context, state fwk.CycleState, podToSchedule *v1.Pod, podInfoToAdd fwk.PodInfo, nodeInfo fwk.NodeInfo) *fwk.Status {
	return p.runPreFilterExtensions(PreFilterExtensionAdd, state, podToSchedule, func(e fwk.PreFilterExtensions) *fwk.Status {
		return e.AddPod(ctx, state, podToSchedule, podInfoToAdd, nodeInfo)
	})
}

// RunPreFilterExtensionRemovePod removes a pod on a node from the state of the PreFilter plugins.
func (p *Profile) RunPreFilterExtensionRemovePod(ctx context.Context, state fwk.CycleState, podToSchedule *v1.Pod, podInfoToRemove fwk.PodInfo, nodeInfo fwk.NodeInfo) *fwk.Status {
	return p.runPreFilterExtensions(PreFilterExtensionRemove, state, podToSchedule, func(e fwk.PreFilterExtensions) *fwk.Status {
		return e.RemovePod(ctx, state, podToSchedule, podInfoToRemove, nodeInfo)
	})
}

func (p *Profile) runPreFilterExtensions(point Point, state fwk.CycleState, pod *v1.Pod, call func(fwk.PreFilterExtensions) *fwk.Status) *fwk.Status {
	w := p.instrumentCall(point, state)
	for _, s := range p.points.preFilter {
		if filterSkipped(state, s.Plugin) {
			continue
		}
		start, extended := w.start(), true
		status := p.call(point, s.Plugin, pod, func() *fwk.Status {
			extensions := s.plugin.PreFilterExtensions()
			if extended = extensions != nil; !extended {
				return nil
			}
			return call(extensions)
		})
		if !extended {
			continue
		}
		w.observe(s.Plugin, status, start)
		if !status.IsSuccess() {
			operation := "AddPod"
			if point == PreFilterExtensionRemove {
				operation = "RemovePod"
			}
			return fwk.AsStatus(fmt.Errorf("running %s on PreFilter plugin %q: %w", operation, s.Plugin, errorOf(status)))
		}
	}
	return nil
}
