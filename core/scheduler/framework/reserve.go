package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunReservePluginsReserve lets plugins reserve what a pod needs on its node. The first failure ends the run; the caller then runs
// RunReservePluginsUnreserve.
func (p *Profile) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.instrument(Reserve, state)
	var failure *fwk.Status
	for _, s := range p.points.reserve {
		start := w.start()
		status := p.call(Reserve, s.Plugin, pod, func() *fwk.Status { return s.plugin.Reserve(ctx, state, pod, node) })
		s.countCall(status)
		w.recordCall(s.Plugin, node, status, start)
		if failure = checkStatus(Reserve, s.Plugin, status); failure != nil {
			break
		}
	}
	w.done(failure.Code())
	return failure
}

// RunReservePluginsUnreserve lets all Reserve plugins release their reservations, the last one first. It runs after a failure at
// Reserve or any later point, also for plugins whose Reserve was never called.
func (p *Profile) RunReservePluginsUnreserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	w := p.instrument(Unreserve, state)
	for i := len(p.points.reserve) - 1; i >= 0; i-- {
		s := p.points.reserve[i]
		start := w.start()
		status := p.call(Unreserve, s.Plugin, pod, func() *fwk.Status {
			s.plugin.Unreserve(ctx, state, pod, node)
			return nil
		})
		w.recordCall(s.Plugin, node, status, start)
	}
	w.done(fwk.Success)
}
