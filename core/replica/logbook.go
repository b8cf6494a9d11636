package replica

import (
	"k8s.io/klog/v2"

	"orrery/core/engine"
	"orrery/core/world"
)

// logbook writes decisions to the log, for those who want to read so much: from -v=2 on, in kube-scheduler's words where
// it has some. It is an engine.Witness.
type logbook struct{ to klog.Logger }

// Applied says nothing: what is wrong with an input is logged where it is taken in.
func (l logbook) Applied(world.Input, error) {}

// Stepped logs a decision.
func (l logbook) Stepped(d *engine.Decision) {
	log := l.to.V(2)
	if d == nil || !log.Enabled() {
		return
	}
	pod := klog.KRef(d.Pod.Namespace, d.Pod.Name)
	switch d.Verdict {
	case engine.Placed:
		log.Info("Found a node for pod", "pod", pod, "node", d.Node, "evaluatedNodes", d.Examined, "feasibleNodes", d.Feasible)
	case engine.Unschedulable:
		log.Info("Unable to schedule pod; no fit; waiting", "pod", pod, "err", d.Message)
	case engine.Failed:
		log.Info("Error scheduling pod; retrying", "pod", pod, "err", d.Message)
	case engine.Skipped:
		log.Info("Skip schedule deleting pod", "pod", pod)
	}
}

// Wanted logs an effect.
func (l logbook) Wanted(e world.Effect) {
	if log := l.to.V(3); log.Enabled() {
		if bind, ok := e.Act.(world.Bind); ok {
			log.Info("Attempting to bind pod to node", "pod", klog.KRef(bind.Pod.Namespace, bind.Pod.Name), "node", bind.Node)
		}
	}
}
