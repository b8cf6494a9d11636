package framework

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// RunPreBindPreFlights runs the PreBindPreFlight of all PreBind plugins; those that return Skip are not called later. The
// status is Skip if all do, nil if any returns Success, and an error for any other status.
func (p *Profile) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.instrument(PreBindPreFlight, state)
	status := p.preFlights(ctx, &w, state, pod, node)
	w.done(status.Code())
	return status
}

func (p *Profile) preFlights(ctx context.Context, w *instrument, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	var room [skippedRoom]string
	skipped := room[:0]
	for _, s := range p.points.preBind {
		start := w.start()
		status := p.call(PreBindPreFlight, s.Plugin, pod, func() *fwk.Status {
			_, status := s.plugin.PreBindPreFlight(ctx, state, pod, node)
			return status
		})
		w.recordCall(s.Plugin, node, status, start)
		switch status.Code() {
		case fwk.Success:
		case fwk.Skip:
			skipped = append(skipped, s.Plugin)
		case fwk.Error:
			return fwk.AsStatus(fmt.Errorf("running PreBindPreFlight %q: %w", s.Plugin, errorOf(status)))
		default:
			return fwk.AsStatus(fmt.Errorf("PreBindPreFlight %s returned %q, which is unsupported. It is supposed to return Success, Skip, or Error status", s.Plugin, status.Code()))
		}
	}
	if own, ok := state.(*CycleState); ok {
		own.skipPreBind = skippedPlugins{names: p.skippedPreBinds.kept(skipped), known: true}
	} else {
		state.SetSkipPreBindPlugins(sets.New(skipped...))
	}
	if len(skipped) == len(p.points.preBind) {
		return skipStatus
	}
	return nil
}

// PreBindPlugins lists, in order, the PreBind plugins that are not skipped. The caller calls them one after the other, on
// any goroutine, and interprets the status with CheckPreBindStatus; the first failure ends the binding.
func (p *Profile) PreBindPlugins(state fwk.CycleState) []fwk.PreBindPlugin {
	var list []fwk.PreBindPlugin
	for _, s := range p.points.preBind {
		if !preBindSkipped(state, s.Plugin) {
			list = append(list, s.plugin)
		}
	}
	return list
}

// ParallelPreBinds is how many of the plugins that PreBindPlugins lists may run beside each other, from an index on. They are those that work in
// steps, as long as no other plugin stands between them, even a skipped one.
func (p *Profile) ParallelPreBinds(state fwk.CycleState, from int) (n int) {
	listed := 0
	for _, s := range p.points.preBind {
		skipped := preBindSkipped(state, s.Plugin)
		if listed < from || listed == from && skipped && n == 0 {
			if !skipped {
				listed++
			}
			continue
		}
		if _, steps := s.plugin.(StepwisePreBind); !steps {
			break
		}
		if !skipped {
			n++
		}
	}
	return max(1, n)
}

var skipStatus = fwk.NewStatus(fwk.Skip)

func preBindSkipped(state fwk.CycleState, plugin string) bool {
	if own, ok := state.(*CycleState); ok {
		return own.skipPreBind.has(plugin)
	}
	return state.GetSkipPreBindPlugins().Has(plugin)
}

// CheckPreBindStatus interprets a PreBind plugin's status: nil to go on, a rejection under the plugin's name, or an error.
func (p *Profile) CheckPreBindStatus(plugin string, status *fwk.Status) *fwk.Status {
	countCallOf(p.points.preBind, plugin, status)
	return checkStatus(PreBind, plugin, status)
}

// CallPreBind calls a PreBind plugin, and CallBind a Bind plugin, on any goroutine. The status is the plugin's own.
func (p *Profile) CallPreBind(ctx context.Context, plugin fwk.PreBindPlugin, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return p.call(PreBind, plugin.Name(), pod, func() *fwk.Status { return plugin.PreBind(ctx, state, pod, node) })
}

// CallBind is described at CallPreBind.
func (p *Profile) CallBind(ctx context.Context, plugin fwk.BindPlugin, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return p.call(Bind, plugin.Name(), pod, func() *fwk.Status { return plugin.Bind(ctx, state, pod, node) })
}

