package fit

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var errOfTheirOwn = errors.New("making room: pods of daemon sets, and pods with volume or resource claims, are asked about with fit: room is made for others")

// Pods are those that the objects create, as a trial places them: without nodes, priorities and claims.
func (s *Set) Pods() ([]*v1.Pod, error) {
	var all []*v1.Pod
	for _, o := range s.makers() {
		var template v1.PodTemplateSpec
		switch o := o.(type) {
		case *v1.Pod:
			template = v1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}
		case *appsv1.Deployment:
			template = o.Spec.Template
		case *appsv1.ReplicaSet:
			template = o.Spec.Template
		case *appsv1.StatefulSet:
			template = o.Spec.Template
			if len(o.Spec.VolumeClaimTemplates) > 0 {
				return nil, errOfTheirOwn
			}
		case *batchv1.Job:
			template = o.Spec.Template
		default:
			return nil, errOfTheirOwn
		}
		for i := range template.Spec.Volumes {
			if v := &template.Spec.Volumes[i]; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
				return nil, errOfTheirOwn
			}
		}
		if len(template.Spec.ResourceClaims) > 0 {
			return nil, errOfTheirOwn
		}
		for i := range podsOf(o) {
			name := o.GetName() + "-" + strconv.Itoa(i)
			pod := &v1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: o.GetNamespace(), Name: name, UID: types.UID(fmt.Sprintf("room/%s/%s", o.GetNamespace(), name)),
					Labels: template.Labels, Annotations: template.Annotations,
				},
				Spec: *template.Spec.DeepCopy(),
			}
			pod.Spec.SchedulerName, pod.Spec.NodeName = cmp.Or(pod.Spec.SchedulerName, v1.DefaultSchedulerName), ""
			all = append(all, pod)
		}
	}
	return all, nil
}
