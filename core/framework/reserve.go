package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunReservePlugins lets plugins set aside what a pod will need on its node. The first that fails ends the run; the
// caller then runs RunUnreservePlugins.
func (p *Profile) RunReservePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.watch(Reserve, state)
	var failure *fwk.Status
	for _, s := range p.stages.reserve {
		start := w.start()
		status := s.plugin.Reserve(ctx, state, pod, node)
		s.answered(status)
		w.heard(s.name, node, status, start)
		if failure = judged(Reserve, s.name, status); failure != nil {
			break
		}
	}
	w.done(failure.Code())
	return failure
}

// RunUnreservePlugins lets all Reserve plugins give back what they set aside, the last one first. It runs after a
// failure at Reserve or any later point, so a plugin may be asked whose Reserve was never called.
func (p *Profile) RunUnreservePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	w := p.watch(Unreserve, state)
	for i := len(p.stages.reserve) - 1; i >= 0; i-- {
		s := p.stages.reserve[i]
		start := w.start()
		s.plugin.Unreserve(ctx, state, pod, node)
		w.heard(s.name, node, nil, start)
	}
	w.done(fwk.Success)
}
