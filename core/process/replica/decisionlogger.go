package replica

import (
	"k8s.io/klog/v2"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// decisionLogger logs decisions from -v=2 on, with kube-scheduler's messages where it has some.
type decisionLogger struct{ to klog.Logger }

// Applied logs nothing: the driver logs errors of inputs.
func (l decisionLogger) Applied(world.Input, error) {}

// Stepped logs a decision.
func (l decisionLogger) Stepped(d *engine.Decision) {
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

// Emitted logs an effect.
func (l decisionLogger) Emitted(e world.Effect) {
	log := l.to.V(3)
	if !log.Enabled() {
		return
	}
	pod := world.PodOf(e.Action)
	of := klog.KRef(pod.Namespace, pod.Name)
	switch act := e.Action.(type) {
	case world.Bind:
		log.Info("Attempting to bind pod to node", "pod", of, "node", act.Node)
	case world.ClaimVolume:
		claim := klog.KRef(act.Claim.Namespace, act.Claim.Name)
		log.Info("Attempting to bind claim to volume", "pod", of, "node", act.Node, "claim", claim, "volume", act.Volume.Name)
	case world.SelectNode:
		claim := klog.KRef(act.Claim.Namespace, act.Claim.Name)
		log.Info("Attempting to select node for claim", "pod", of, "node", act.Node, "claim", claim)
	case world.ReserveResourceClaim:
		claim := klog.KRef(act.Claim.Namespace, act.Claim.Name)
		log.Info("Attempting to reserve claim", "pod", of, "node", act.Node, "resourceclaim", claim, "allocates", act.Allocation != nil)
	case world.DeallocateResourceClaim:
		log.Info("Deallocation of ResourceClaim", "pod", of, "resourceclaim", klog.KRef(act.Claim.Namespace, act.Claim.Name))
	}
}
