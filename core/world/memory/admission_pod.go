package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/core/world/podapi"
)

// admitPod completes or rejects a new pod in the order of the API server: defaults, the plugins that change pods, derived
// fields, validation. The plugins that refuse pods come next.
func (c *Cluster) admitPod(q *admission.Request, pod *v1.Pod) error {
	podapi.Default(pod)
	defaultSpreads(pod)
	if err := c.admission.Admit(c, q); err != nil {
		return err
	}
	if pod.Spec.NodeName != "" {
		pod.Labels = c.withTopology(pod.Labels, pod.Spec.NodeName)
	}
	tolerateMemoryPressure(pod)
	podapi.Prepare(pod, c.timestamp())
	return invalidUnless(world.Pod, pod, c.podRules().Create(pod))
}

// tolerateMemoryPressure adds a toleration unless the pod has it. Kubernetes says that all pods but those of the best effort
// class get it; its API server adds it by PodTolerationRestriction only, which is off by default.
func tolerateMemoryPressure(pod *v1.Pod) {
	t := v1.Toleration{Key: v1.TaintNodeMemoryPressure, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}
	if podapi.QOS(pod) != v1.PodQOSBestEffort && !slices.Contains(pod.Spec.Tolerations, t) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
	}
}

// podRules are the gates that decide which pods are valid.
func (c *Cluster) podRules() podapi.Options {
	return podapi.Options{ComparisonOperators: c.options.ComparisonOperators}
}

// admitPodUpdate is admitPod for an update.
func (c *Cluster) admitPodUpdate(q *admission.Request, changed, old *v1.Pod) error {
	podapi.Default(changed)
	defaultSpreads(changed)
	if err := c.admission.Admit(c, q); err != nil {
		return err
	}
	setGeneration(world.Pod, changed, old)
	return invalidUnless(world.Pod, changed, c.podRules().Update(changed, old))
}
