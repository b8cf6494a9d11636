package main

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
)

// workloads returns the ReplicaSets of a shop, its data stores and its batch work, with about the given number of pods in
// all. One requests a resource that no node has.
func workloads(pods int) []*appsv1.ReplicaSet {
	part := func(percent int) int32 { return int32(max(1, pods*percent/100)) }
	return []*appsv1.ReplicaSet{
		workload("shop", "web-6d5f8c", part(40), "500m", "512Mi", func(s *v1.PodSpec, own map[string]string) {
			s.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
				LabelSelector: &metav1.LabelSelector{MatchLabels: own},
			}}
		}),
		workload("shop", "checkout-79b4cd", part(18), "750m", "1Gi", func(s *v1.PodSpec, own map[string]string) {
			s.PriorityClassName = "vital"
			s.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 50, PodAffinityTerm: apart(own)}},
			}}
		}),
		workload("data", "store-5c8f7b", part(2), "2", "8Gi", func(s *v1.PodSpec, own map[string]string) {
			s.PriorityClassName = "vital"
			s.NodeSelector = map[string]string{"disk": "ssd"}
			s.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{apart(own)},
			}}
		}),
		workload("batch", "report-84f6d9", part(39), "1", "2Gi", func(s *v1.PodSpec, _ map[string]string) {
			s.PriorityClassName = "can-wait"
		}),
		workload("batch", "train-6b7c59", part(1), "4", "16Gi", func(s *v1.PodSpec, _ map[string]string) {
			requests := s.Containers[0].Resources.Requests
			requests["example.com/gpu"] = resource.MustParse("1")
			s.Containers[0].Resources.Limits = v1.ResourceList{"example.com/gpu": resource.MustParse("1")}
		}),
	}
}

// apart returns an anti-affinity term against pods with these labels on the same node.
func apart(own map[string]string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: own}}
}

func workload(namespace, name string, replicas int32, cpu, memory string, shape func(*v1.PodSpec, map[string]string)) *appsv1.ReplicaSet {
	own := map[string]string{"app": name}
	template := apiserver.Pod(name, cpu, memory)
	shape(&template.Spec, own)
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: own},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: own},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: own}, Spec: template.Spec},
		},
	}
}
