// Package kinds makes the kinds of pods that speed is measured with.
package kinds

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
)

// Plain is a pod of one template.
func Plain(i int) *mk.PodBuilder {
	return mk.Pod(fmt.Sprintf("p%d", i)).Label("app", "main").CPU("100m").Memory("100Mi")
}

// Different is a pod that no other is like.
func Different(i int) *mk.PodBuilder {
	return mk.Pod(fmt.Sprintf("p%d", i)).Label("app", fmt.Sprintf("app%d", i)).
		CPU(fmt.Sprintf("%dm", 100+i%997)).Memory(fmt.Sprintf("%dMi", 100+i%499))
}

// Groups is the number of applications that the following pods belong to.
const Groups = 10

func group(i int) (name string, selector *metav1.LabelSelector) {
	name = fmt.Sprintf("group%d", i%Groups)
	return name, &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

// HardSpread is a pod of a group that is spread over zones and nodes.
func HardSpread(i int) *mk.PodBuilder { return spread(i, v1.DoNotSchedule) }

// SoftSpread is the same, if it can be.
func SoftSpread(i int) *mk.PodBuilder { return spread(i, v1.ScheduleAnyway) }

func spread(i int, otherwise v1.UnsatisfiableConstraintAction) *mk.PodBuilder {
	app, selector := group(i)
	b := Plain(i).Label("app", app)
	for _, key := range []string{v1.LabelTopologyZone, v1.LabelHostname} {
		b.Obj().Spec.TopologySpreadConstraints = append(b.Obj().Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: otherwise, LabelSelector: selector,
		})
	}
	return b
}

// AntiAffinity is a pod that shares no node with its group.
func AntiAffinity(i int) *mk.PodBuilder {
	app, selector := group(i)
	return Plain(i).Label("app", app).Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: v1.LabelHostname}},
	}})
}

// RequiredAffinity is a pod in the zone of its group.
func RequiredAffinity(i int) *mk.PodBuilder {
	app, selector := group(i)
	return Plain(i).Label("app", app).Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: v1.LabelTopologyZone}},
	}})
}

// PreferredAffinity is a pod that likes the nodes of its group.
func PreferredAffinity(i int) *mk.PodBuilder {
	app, selector := group(i)
	return Plain(i).Label("app", app).Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{
			Weight: 10, PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: selector, TopologyKey: v1.LabelHostname},
		}},
	}})
}
