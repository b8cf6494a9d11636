package memory

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/world"
)

// shape is what the API server knows of a kind beyond its fields.
type shape struct {
	group      string
	resource   string
	namespaced bool
	// spec points at the part of an object whose changes count as new generations; nil if the kind has none.
	spec func(world.Object) any
	// status copies the status of the second object into the first; nil if the kind has no status subresource.
	status func(into, from world.Object)
}

func (s shape) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: s.group, Resource: s.resource}
}

func (s shape) groupKind(kind world.Kind) schema.GroupKind {
	return schema.GroupKind{Group: s.group, Kind: string(kind)}
}

// spec and status give the two functions of a shape for a type, from functions that point at a field.
func spec[T world.Object, F any](field func(T) *F) func(world.Object) any {
	return func(o world.Object) any { return field(o.(T)) }
}

func status[T world.Object, F any](field func(T) *F) func(into, from world.Object) {
	return func(into, from world.Object) { *field(into.(T)) = *field(from.(T)) }
}

var shapes = map[world.Kind]shape{
	world.Namespace: {
		"", "namespaces", false, nil,
		status(func(o *v1.Namespace) *v1.NamespaceStatus { return &o.Status }),
	},
	world.PriorityClass: {"scheduling.k8s.io", "priorityclasses", false, nil, nil},
	world.RuntimeClass:  {"node.k8s.io", "runtimeclasses", false, nil, nil},
	world.LimitRange:    {"", "limitranges", true, nil, nil},
	world.Service: {
		"", "services", true, nil,
		status(func(o *v1.Service) *v1.ServiceStatus { return &o.Status }),
	},
	world.ReplicationController: {
		"", "replicationcontrollers", true,
		spec(func(o *v1.ReplicationController) *v1.ReplicationControllerSpec { return &o.Spec }),
		status(func(o *v1.ReplicationController) *v1.ReplicationControllerStatus { return &o.Status }),
	},
	world.ReplicaSet: {
		"apps", "replicasets", true,
		spec(func(o *appsv1.ReplicaSet) *appsv1.ReplicaSetSpec { return &o.Spec }),
		status(func(o *appsv1.ReplicaSet) *appsv1.ReplicaSetStatus { return &o.Status }),
	},
	world.StatefulSet: {
		"apps", "statefulsets", true,
		spec(func(o *appsv1.StatefulSet) *appsv1.StatefulSetSpec { return &o.Spec }),
		status(func(o *appsv1.StatefulSet) *appsv1.StatefulSetStatus { return &o.Status }),
	},
	world.Deployment: {
		"apps", "deployments", true,
		spec(func(o *appsv1.Deployment) *appsv1.DeploymentSpec { return &o.Spec }),
		status(func(o *appsv1.Deployment) *appsv1.DeploymentStatus { return &o.Status }),
	},
	world.DaemonSet: {
		"apps", "daemonsets", true,
		spec(func(o *appsv1.DaemonSet) *appsv1.DaemonSetSpec { return &o.Spec }),
		status(func(o *appsv1.DaemonSet) *appsv1.DaemonSetStatus { return &o.Status }),
	},
	world.Job: {
		"batch", "jobs", true,
		spec(func(o *batchv1.Job) *batchv1.JobSpec { return &o.Spec }),
		status(func(o *batchv1.Job) *batchv1.JobStatus { return &o.Status }),
	},
	world.PodDisruptionBudget: {
		"policy", "poddisruptionbudgets", true,
		spec(func(o *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudgetSpec { return &o.Spec }),
		status(func(o *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudgetStatus { return &o.Status }),
	},
	world.StorageClass:       {"storage.k8s.io", "storageclasses", false, nil, nil},
	world.CSIDriver:          {"storage.k8s.io", "csidrivers", false, nil, nil},
	world.CSINode:            {"storage.k8s.io", "csinodes", false, nil, nil},
	world.CSIStorageCapacity: {"storage.k8s.io", "csistoragecapacities", true, nil, nil},
	world.VolumeAttachment: {
		"storage.k8s.io", "volumeattachments", false, nil,
		status(func(o *storagev1.VolumeAttachment) *storagev1.VolumeAttachmentStatus { return &o.Status }),
	},
	world.PersistentVolume: {
		"", "persistentvolumes", false, nil,
		status(func(o *v1.PersistentVolume) *v1.PersistentVolumeStatus { return &o.Status }),
	},
	world.PersistentVolumeClaim: {
		"", "persistentvolumeclaims", true, nil,
		status(func(o *v1.PersistentVolumeClaim) *v1.PersistentVolumeClaimStatus { return &o.Status }),
	},
	world.DeviceClass: {
		"resource.k8s.io", "deviceclasses", false,
		spec(func(o *resourcev1.DeviceClass) *resourcev1.DeviceClassSpec { return &o.Spec }), nil,
	},
	world.ResourceSlice: {
		"resource.k8s.io", "resourceslices", false,
		spec(func(o *resourcev1.ResourceSlice) *resourcev1.ResourceSliceSpec { return &o.Spec }), nil,
	},
	world.ResourceClaim: {
		"resource.k8s.io", "resourceclaims", true, nil,
		status(func(o *resourcev1.ResourceClaim) *resourcev1.ResourceClaimStatus { return &o.Status }),
	},
	world.DeviceTaintRule: {
		"resource.k8s.io", "devicetaintrules", false,
		spec(func(o *resourcev1alpha3.DeviceTaintRule) *resourcev1alpha3.DeviceTaintRuleSpec { return &o.Spec }),
		status(func(o *resourcev1alpha3.DeviceTaintRule) *resourcev1alpha3.DeviceTaintRuleStatus { return &o.Status }),
	},
	world.Workload:       {"scheduling.k8s.io", "workloads", true, nil, nil},
	world.Lease:          {"coordination.k8s.io", "leases", true, nil, nil},
	world.LeaseCandidate: {"coordination.k8s.io", "leasecandidates", true, nil, nil},
	world.Node: {
		"", "nodes", false, nil,
		status(func(o *v1.Node) *v1.NodeStatus { return &o.Status }),
	},
	world.Pod: {
		"", "pods", true,
		spec(func(o *v1.Pod) *v1.PodSpec { return &o.Spec }),
		status(func(o *v1.Pod) *v1.PodStatus { return &o.Status }),
	},
}
