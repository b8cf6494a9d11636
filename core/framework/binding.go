package framework

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPreBindPreFlights asks the PreBind plugins whether they will have anything to do for a pod; those that say Skip are
// not called. The status is Skip if all say so, nil if any will work, and an error if one says anything else.
func (p *Profile) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.watch(PreBindPreFlight, state)
	status := p.preFlights(ctx, &w, state, pod, node)
	w.done(status.Code())
	return status
}

func (p *Profile) preFlights(ctx context.Context, w *watch, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	skipped := make([]string, 0, len(p.stages.preBind))
	for _, s := range p.stages.preBind {
		start := w.start()
		status := s.plugin.PreBindPreFlight(ctx, state, pod, node)
		w.heard(s.name, node, status, start)
		switch status.Code() {
		case fwk.Success:
		case fwk.Skip:
			skipped = append(skipped, s.name)
		case fwk.Error:
			return fwk.AsStatus(fmt.Errorf("running PreBindPreFlight %q: %w", s.name, cause(status)))
		default:
			return fwk.AsStatus(fmt.Errorf("PreBindPreFlight %s returned %q, which is unsupported. It is supposed to return Success, Skip, or Error status", s.name, status.Code()))
		}
	}
	if own, ok := state.(*CycleState); ok {
		own.skipPreBind = skips{names: skipped, known: true}
	} else {
		state.SetSkipPreBindPlugins(skipSet(skipped))
	}
	if len(skipped) == len(p.stages.preBind) {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// PreBindPlugins lists, in order, the plugins that have something to do before a pod is bound. The caller calls their
// PreBind one after the other, where it likes, and has JudgePreBind say what the answer means; the first failure ends
// the binding.
func (p *Profile) PreBindPlugins(state fwk.CycleState) []fwk.PreBindPlugin {
	list := make([]fwk.PreBindPlugin, 0, len(p.stages.preBind))
	for _, s := range p.stages.preBind {
		if !preBindSkipped(state, s.name) {
			list = append(list, s.plugin)
		}
	}
	return list
}

func preBindSkipped(state fwk.CycleState, plugin string) bool {
	if own, ok := state.(*CycleState); ok {
		return own.skipPreBind.has(plugin)
	}
	return state.GetSkipPreBindPlugins().Has(plugin)
}

// JudgePreBind is what a PreBind plugin's answer means: nil to go on, a rejection in the plugin's name, or an error.
func (p *Profile) JudgePreBind(plugin string, said *fwk.Status) *fwk.Status {
	answeredBy(p.stages.preBind, plugin, said)
	return judged(PreBind, plugin, said)
}

// RunPreBindPlugin calls one PreBind plugin here and now, and judges its answer.
func (p *Profile) RunPreBindPlugin(ctx context.Context, plugin fwk.PreBindPlugin, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.watchOne(PreBind, state)
	start := w.start()
	said := plugin.PreBind(ctx, state, pod, node)
	w.heard(plugin.Name(), node, said, start)
	return p.JudgePreBind(plugin.Name(), said)
}

// RunPreBindPlugins calls the PreBind plugins here and now, until one fails.
func (p *Profile) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.watch(PreBind, state)
	var failure *fwk.Status
	for _, plugin := range p.PreBindPlugins(state) {
		if failure = p.RunPreBindPlugin(ctx, plugin, state, pod, node); failure != nil {
			break
		}
	}
	w.done(failure.Code())
	return failure
}

// BindPlugins lists the plugins that can bind a pod, in the order in which they are tried: one that says Skip leaves
// the pod to the next. The caller calls them where it likes, see PreBindPlugins, and may ask a [Binder] for the binding
// instead.
func (p *Profile) BindPlugins() []fwk.BindPlugin { return plugins(p.stages.bind) }

// JudgeBind is what a Bind plugin's answer means: nil for bound, Skip to try the next, a rejection in the plugin's name,
// or an error.
func (p *Profile) JudgeBind(plugin string, said *fwk.Status) *fwk.Status {
	answeredBy(p.stages.bind, plugin, said)
	if said.IsSkip() {
		return said
	}
	return judged(Bind, plugin, said)
}

// RunBindPlugin calls one Bind plugin here and now, and judges its answer.
func (p *Profile) RunBindPlugin(ctx context.Context, plugin fwk.BindPlugin, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.watchOne(Bind, state)
	start := w.start()
	said := plugin.Bind(ctx, state, pod, node)
	w.heard(plugin.Name(), node, said, start)
	return p.JudgeBind(plugin.Name(), said)
}

// RunBindPlugins tries the Bind plugins here and now, until one does not skip the pod. That all of them did is not a
// success.
func (p *Profile) RunBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.watch(Bind, state)
	status := fwk.NewStatus(fwk.Skip, "")
	for _, s := range p.stages.bind {
		if status = p.RunBindPlugin(ctx, s.plugin, state, pod, node); !status.IsSkip() {
			break
		}
	}
	w.done(status.Code())
	return status
}

// RunPostBindPlugins tells the plugins that a pod has been bound.
func (p *Profile) RunPostBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	w := p.watch(PostBind, state)
	for _, s := range p.stages.postBind {
		start := w.start()
		s.plugin.PostBind(ctx, state, pod, node)
		s.answered(nil)
		w.heard(s.name, node, nil, start)
	}
	w.done(fwk.Success)
}
