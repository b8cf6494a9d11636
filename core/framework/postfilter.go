package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPostFilterPlugins runs when no node is feasible.
//
//   - Success ends the run: a plugin is making room.
//   - Unschedulable lets the next plugin try. The reasons are gathered, and the last result that changes
//     status.nominatedNodeName is kept.
//   - UnschedulableAndUnresolvable ends the run with that result. Anything else is an error and ends it with none.
func (p *Profile) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	w := p.instrument(PostFilter, state)
	result, status := p.postFilter(ctx, &w, state, pod, nodes)
	w.done(status.Code())
	return result, status
}

func (p *Profile) postFilter(ctx context.Context, w *instrument, state fwk.CycleState, pod *v1.Pod, nodes fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	var kept *fwk.PostFilterResult
	var reasons []string
	var rejector string
	for _, s := range p.points.postFilter {
		start := w.start()
		var result *fwk.PostFilterResult
		status := p.call(PostFilter, s.Plugin, pod, func() (status *fwk.Status) {
			result, status = s.plugin.PostFilter(ctx, state, pod, nodes)
			return status
		})
		s.countCall(status)
		w.observe(s.Plugin, status, start)
		v := PluginResult{Plugin: s.Plugin, Status: status}
		if result != nil {
			v.Nominating = result.NominatingInfo
		}
		w.record(v)
		switch {
		case status.IsSuccess():
			return result, status
		case status.Code() == fwk.UnschedulableAndUnresolvable:
			return result, withPlugin(status, s.Plugin)
		case !status.IsRejected():
			return nil, fwk.AsStatus(errorOf(status)).WithPlugin(s.Plugin)
		}
		if result != nil && result.Mode() != fwk.ModeNoop {
			kept = result
		}
		reasons = append(reasons, status.Reasons()...)
		if rejector == "" {
			rejector = s.Plugin
		}
	}
	return kept, fwk.NewStatus(fwk.Unschedulable, reasons...).WithPlugin(rejector)
}
