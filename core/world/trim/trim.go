package trim

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/objects/workloads"
	"orrery/core/world"
)

// Object returns a copy of an object without the parts that scheduling never reads: environments, commands, probes,
// contents of volumes, managed fields, annotations of others. Recordings hold such copies. The copy shares its parts with
// the object, which is not changed; trimming it again gives an equal copy.
//
// Pods, nodes and the objects of storage are built from the fields that are read, so that a field of a later Kubernetes
// stays out.
func Object(o world.Object) world.Object {
	switch o := o.(type) {
	case *v1.Pod:
		return trimPod(o)
	case *v1.Node:
		return trimNode(o)
	case *v1.PersistentVolume:
		return trimVolume(o)
	case *v1.PersistentVolumeClaim:
		c := trimClaim(o)
		return &c
	case *v1.Service:
		return &v1.Service{
			TypeMeta: o.TypeMeta, ObjectMeta: trimMeta(&o.ObjectMeta), Spec: v1.ServiceSpec{Selector: o.Spec.Selector},
		}
	case *v1.ReplicationController, *appsv1.ReplicaSet, *appsv1.StatefulSet, *appsv1.Deployment, *appsv1.DaemonSet, *batchv1.Job:
		return trimWorkload(o)
	case *storagev1.StorageClass:
		return trimStorageClass(o)
	case *storagev1.CSINode:
		return trimCSINode(o)
	case *storagev1.CSIDriver:
		return trimCSIDriver(o)
	case *storagev1.CSIStorageCapacity:
		return trimStorageCapacity(o)
	case *storagev1.VolumeAttachment:
		return trimAttachment(o)
	case *resourcev1.ResourceSlice:
		c := *o
		c.ObjectMeta = trimMeta(&o.ObjectMeta)
		return &c
	case *resourcev1.ResourceClaim:
		return trimResourceClaim(o)
	case *resourcev1.DeviceClass:
		return trimDeviceClass(o)
	case *world.Custom:
		return &world.Custom{TypeMeta: o.TypeMeta, ObjectMeta: trimMeta(&o.ObjectMeta), Resource: o.Resource}
	}
	return trimOther(o)
}

// LiveObject is Object for a world whose objects plugins write back whole. Resource claims and device classes lose their
// managed fields only. Custom objects stay whole, as only their plugin knows its fields.
func LiveObject(o world.Object) world.Object {
	switch o := o.(type) {
	case *resourcev1.ResourceClaim:
		c := *o
		c.ManagedFields = nil
		return &c
	case *resourcev1.DeviceClass:
		c := *o
		c.ManagedFields = nil
		return &c
	case *world.Custom:
		return o
	}
	return Object(o)
}

// WholeObject returns a pod or a node without its managed fields, for a world in which others than the scheduler's plugins read
// it.
func WholeObject(o world.Object) world.Object {
	switch o := o.(type) {
	case *v1.Pod:
		c := *o
		c.ManagedFields = nil
		return &c
	case *v1.Node:
		c := *o
		c.ManagedFields = nil
		return &c
	}
	return Object(o)
}

// trimOther trims the metadata of the remaining, small kinds.
func trimOther(o world.Object) world.Object {
	c, ok := o.DeepCopyObject().(world.Object)
	if !ok {
		return o
	}
	c.SetManagedFields(nil)
	c.SetSelfLink("")
	c.SetAnnotations(trimAnnotations(c.GetAnnotations()))
	switch c := c.(type) {
	case *schedulingv1.PriorityClass:
		c.Description = ""
	case *policyv1.PodDisruptionBudget:
		c.Status.Conditions = nil
	case *v1.Namespace:
		c.Status.Conditions = nil
	case *resourcev1alpha3.DeviceTaintRule:
		c.Status.Conditions = nil
	case *schedulingv1beta1.PodGroup:
		c.Status.Conditions = trimGroupConditions(c.Status.Conditions)
	case *schedulingv1alpha3.CompositePodGroup:
		c.Status.Conditions = trimGroupConditions(c.Status.Conditions)
	}
	return c
}

