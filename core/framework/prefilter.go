package framework

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPreFilterPlugins prepares the plugins for a pod and asks which nodes are worth looking at.
//
//   - Skip: the plugin has nothing to say about this pod; its Filter is not asked, nor its AddPod and RemovePod.
//   - A set of nodes narrows the search. When no node is left in all the sets together, the pod is rejected.
//   - Unschedulable is kept and the other plugins still run, because preemption needs their state; of several the last is
//     returned. UnschedulableAndUnresolvable ends the run, and an empty set too: both win over an Unschedulable before.
//   - Everything else is an error.
//
// The set that comes third holds the plugins that narrowed the search, and is nil if there is none.
func (p *Profile) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	w := p.watch(PreFilter, state)
	run := preFilterRun{skipped: make([]string, 0, len(p.stages.preFilter))}
	result, status := run.all(ctx, &w, state, pod)
	p.skipFilters(state, run.skipped)
	w.done(status.Code())
	return result, status, run.narrowing
}

type preFilterRun struct {
	skipped   []string
	narrowing sets.Set[string]
	result    *fwk.PreFilterResult
	rejection *fwk.Status
}

func (r *preFilterRun) all(ctx context.Context, w *watch, state fwk.CycleState, pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status) {
	nodes, err := w.profile.around.Snapshot.NodeInfos().List()
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("getting all nodes: %w", err))
	}
	for _, s := range w.profile.stages.preFilter {
		start := w.start()
		result, status := s.plugin.PreFilter(ctx, state, pod, nodes)
		w.took(s.name, status, start)
		v := Verdict{Plugin: s.name, Status: status}
		if status.IsSuccess() && result != nil {
			v.Nodes = result.NodeNames
		}
		w.said(v)
		if status.IsSkip() {
			r.skipped = append(r.skipped, s.name)
			continue
		}
		s.answered(status)
		if final := r.take(s.name, result, status); final != nil {
			return r.result, final
		}
	}
	return r.result, r.rejection
}

// take judges one plugin's answer; it returns the status that ends the run, if this one does.
func (r *preFilterRun) take(plugin string, result *fwk.PreFilterResult, status *fwk.Status) *fwk.Status {
	switch status.Code() {
	case fwk.Success:
		return r.narrow(plugin, result)
	case fwk.Unschedulable:
		r.rejection = named(status, plugin)
		return nil
	}
	r.result, r.narrowing = nil, nil
	if status.Code() == fwk.UnschedulableAndUnresolvable {
		return named(status, plugin)
	}
	return broken(PreFilter, plugin, status).WithPlugin(plugin)
}

func (r *preFilterRun) narrow(plugin string, result *fwk.PreFilterResult) *fwk.Status {
	if result.AllNodes() {
		return nil
	}
	r.narrowing = with(r.narrowing, plugin)
	r.result = r.result.Merge(result)
	if len(r.result.NodeNames) > 0 {
		return nil
	}
	reason := fmt.Sprintf("node(s) didn't satisfy plugin %v", plugin)
	if len(r.narrowing) > 1 {
		reason = fmt.Sprintf("node(s) didn't satisfy plugin(s) %v simultaneously", sets.List(r.narrowing))
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason)
}

func (p *Profile) skipFilters(state fwk.CycleState, skipped []string) {
	own, ok := state.(*CycleState)
	if !ok {
		state.SetSkipFilterPlugins(skipSet(skipped))
		return
	}
	own.skipFilter = skips{names: skipped, known: true}
	own.filtersOf = nil
}

// RunPreFilterExtensionAddPod tells the plugins that, for this state, one more pod is on a node.
func (p *Profile) RunPreFilterExtensionAddPod(ctx context.Context, state fwk.CycleState, podToSchedule *v1.Pod, podInfoToAdd fwk.PodInfo, nodeInfo fwk.NodeInfo) *fwk.Status {
	return p.tellExtensions(PreFilterExtensionAdd, state, func(e fwk.PreFilterExtensions) *fwk.Status {
		return e.AddPod(ctx, state, podToSchedule, podInfoToAdd, nodeInfo)
	})
}

// RunPreFilterExtensionRemovePod tells the plugins that, for this state, one pod fewer is on a node.
func (p *Profile) RunPreFilterExtensionRemovePod(ctx context.Context, state fwk.CycleState, podToSchedule *v1.Pod, podInfoToRemove fwk.PodInfo, nodeInfo fwk.NodeInfo) *fwk.Status {
	return p.tellExtensions(PreFilterExtensionRemove, state, func(e fwk.PreFilterExtensions) *fwk.Status {
		return e.RemovePod(ctx, state, podToSchedule, podInfoToRemove, nodeInfo)
	})
}

func (p *Profile) tellExtensions(point Point, state fwk.CycleState, tell func(fwk.PreFilterExtensions) *fwk.Status) *fwk.Status {
	w := p.watchOne(point, state)
	for _, s := range p.stages.preFilter {
		extensions := s.plugin.PreFilterExtensions()
		if extensions == nil || filterSkipped(state, s.name) {
			continue
		}
		start := w.start()
		status := tell(extensions)
		w.took(s.name, status, start)
		if !status.IsSuccess() {
			operation := "AddPod"
			if point == PreFilterExtensionRemove {
				operation = "RemovePod"
			}
			return fwk.AsStatus(fmt.Errorf("running %s on PreFilter plugin %q: %w", operation, s.name, cause(status)))
		}
	}
	return nil
}
