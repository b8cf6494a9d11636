package framework

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// PostFilterRun is how far a run of the PostFilter plugins has come. It is plain data.
type PostFilterRun struct {
	next     int
	kept     *fwk.PostFilterResult
	reasons  []string
	rejector string
}

// RunPostFilterPlugins runs when no node is feasible.
//
//   - Success ends the run: a plugin is making room.
//   - Unschedulable lets the next plugin try. The reasons are gathered, and the last result that changes
//     status.nominatedNodeName is kept.
//   - UnschedulableAndUnresolvable ends the run with that result. Anything else is an error and ends it with none.
func (p *Profile) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	result, status, _ := p.ContinuePostFilterPlugins(ctx, state, pod, nodes, &PostFilterRun{})
	return result, status
}

// ContinuePostFilterPlugins begins a run or goes on with it. The run is not over while extenders have not answered a plugin, which is
// then called again, with the same state.
func (p *Profile) ContinuePostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes fwk.NodeToStatusReader, run *PostFilterRun) (result *fwk.PostFilterResult, status *fwk.Status, over bool) {
	w := p.instrument(PostFilter, state)
	if result, status, over = p.postFilter(ctx, &w, state, pod, nodes, run); over {
		w.done(status.Code())
	}
	return result, status, over
}

func (p *Profile) postFilter(ctx context.Context, w *instrument, state fwk.CycleState, pod *v1.Pod, nodes fwk.NodeToStatusReader, run *PostFilterRun) (*fwk.PostFilterResult, *fwk.Status, bool) {
	for ; run.next < len(p.points.postFilter); run.next++ {
		s := p.points.postFilter[run.next]
		start := w.start()
		var result *fwk.PostFilterResult
		status := p.call(PostFilter, s.Plugin, pod, func() (status *fwk.Status) {
			result, status = s.plugin.PostFilter(ctx, state, pod, nodes)
			return status
		})
		if p.deps.AwaitsExtenders != nil && p.deps.AwaitsExtenders() {
			return nil, nil, false
		}
		s.countCall(status)
		w.observe(s.Plugin, status, start)
		v := PluginResult{Plugin: s.Plugin, Status: status}
		if result != nil {
			v.Nominating = result.NominatingInfo
		}
		w.record(v)
		switch {
		case status.IsSuccess():
			return result, status, true
		case status.Code() == fwk.UnschedulableAndUnresolvable:
			return result, withPlugin(status, s.Plugin), true
		case !status.IsRejected():
			return nil, fwk.AsStatus(errorOf(status)).WithPlugin(s.Plugin), true
		}
		if result != nil && result.Mode() != fwk.ModeNoop {
			run.kept = result
		}
		run.reasons = append(slices.Clip(run.reasons), status.Reasons()...)
		if run.rejector == "" {
			run.rejector = s.Plugin
		}
	}
	return run.kept, fwk.NewStatus(fwk.Unschedulable, run.reasons...).WithPlugin(run.rejector), true
}