// keptAnnotations are the annotations that scheduling or a controller reads.
var keptAnnotations = map[string]bool{
	storagevolume.AnnBindCompleted:                true,
	storagevolume.AnnBoundByController:            true,
	storagevolume.AnnSelectedNode:                 true,
	storagevolume.AnnDynamicallyProvisioned:       true,
	storagevolume.AnnMigratedTo:                   true,
	storagevolume.AnnStorageProvisioner:           true,
	storagevolume.AnnBetaStorageProvisioner:       true,
	v1.BetaStorageClassAnnotation:                 true,
	v1.MigratedPluginsAnnotationKey:               true,
	"storageclass.kubernetes.io/is-default-class": true,
	"kubernetes.io/azure-file-resource-group":     true,
	resourcev1.ExtendedResourceClaimAnnotation:    true,
	"resource.kubernetes.io/pod-claim-name":       true,
	"kubernetes.io/config.mirror":                 true,
	v1.PodDeletionCost:                            true,
	workloads.Annotation:                          true,
	// What keeps pods and nodes from being moved by autoscalers, and so from a plan that empties nodes.
	"karpenter.sh/do-not-disrupt":                          true,
	"cluster-autoscaler.kubernetes.io/safe-to-evict":       true,
	"cluster-autoscaler.kubernetes.io/scale-down-disabled": true,
}

// maxAnnotation bounds the values kept, in bytes. The longest read is a list of migrated volume plugins.
//
//orrery:limit API server; an annotation that scheduling reads, in bytes; it is dropped
const maxAnnotation = 4096

func trimAnnotations(all map[string]string) map[string]string {
	var kept map[string]string
	for key, value := range all {
		if keptAnnotations[key] && len(value) <= maxAnnotation {
			if kept == nil {
				kept = make(map[string]string)
			}
			kept[key] = value
		}
	}
	return kept
}

func trimMeta(m *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:                       m.Name,
		GenerateName:               m.GenerateName,
		Namespace:                  m.Namespace,
		UID:                        m.UID,
		ResourceVersion:            m.ResourceVersion,
		Generation:                 m.Generation,
		CreationTimestamp:          m.CreationTimestamp,
		DeletionTimestamp:          m.DeletionTimestamp,
		DeletionGracePeriodSeconds: m.DeletionGracePeriodSeconds,
		Labels:                     m.Labels,
		Annotations:                trimAnnotations(m.Annotations),
		OwnerReferences:            m.OwnerReferences,
		Finalizers:                 m.Finalizers,
	}
}

// trimWorkload trims the pod template of a controller, and drops status for people.
func trimWorkload(o world.Object) world.Object {
	switch o := o.(type) {
	case *v1.ReplicationController:
		c := *o
		c.ObjectMeta, c.Status.Conditions = trimMeta(&o.ObjectMeta), nil
		if o.Spec.Template != nil {
			template := trimTemplate(o.Spec.Template)
			c.Spec.Template = &template
		}
		return &c
	case *appsv1.ReplicaSet:
		c := *o
		c.ObjectMeta, c.Spec.Template, c.Status.Conditions = trimMeta(&o.ObjectMeta), trimTemplate(&o.Spec.Template), nil
		return &c
	case *appsv1.StatefulSet:
		c := *o
		c.ObjectMeta, c.Spec.Template, c.Status.Conditions = trimMeta(&o.ObjectMeta), trimTemplate(&o.Spec.Template), nil
		c.Spec.VolumeClaimTemplates = mapSlice(o.Spec.VolumeClaimTemplates, trimClaim)
		return &c
	case *appsv1.Deployment:
		c := *o
		c.ObjectMeta, c.Spec.Template, c.Status.Conditions = trimMeta(&o.ObjectMeta), trimTemplate(&o.Spec.Template), nil
		return &c
	case *appsv1.DaemonSet:
		c := *o
		c.ObjectMeta, c.Spec.Template, c.Status.Conditions = trimMeta(&o.ObjectMeta), trimTemplate(&o.Spec.Template), nil
		return &c
	case *batchv1.Job:
		c := *o
		c.ObjectMeta, c.Spec.Template, c.Status.Conditions = trimMeta(&o.ObjectMeta), trimTemplate(&o.Spec.Template), nil
		return &c
	}
	return o
}

func trimTemplate(t *v1.PodTemplateSpec) v1.PodTemplateSpec {
	trimmed := v1.PodTemplateSpec{ObjectMeta: trimMeta(&t.ObjectMeta)}
	trimPodSpec(&trimmed.Spec, &t.Spec)
	return trimmed
}

// mapSlice applies f to each element of a slice; nil stays nil.
func mapSlice[T any](all []T, f func(*T) T) []T { return mapInto(nil, all, f) }

// mapInto is mapSlice in the memory of another slice, if that has enough.
func mapInto[T any](to, all []T, f func(*T) T) []T {
	if all == nil {
		return nil
	}
	if cap(to) < len(all) || to == nil {
		to = make([]T, len(all))
	}
	to = to[:len(all)]
	for i := range all {
		to[i] = f(&all[i])
	}
	return to
}
