package framework

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// maxPermitWait is the longest that a Permit plugin can make a pod wait.
const maxPermitWait = 15 * time.Minute

// RunPermitPlugins asks the plugins whether a pod may go to its node, now or later. A rejection or an error ends the run.
// If any plugin asks for time and none objects, the pod is put on the list of [WaitingPods] from now on, and the status
// is Wait.
func (p *Profile) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string, now time.Time) *fwk.Status {
	w := p.watch(Permit, state)
	status := p.permit(ctx, &w, state, pod, node, now)
	w.done(status.Code())
	return status
}

func (p *Profile) permit(ctx context.Context, w *watch, state fwk.CycleState, pod *v1.Pod, node string, now time.Time) *fwk.Status {
	var waits []PluginWait
	for _, s := range p.stages.permit {
		start := w.start()
		status, timeout := s.plugin.Permit(ctx, state, pod, node)
		s.answered(status)
		w.took(s.name, status, start)
		w.said(Verdict{Plugin: s.name, Node: node, Status: status, Timeout: timeout})
		if status.IsWait() {
			waits = append(waits, PluginWait{Plugin: s.name, Timeout: min(timeout, maxPermitWait)})
			continue
		}
		if failure := judged(Permit, s.name, status); failure != nil {
			return named(failure, s.name)
		}
	}
	if len(waits) == 0 {
		return nil
	}
	p.around.Waiting.Wait(pod, waits, now)
	return fwk.NewStatus(fwk.Wait, fmt.Sprintf("one or more plugins asked to wait and no plugin rejected pod %q", pod.Name))
}

// WillWaitOnPermit tells whether a pod is on the list of waiting pods.
func (p *Profile) WillWaitOnPermit(pod *v1.Pod) bool { return p.around.Waiting.Get(pod.UID) != nil }
