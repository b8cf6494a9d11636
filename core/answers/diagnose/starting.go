package diagnose

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/answers/change"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// maxStarted bounds the owners that are tried for a pod.
//
//orrery:limit answers; owners without pods that a pod's affinity may look for; the others are not tried
const maxStarted = 2

// starting are owners that are scaled to nothing, and whose pods the pod's affinity looks for.
func (p *pendingPod) starting(x *engine.Explanation) []Combination {
	if p.pod.Spec.Affinity == nil || p.pod.Spec.Affinity.PodAffinity == nil || len(x.RejectedOn(config.InterPodAffinity)) == 0 {
		return nil
	}
	var list []Combination
	for _, term := range p.pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err != nil || selector.Empty() {
			continue
		}
		for _, kind := range []world.Kind{world.Deployment, world.StatefulSet, world.ReplicaSet} {
			for o := range p.engine.Store().Objects(kind) {
				name := o.GetNamespace() + "/" + o.GetName()
				if len(list) == maxStarted || !p.looksIn(&term, o.GetNamespace()) || !selector.Matches(podsOfNone(o)) {
					continue
				}
				list = append(list, Combination{
					Changes: []change.Change{{Verb: change.Scale, Name: name, Count: 1}},
					Text:    "start a pod of " + name + ", which its affinity looks for",
				})
			}
		}
	}
	return list
}

// looksIn reports whether a term names a namespace. What a selector of namespaces selects is left to the what-if.
func (p *pendingPod) looksIn(term *v1.PodAffinityTerm, namespace string) bool {
	if len(term.Namespaces) == 0 && term.NamespaceSelector == nil {
		return namespace == p.pod.Namespace
	}
	return term.NamespaceSelector != nil || slices.Contains(term.Namespaces, namespace)
}

// podsOfNone are the labels of the pods that an owner would have, if it is scaled to none.
func podsOfNone(owner world.Object) labels.Set {
	var replicas *int32
	var template *v1.PodTemplateSpec
	switch o := owner.(type) {
	case *appsv1.Deployment:
		replicas, template = o.Spec.Replicas, &o.Spec.Template
	case *appsv1.StatefulSet:
		replicas, template = o.Spec.Replicas, &o.Spec.Template
	case *appsv1.ReplicaSet:
		if metav1.GetControllerOfNoCopy(o) == nil {
			replicas, template = o.Spec.Replicas, &o.Spec.Template
		}
	}
	if replicas == nil || *replicas > 0 {
		return nil
	}
	return template.Labels
}
