package framework

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// maxPermitWait is the longest that a Permit plugin can make a pod wait.
//
//orrery:limit scheduler; how long a Permit plugin makes a pod wait; the pod is rejected
const maxPermitWait = 15 * time.Minute

// RunPermitPlugins runs the Permit plugins on a pod and its node. A rejection or an error ends the run. If any plugin
// returns Wait and none rejects, the pod is added to [WaitingPods] and the status is Wait.
func (p *Profile) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string, now time.Time) *fwk.Status {
	w := p.instrument(Permit, state)
	status := p.permit(ctx, &w, state, pod, node, now)
	w.done(status.Code())
	return status
}

func (p *Profile) permit(ctx context.Context, w *instrument, state fwk.CycleState, pod *v1.Pod, node string, now time.Time) *fwk.Status {
	var waits []PluginWait
	for _, s := range p.points.permit {
		start := w.start()
		var timeout time.Duration
		status := p.call(Permit, s.Plugin, pod, func() (status *fwk.Status) {
			status, timeout = s.plugin.Permit(ctx, state, pod, node)
			return status
		})
		s.countCall(status)
		w.observe(s.Plugin, status, start)
		w.record(PluginResult{Plugin: s.Plugin, Node: node, Status: status, Timeout: timeout})
		if status.IsWait() {
			waits = append(waits, PluginWait{Plugin: s.Plugin, Timeout: min(timeout, maxPermitWait)})
			continue
		}
		if failure := checkStatus(Permit, s.Plugin, status); failure != nil {
			return withPlugin(failure, s.Plugin)
		}
	}
	if len(waits) == 0 {
		return nil
	}
	p.deps.Waiting.Wait(pod, waits, now)
	return fwk.NewStatus(fwk.Wait, fmt.Sprintf("one or more plugins asked to wait and no plugin rejected pod %q", pod.Name))
}

// WillWaitOnPermit reports whether a pod is on the list of waiting pods.
func (p *Profile) WillWaitOnPermit(pod *v1.Pod) bool { return p.deps.Waiting.Get(pod.UID) != nil }
