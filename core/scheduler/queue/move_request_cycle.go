package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// alwaysMovingResources are the kinds whose events move all pods in unschedulablePods under MoveRequestCycle, besides
// the registered ones.
var alwaysMovingResources = map[fwk.EventResource]bool{
	fwk.Pod: true, fwk.AssignedPod: true, UnschedulablePod: true, fwk.UnscheduledPod: true, fwk.TargetPod: true, fwk.Node: true, "Service": true,
	fwk.PersistentVolume: true, fwk.PersistentVolumeClaim: true, fwk.StorageClass: true, fwk.CSINode: true,
}

// strategyByCycle decides on a failed pod under MoveRequestCycle: it is retried if an event moved pods during its
// attempt or later, and otherwise put into unschedulablePods.
func (q *Queue) strategyByCycle(cycle int64) queueingStrategy {
	if q.moveRequestCycle >= cycle {
		return queueAfterBackoff
	}
	return queueSkip
}

// isPodUpdated reports whether an update changes more than the status fields that the scheduler itself writes.
func isPodUpdated(old, updated *v1.Pod) bool {
	return !equality.Semantic.DeepEqual(schedulingFields(old), schedulingFields(updated))
}

func schedulingFields(pod *v1.Pod) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			UID: pod.UID, Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
			DeletionTimestamp: pod.DeletionTimestamp,
		},
		Spec: pod.Spec,
		Status: v1.PodStatus{
			ResourceClaimStatuses:       pod.Status.ResourceClaimStatuses,
			ExtendedResourceClaimStatus: pod.Status.ExtendedResourceClaimStatus,
		},
	}
}
