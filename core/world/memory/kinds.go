package memory

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/world"
	"orrery/core/world/admission"
)

// kindInfo has the API server's metadata of a kind beyond its resource and scope.
type kindInfo struct {
	// spec returns the part of an object whose changes increment the generation; nil if the kind has none.
	spec func(world.Object) any
	// status copies the status of the second object into the first; nil if the kind has no status subresource.
	status func(into, from world.Object)
}

// The kinds that controllers alone read: no scheduler watches them.
const (
	ResourceClaimTemplate world.Kind = "ResourceClaimTemplate"
	ResourceQuota                    = admission.ResourceQuota
)

// unwatched are the resources of the kinds that no scheduler watches. Their objects are in namespaces.
var unwatched = map[world.Kind]schema.GroupVersionResource{
	ResourceClaimTemplate: resourcev1.SchemeGroupVersion.WithResource("resourceclaimtemplates"),
	ResourceQuota:         v1.SchemeGroupVersion.WithResource("resourcequotas"),
}

// Kinds lists every kind: those of [world.Kinds], and those that no scheduler watches.
func Kinds() []world.Kind { return append(world.Kinds(), ResourceClaimTemplate, ResourceQuota) }

// KindOf is [world.KindOf] for the kinds that no scheduler watches, too.
func KindOf(o world.Object) world.Kind {
	switch o.(type) {
	case *resourcev1.ResourceClaimTemplate:
		return ResourceClaimTemplate
	case *v1.ResourceQuota:
		return ResourceQuota
	}
	return world.KindOf(o)
}

// NewObject is [world.New] for the kinds that no scheduler watches, too.
func NewObject(kind world.Kind) (world.Object, error) {
	switch kind {
	case ResourceClaimTemplate:
		return &resourcev1.ResourceClaimTemplate{}, nil
	case ResourceQuota:
		return &v1.ResourceQuota{}, nil
	}
	return world.New(kind)
}

// IsNamespaced reports whether the objects of a kind are in namespaces.
func IsNamespaced(kind world.Kind) bool {
	_, is := unwatched[kind]
	return is || kind.Namespaced()
}

// Resource is the resource of a kind.
func Resource(kind world.Kind) schema.GroupVersionResource {
	if resource, is := unwatched[kind]; is {
		return resource
	}
	return kind.Resource()
}

func groupResource(kind world.Kind) schema.GroupResource { return Resource(kind).GroupResource() }

func groupKind(kind world.Kind) schema.GroupKind {
	return schema.GroupKind{Group: groupResource(kind).Group, Kind: string(kind)}
}

// spec and status build the two functions of a kindInfo for a type, from functions that return a field.
func spec[T world.Object, F any](field func(T) *F) func(world.Object) any {
	return func(o world.Object) any { return field(o.(T)) }
}

func status[T world.Object, F any](field func(T) *F) func(into, from world.Object) {
	return func(into, from world.Object) { *field(into.(T)) = *field(from.(T)) }
}

