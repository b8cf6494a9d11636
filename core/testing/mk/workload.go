package mk

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/workloads"
)

// Workload returns a workload of the default namespace with these groups.
func Workload(name string, groups ...workloads.PodGroup) *workloads.Workload {
	return &workloads.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: v1.NamespaceDefault, Name: name},
		Spec:       workloads.Spec{PodGroups: groups},
	}
}

// Gang returns a group of which at least so many pods are bound together.
func Gang(group string, minCount int32) workloads.PodGroup {
	return workloads.PodGroup{Name: group, Policy: workloads.Policy{
		Gang: &workloads.GangPolicy{MinCount: minCount},
	}}
}

// BasicGroup returns a group whose pods wait for nothing.
func BasicGroup(group string) workloads.PodGroup {
	return workloads.PodGroup{Name: group, Policy: workloads.Policy{Basic: &workloads.BasicPolicy{}}}
}

// InGroup makes the pod a member of a workload's group.
func (b *PodBuilder) InGroup(workload, group string) *PodBuilder {
	workloads.SetRef(&b.pod.ObjectMeta, workloads.Reference{Name: workload, PodGroup: group})
	return b
}

// Replica makes a pod of a group one of a replica of it.
func Replica(pod *v1.Pod, key string) {
	ref, _ := workloads.RefOf(pod)
	ref.PodGroupReplicaKey = key
	workloads.SetRef(&pod.ObjectMeta, ref)
}
