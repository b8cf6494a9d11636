package mk

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodGroupBuilder builds a PodGroup.
type PodGroupBuilder struct{ group schedulingv1beta1.PodGroup }

// PodGroup starts a PodGroup of the default namespace of which at least so many pods are placed together; of zero, each is placed for itself.
func PodGroup(name string, minCount int32) *PodGroupBuilder {
	b := &PodGroupBuilder{schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: v1.NamespaceDefault, Name: name}}}
	policy := &b.group.Spec.SchedulingPolicy
	if minCount == 0 {
		policy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
	} else {
		policy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: minCount}
	}
	return b
}

// In makes the group a part of a CompositePodGroup; empty for none, and of a workload.
func (b *PodGroupBuilder) In(composite, workload string) *PodGroupBuilder {
	if composite != "" {
		b.group.Spec.ParentCompositePodGroupName = &composite
	}
	b.group.Spec.WorkloadRef = &schedulingv1beta1.WorkloadReference{WorkloadName: workload, TemplateName: "workers"}
	return b
}

// Within has all pods be in one domain of a topology key.
func (b *PodGroupBuilder) Within(key string) *PodGroupBuilder {
	b.group.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: key}}}
	return b
}

// Reported adds the condition PodGroupInitiallyScheduled with the status False.
func (b *PodGroupBuilder) Reported(message string) *PodGroupBuilder {
	b.group.Status.Conditions = append(b.group.Status.Conditions, metav1.Condition{
		Type: schedulingv1beta1.PodGroupInitiallyScheduled, Status: metav1.ConditionFalse, Reason: schedulingv1beta1.PodGroupReasonUnschedulable, Message: message,
	})
	return b
}

// Obj returns the group.
func (b *PodGroupBuilder) Obj() *schedulingv1beta1.PodGroup { return b.group.DeepCopy() }

// InPodGroup makes the pod a member of a PodGroup.
func (b *PodBuilder) InPodGroup(name string) *PodBuilder {
	b.pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name}
	return b
}