var kindInfos = map[world.Kind]kindInfo{
	world.Namespace: {
		nil,
		status(func(o *v1.Namespace) *v1.NamespaceStatus { return &o.Status }),
	},
	world.PriorityClass: {},
	world.RuntimeClass:  {},
	world.LimitRange:    {},
	world.Service: {
		nil,
		status(func(o *v1.Service) *v1.ServiceStatus { return &o.Status }),
	},
	world.ReplicationController: {
		spec(func(o *v1.ReplicationController) *v1.ReplicationControllerSpec { return &o.Spec }),
		status(func(o *v1.ReplicationController) *v1.ReplicationControllerStatus { return &o.Status }),
	},
	world.ReplicaSet: {
		spec(func(o *appsv1.ReplicaSet) *appsv1.ReplicaSetSpec { return &o.Spec }),
		status(func(o *appsv1.ReplicaSet) *appsv1.ReplicaSetStatus { return &o.Status }),
	},
	world.StatefulSet: {
		spec(func(o *appsv1.StatefulSet) *appsv1.StatefulSetSpec { return &o.Spec }),
		status(func(o *appsv1.StatefulSet) *appsv1.StatefulSetStatus { return &o.Status }),
	},
	world.Deployment: {
		spec(func(o *appsv1.Deployment) *appsv1.DeploymentSpec { return &o.Spec }),
		status(func(o *appsv1.Deployment) *appsv1.DeploymentStatus { return &o.Status }),
	},
	world.DaemonSet: {
		spec(func(o *appsv1.DaemonSet) *appsv1.DaemonSetSpec { return &o.Spec }),
		status(func(o *appsv1.DaemonSet) *appsv1.DaemonSetStatus { return &o.Status }),
	},
	world.Job: {
		spec(func(o *batchv1.Job) *batchv1.JobSpec { return &o.Spec }),
		status(func(o *batchv1.Job) *batchv1.JobStatus { return &o.Status }),
	},
	world.PodDisruptionBudget: {
		spec(func(o *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudgetSpec { return &o.Spec }),
		status(func(o *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudgetStatus { return &o.Status }),
	},
	world.StorageClass:       {},
	world.CSIDriver:          {},
	world.CSINode:            {},
	world.CSIStorageCapacity: {},
	world.VolumeAttachment: {
		nil,
		status(func(o *storagev1.VolumeAttachment) *storagev1.VolumeAttachmentStatus { return &o.Status }),
	},
	world.PersistentVolume: {
		nil,
		status(func(o *v1.PersistentVolume) *v1.PersistentVolumeStatus { return &o.Status }),
	},
	world.PersistentVolumeClaim: {
		nil,
		status(func(o *v1.PersistentVolumeClaim) *v1.PersistentVolumeClaimStatus { return &o.Status }),
	},
	world.DeviceClass: {
		spec(func(o *resourcev1.DeviceClass) *resourcev1.DeviceClassSpec { return &o.Spec }), nil,
	},
	world.ResourceSlice: {
		spec(func(o *resourcev1.ResourceSlice) *resourcev1.ResourceSliceSpec { return &o.Spec }), nil,
	},
	world.ResourceClaim: {
		nil,
		status(func(o *resourcev1.ResourceClaim) *resourcev1.ResourceClaimStatus { return &o.Status }),
	},
	ResourceClaimTemplate: {},
	ResourceQuota: {
		nil,
		status(func(o *v1.ResourceQuota) *v1.ResourceQuotaStatus { return &o.Status }),
	},
	world.DeviceTaintRule: {
		spec(func(o *resourcev1alpha3.DeviceTaintRule) *resourcev1alpha3.DeviceTaintRuleSpec { return &o.Spec }),
		status(func(o *resourcev1alpha3.DeviceTaintRule) *resourcev1alpha3.DeviceTaintRuleStatus { return &o.Status }),
	},
	world.Workload: {},
	world.CompositePodGroup: {
		spec(func(o *schedulingv1alpha3.CompositePodGroup) *schedulingv1alpha3.CompositePodGroupSpec {
			return &o.Spec
		}),
		status(func(o *schedulingv1alpha3.CompositePodGroup) *schedulingv1alpha3.CompositePodGroupStatus {
			return &o.Status
		}),
	},
	world.PodGroup: {
		spec(func(o *schedulingv1beta1.PodGroup) *schedulingv1beta1.PodGroupSpec { return &o.Spec }),
		status(func(o *schedulingv1beta1.PodGroup) *schedulingv1beta1.PodGroupStatus { return &o.Status }),
	},
	world.Lease:          {},
	world.LeaseCandidate: {},
	world.Node: {
		nil,
		status(func(o *v1.Node) *v1.NodeStatus { return &o.Status }),
	},
	world.Pod: {
		spec(func(o *v1.Pod) *v1.PodSpec { return &o.Spec }),
		status(func(o *v1.Pod) *v1.PodStatus { return &o.Status }),
	},
}