// CallPreBindStep takes the next step of a PreBind plugin that does not block.
func (p *Profile) CallPreBindStep(plugin StepwisePreBind, state fwk.CycleState, pod *v1.Pod, node string, now time.Time, outcome *world.Outcome) (step PreBindStep) {
	defer p.recovered(PreBind, plugin.Name(), pod, &step.Status)
	return plugin.PreBindStep(state, pod, node, now, outcome)
}

// CallBinding asks a Bind plugin that does not block for its binding.
func (p *Profile) CallBinding(plugin Binder, pod *v1.Pod, node string) (act world.Bind, status *fwk.Status) {
	defer p.recovered(Bind, plugin.Name(), pod, &status)
	return plugin.Binding(pod, node), nil
}

// RunPreBindPlugin calls one PreBind plugin and interprets its status.
func (p *Profile) RunPreBindPlugin(ctx context.Context, plugin fwk.PreBindPlugin, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.instrumentCall(PreBind, state)
	start := w.start()
	status := p.CallPreBind(ctx, plugin, state, pod, node)
	w.recordCall(plugin.Name(), node, status, start)
	return p.CheckPreBindStatus(plugin.Name(), status)
}

// RunPreBindPlugins calls the PreBind plugins until one fails.
func (p *Profile) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.instrument(PreBind, state)
	var failure *fwk.Status
	for _, plugin := range p.PreBindPlugins(state) {
		if failure = p.RunPreBindPlugin(ctx, plugin, state, pod, node); failure != nil {
			break
		}
	}
	w.done(failure.Code())
	return failure
}

// BindPlugins lists the Bind plugins in order: one that returns Skip leaves the pod to the next. The caller calls them on
// any goroutine, or emits the binding of a [Binder].
func (p *Profile) BindPlugins() []fwk.BindPlugin { return plugins(p.points.bind) }

// CheckBindStatus interprets a Bind plugin's status: nil for bound, Skip to try the next, a rejection under the plugin's name, or
// an error.
func (p *Profile) CheckBindStatus(plugin string, status *fwk.Status) *fwk.Status {
	countCallOf(p.points.bind, plugin, status)
	if status.IsSkip() {
		return status
	}
	return checkStatus(Bind, plugin, status)
}

// RunBindPlugin calls one Bind plugin and interprets its status.
func (p *Profile) RunBindPlugin(ctx context.Context, plugin fwk.BindPlugin, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.instrumentCall(Bind, state)
	start := w.start()
	status := p.CallBind(ctx, plugin, state, pod, node)
	w.recordCall(plugin.Name(), node, status, start)
	return p.CheckBindStatus(plugin.Name(), status)
}

// RunBindPlugins calls the Bind plugins until one does not skip the pod. The status is Skip if all do.
func (p *Profile) RunBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w := p.instrument(Bind, state)
	status := fwk.NewStatus(fwk.Skip, "")
	for _, s := range p.points.bind {
		if status = p.RunBindPlugin(ctx, s.plugin, state, pod, node); !status.IsSkip() {
			break
		}
	}
	w.done(status.Code())
	return status
}

// MayBlock reports whether a PreBind or Bind plugin has to be called where it may block. It then reads listers there, too.
func (p *Profile) MayBlock() bool {
	for _, s := range p.points.preBind {
		if _, steps := s.plugin.(StepwisePreBind); !steps {
			return true
		}
	}
	for _, s := range p.points.bind {
		if _, named := s.plugin.(Binder); !named {
			return true
		}
	}
	return false
}

// RunPostBindPlugins runs the PostBind plugins after a pod was bound.
func (p *Profile) RunPostBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	w := p.instrument(PostBind, state)
	for _, s := range p.points.postBind {
		start := w.start()
		status := p.call(PostBind, s.Plugin, pod, func() *fwk.Status {
			s.plugin.PostBind(ctx, state, pod, node)
			return nil
		})
		s.countCall(nil)
		w.recordCall(s.Plugin, node, status, start)
	}
	w.done(fwk.Success)
}
