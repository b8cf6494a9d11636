package schedulinggates

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*SchedulingGates)(nil)

// Held is the reason code of a pod with scheduling gates.
const Held = "scheduling-gate"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: Held, Means: "the pod has scheduling gates (no nodes are looked at)", Fields: []string{"objects", "changes"}},
}

// Explain names the gates of a pod. They cannot be added later, so that they hold it since it was created.
func (*SchedulingGates) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ framework.Rejection) []framework.Evidence {
	gates := pod.Spec.SchedulingGates
	if len(gates) == 0 {
		return nil
	}
	e := framework.Evidence{Code: Held, Changes: []string{"ungate POD"}}
	for i := range gates {
		e.Objects = append(e.Objects, framework.Object{Kind: "SchedulingGate", Name: gates[i].Name})
	}
	e.Sentence = HeldText(pod)
	return []framework.Evidence{e}
}

// HeldText says which gates hold a pod, and since when; empty for one without gates.
func HeldText(pod *v1.Pod) string {
	gates := pod.Spec.SchedulingGates
	if len(gates) == 0 {
		return ""
	}
	names := make([]string, len(gates))
	for i := range gates {
		names[i] = gates[i].Name
	}
	text := "held by its " + plural.Of(len(gates), "scheduling gate") + " " + framework.Listed(names)
	if created := pod.CreationTimestamp; !created.IsZero() {
		text += " since " + created.UTC().Format(time.RFC3339)
	}
	return text
}
