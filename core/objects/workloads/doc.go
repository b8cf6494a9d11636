// Package workloads has the groups of Kubernetes 1.35, which later modules of Kubernetes do not know any more: the Workload of
// scheduling.k8s.io/v1alpha1, and spec.workloadRef, by which a pod is a member of one of its groups. A cluster of 1.35 with the gate
// GenericWorkload serves both, and recordings and scenarios hold them. The Workload of 1.37 (v1beta1), with templates of PodGroups, is read as
// the same type. What a pod is a member of, in any release, is asked of [orrery/core/scheduler/gangs.KeyOf].
//
//	spec.workloadRef, in JSON or a protocol buffer ── SetRef ──► v1.Pod with an annotation ── RefOf ──► Reference
//
// The Go type of a pod has no room for the reference, so it is moved into an annotation where pods come in.
package workloads
