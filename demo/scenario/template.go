package scenario

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict/pressure"
	"orrery/core/objects/workloads"
	"orrery/core/world/memory"
)

// appLabel is the label that ties pods to their workload.
const appLabel = "app"

func (w *workload) labels() map[string]string {
	labels := map[string]string{appLabel: w.name}
	maps.Copy(labels, w.Labels)
	return labels
}

func (w *workload) selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: w.name}}
}

// template returns the pod template of the workload.
func (w *workload) template() v1.PodTemplateSpec {
	t := v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: w.labels()}}
	if w.Spec != nil {
		t.Spec = *w.Spec.PodSpec.DeepCopy()
		if ref := w.Spec.WorkloadRef; ref != nil {
			workloads.SetRef(&t.ObjectMeta, *ref)
		}
	} else {
		t.Spec = w.podSpec()
	}
	if w.Gang > 0 {
		workloads.SetRef(&t.ObjectMeta, workloads.Reference{Name: w.name, PodGroup: gangName})
	}
	for i := range t.Spec.Containers {
		if t.Spec.Containers[i].Name == "" {
			t.Spec.Containers[i].Name = "main"
		}
	}
	return t
}

func (w *workload) podSpec() v1.PodSpec {
	spec := v1.PodSpec{
		Containers: []v1.Container{{
			Name: "main", Image: "registry.example/" + w.name + ":1",
			Resources: v1.ResourceRequirements{Requests: w.requests(), Limits: w.limits()},
		}},
		PriorityClassName: w.PriorityClass, SchedulerName: w.SchedulerName, NodeSelector: w.nodeSelector(),
		Affinity: w.affinity(), Tolerations: w.tolerations(), Volumes: w.podVolumes(),
	}
	spec.ResourceClaims, spec.Containers[0].Resources.Claims = w.resourceClaims()
	for _, gate := range w.SchedulingGates {
		spec.SchedulingGates = append(spec.SchedulingGates, v1.PodSchedulingGate{Name: gate})
	}
	for _, s := range w.TopologySpread {
		spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			MaxSkew: max(1, s.MaxSkew), TopologyKey: topologyKey(s.TopologyKey), WhenUnsatisfiable: s.whenUnsatisfiable(), LabelSelector: w.selector(),
		})
	}
	if w.TerminationGracePeriod != nil {
		seconds := int64(w.TerminationGracePeriod.of() / time.Second)
		spec.TerminationGracePeriodSeconds = &seconds
	}
	return spec
}

func (w *workload) requests() v1.ResourceList {
	requests := v1.ResourceList{}
	for name, q := range map[v1.ResourceName]amount{v1.ResourceCPU: w.CPU, v1.ResourceMemory: w.Memory} {
		if !q.IsZero() {
			requests[name] = q.Quantity
		}
	}
	for name, q := range w.Resources {
		requests[v1.ResourceName(name)] = q.Quantity
	}
	return requests
}

// limits are those of extended resources, which the API wants equal to the requests.
func (w *workload) limits() v1.ResourceList {
	if len(w.Resources) == 0 {
		return nil
	}
	limits := v1.ResourceList{}
	for name, q := range w.Resources {
		limits[v1.ResourceName(name)] = q.Quantity
	}
	return limits
}

func (w *workload) nodeSelector() map[string]string {
	if len(w.NodeSelector) == 0 {
		return nil
	}
	labels := map[string]string{}
	for key, value := range w.NodeSelector {
		labels[topologyKey(key)] = value
	}
	return labels
}

func (s spreadConstraint) whenUnsatisfiable() v1.UnsatisfiableConstraintAction {
	if s.Required == nil || *s.Required {
		return v1.DoNotSchedule
	}
	return v1.ScheduleAnyway
}

func (w *workload) tolerations() []v1.Toleration {
	var all []v1.Toleration
	for _, t := range w.Tolerations {
		all = append(all, t.Toleration)
	}
	if w.EvictAfter != nil {
		seconds := int64(w.EvictAfter.of() / time.Second)
		for _, key := range []string{v1.TaintNodeNotReady, v1.TaintNodeUnreachable} {
			all = append(all, v1.Toleration{
				Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
	return all
}

// affinity is the one written in full, with what is said in short added to it.
func (w *workload) affinity() *v1.Affinity {
	if w.Affinity == nil && len(w.PodAntiAffinity)+len(w.PodAffinity) == 0 {
		return nil
	}
	a := &v1.Affinity{}
	if w.Affinity != nil {
		a = w.Affinity.DeepCopy()
	}
	if len(w.PodAffinity) > 0 {
		if a.PodAffinity == nil {
			a.PodAffinity = &v1.PodAffinity{}
		}
		must, may := w.terms(w.PodAffinity)
		a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, must...)
		a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, may...)
	}
	if len(w.PodAntiAffinity) > 0 {
		if a.PodAntiAffinity == nil {
			a.PodAntiAffinity = &v1.PodAntiAffinity{}
		}
		must, may := w.terms(w.PodAntiAffinity)
		a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, must...)
		a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, may...)
	}
	return a
}

func (w *workload) terms(all podTerms) (must []v1.PodAffinityTerm, may []v1.WeightedPodAffinityTerm) {
	for _, b := range all {
		app := b.App
		if app == "" {
			app = w.name
		}
		term := v1.PodAffinityTerm{
			TopologyKey:   topologyKey(b.TopologyKey),
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: app}},
		}
		if b.Required == nil || *b.Required {
			must = append(must, term)
		} else {
			may = append(may, v1.WeightedPodAffinityTerm{Weight: 100, PodAffinityTerm: term})
		}
	}
	return must, may
}

// capacity is what a node of the group has.
func (g *nodeGroup) capacity() v1.ResourceList {
	pods := g.Pods
	if pods == 0 {
		pods = 110
	}
	all := v1.ResourceList{
		v1.ResourceCPU: g.CPU.Quantity, v1.ResourceMemory: g.Memory.Quantity,
		v1.ResourcePods: *resource.NewQuantity(int64(pods), resource.DecimalSI),
	}
	if !g.NodeFs.Size.IsZero() {
		all[v1.ResourceEphemeralStorage] = g.NodeFs.Size.Quantity
	}
	for name, q := range g.Resources {
		all[v1.ResourceName(name)] = q.Quantity
	}
	return all
}

// machine is what a node of the group has besides.
func (g *nodeGroup) machine() pressure.Machine {
	m := pressure.Machine{
		ImageFs:      memory.Disk{Bytes: g.ImageFs.Size.Value(), Inodes: g.ImageFs.Inodes},
		NodeFsInodes: g.NodeFs.Inodes, PIDs: g.PIDs,
	}
	switch {
	case g.Layers == layersOnNodeFs:
		m.Layout = pressure.SplitImageFs
	case m.ImageFs.Bytes > 0:
		m.Layout = pressure.ImageFs
	}
	return m
}

// sortedKeys goes through a map in the order of its keys.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
