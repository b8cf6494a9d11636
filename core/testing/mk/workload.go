package mk

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workload returns a workload of the default namespace with these groups.
func Workload(name string, groups ...schedulingv1alpha1.PodGroup) *schedulingv1alpha1.Workload {
	return &schedulingv1alpha1.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: v1.NamespaceDefault, Name: name},
		Spec:       schedulingv1alpha1.WorkloadSpec{PodGroups: groups},
	}
}

// Gang returns a group of which at least so many pods are bound together.
func Gang(group string, minCount int32) schedulingv1alpha1.PodGroup {
	return schedulingv1alpha1.PodGroup{Name: group, Policy: schedulingv1alpha1.PodGroupPolicy{
		Gang: &schedulingv1alpha1.GangSchedulingPolicy{MinCount: minCount},
	}}
}

// BasicGroup returns a group whose pods wait for nothing.
func BasicGroup(group string) schedulingv1alpha1.PodGroup {
	return schedulingv1alpha1.PodGroup{Name: group, Policy: schedulingv1alpha1.PodGroupPolicy{Basic: &schedulingv1alpha1.BasicSchedulingPolicy{}}}
}

// InGroup makes the pod a member of a workload's group.
func (b *PodBuilder) InGroup(workload, group string) *PodBuilder {
	b.pod.Spec.WorkloadRef = &v1.WorkloadReference{Name: workload, PodGroup: group}
	return b
}
