package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPostFilterPlugins asks, when no node will do, what could be done about it.
//
//   - Success ends the run: room is being made.
//   - Unschedulable lets the next plugin try. The reasons are gathered, and the last result that wants
//     status.nominatedNodeName changed is kept.
//   - UnschedulableAndUnresolvable ends the run with that result. Anything else is an error and ends it with none.
func (p *Profile) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	w := p.watch(PostFilter, state)
	result, status := p.postFilter(ctx, &w, state, pod, nodes)
	w.done(status.Code())
	return result, status
}

func (p *Profile) postFilter(ctx context.Context, w *watch, state fwk.CycleState, pod *v1.Pod, nodes fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	var kept *fwk.PostFilterResult
	var reasons []string
	var rejector string
	for _, s := range p.stages.postFilter {
		start := w.start()
		result, status := s.plugin.PostFilter(ctx, state, pod, nodes)
		s.answered(status)
		w.took(s.name, status, start)
		v := Verdict{Plugin: s.name, Status: status}
		if result != nil {
			v.Nominating = result.NominatingInfo
		}
		w.said(v)
		switch {
		case status.IsSuccess():
			return result, status
		case status.Code() == fwk.UnschedulableAndUnresolvable:
			return result, named(status, s.name)
		case !status.IsRejected():
			return nil, fwk.AsStatus(cause(status)).WithPlugin(s.name)
		}
		if result != nil && result.Mode() != fwk.ModeNoop {
			kept = result
		}
		reasons = append(reasons, status.Reasons()...)
		if rejector == "" {
			rejector = s.name
		}
	}
	return kept, fwk.NewStatus(fwk.Unschedulable, reasons...).WithPlugin(rejector)
}
