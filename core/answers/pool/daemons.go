package pool

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"orrery/core/scheduler/engine"
)

// daemonOn is the pod of a daemon set for a new node; nil if it has none there.
func daemonOn(e *engine.Engine, set *appsv1.DaemonSet, node *v1.Node) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: set.Namespace, Name: set.Name + "-" + node.Name, UID: types.UID(string(set.UID) + "/" + node.Name),
			Labels: set.Spec.Template.Labels, Annotations: set.Spec.Template.Annotations,
		},
		Spec: *set.Spec.Template.Spec.DeepCopy(),
	}
	pod.Spec.SchedulerName = cmp.Or(pod.Spec.SchedulerName, v1.DefaultSchedulerName)
	match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	if err != nil || !match || !takes(node, pod) || !slices.Contains(e.Profiles(), pod.Spec.SchedulerName) {
		return nil
	}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node.Name}},
		}}},
	}}
	return pod
}
