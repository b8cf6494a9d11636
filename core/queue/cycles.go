package queue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// movesEverything are the kinds whose events move all parked pods under the rule MoveRequestCycle, beside what plugins
// registered.
var movesEverything = map[fwk.EventResource]bool{
	fwk.Pod: true, AssignedPod: true, UnschedulablePod: true, fwk.Node: true, "Service": true,
	fwk.PersistentVolume: true, fwk.PersistentVolumeClaim: true, fwk.StorageClass: true, fwk.CSINode: true,
}

// verdictByCycle decides about a failed pod under the rule MoveRequestCycle: if an event moved pods during its attempt
// or after, it is retried, and otherwise parked.
func (q *Queue) verdictByCycle(cycle int64) strategy {
	if q.moveRequest >= cycle {
		return afterBackoff
	}
	return skip
}

// changedItself tells whether an update is more than the scheduler's own writing on the pod's status coming back.
func changedItself(old, updated *v1.Pod) bool {
	return !equality.Semantic.DeepEqual(essence(old), essence(updated))
}

func essence(pod *v1.Pod) *v1.Pod {
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
