package live

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// everywhere is all namespaces.
const everywhere = metav1.NamespaceAll

// withoutNamespace are the kinds whose objects are in none.
var withoutNamespace = []world.Kind{
	world.Node, world.Namespace, world.PersistentVolume, world.PriorityClass, world.RuntimeClass, world.StorageClass, world.CSINode,
	world.CSIDriver, world.VolumeAttachment, world.ResourceSlice, world.DeviceClass, world.DeviceTaintRule,
}

// source lists and watches one kind; every generated client is one.
type source[L runtime.Object] interface {
	List(ctx context.Context, o metav1.ListOptions) (L, error)
	Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error)
}

// sourceOf says how to list and watch a kind, in one namespace or everywhere. For kinds that are in none that is the same.
func sourceOf(c kubernetes.Interface, kind world.Kind, in string) (*cache.ListWatch, error) {
	switch kind {
	case world.Pod:
		// A pod that has run to its end is as good as deleted to a scheduler, and this has the API server say so.
		return from(c.CoreV1().Pods(in), fields.AndSelectors(
			fields.OneTermNotEqualSelector("status.phase", string(v1.PodSucceeded)),
			fields.OneTermNotEqualSelector("status.phase", string(v1.PodFailed)),
		)), nil
	case world.Node:
		return from(c.CoreV1().Nodes(), nil), nil
	case world.Namespace:
		return from(c.CoreV1().Namespaces(), nil), nil
	case world.Service:
		return from(c.CoreV1().Services(in), nil), nil
	case world.ReplicationController:
		return from(c.CoreV1().ReplicationControllers(in), nil), nil
	case world.LimitRange:
		return from(c.CoreV1().LimitRanges(in), nil), nil
	case world.PersistentVolume:
		return from(c.CoreV1().PersistentVolumes(), nil), nil
	case world.PersistentVolumeClaim:
		return from(c.CoreV1().PersistentVolumeClaims(in), nil), nil
	case world.ReplicaSet:
		return from(c.AppsV1().ReplicaSets(in), nil), nil
	case world.StatefulSet:
		return from(c.AppsV1().StatefulSets(in), nil), nil
	case world.Deployment:
		return from(c.AppsV1().Deployments(in), nil), nil
	case world.DaemonSet:
		return from(c.AppsV1().DaemonSets(in), nil), nil
	case world.Job:
		return from(c.BatchV1().Jobs(in), nil), nil
	case world.PodDisruptionBudget:
		return from(c.PolicyV1().PodDisruptionBudgets(in), nil), nil
	case world.PriorityClass:
		return from(c.SchedulingV1().PriorityClasses(), nil), nil
	case world.RuntimeClass:
		return from(c.NodeV1().RuntimeClasses(), nil), nil
	case world.Workload:
		return from(c.SchedulingV1alpha1().Workloads(in), nil), nil
	case world.Lease:
		// Every kubelet renews a lease of its own every ten seconds, which nobody here reads.
		return from(c.CoordinationV1().Leases(in), fields.OneTermNotEqualSelector("metadata.namespace", v1.NamespaceNodeLease)), nil
	case world.LeaseCandidate:
		return from(c.CoordinationV1beta1().LeaseCandidates(in), nil), nil
	}
	return storageOrDevices(c, kind, in)
}

func storageOrDevices(c kubernetes.Interface, kind world.Kind, in string) (*cache.ListWatch, error) {
	switch kind {
	case world.StorageClass:
		return from(c.StorageV1().StorageClasses(), nil), nil
	case world.CSINode:
		return from(c.StorageV1().CSINodes(), nil), nil
	case world.CSIDriver:
		return from(c.StorageV1().CSIDrivers(), nil), nil
	case world.CSIStorageCapacity:
		return from(c.StorageV1().CSIStorageCapacities(in), nil), nil
	case world.VolumeAttachment:
		return from(c.StorageV1().VolumeAttachments(), nil), nil
	case world.ResourceClaim:
		return from(c.ResourceV1().ResourceClaims(in), nil), nil
	case world.ResourceSlice:
		return from(c.ResourceV1().ResourceSlices(), nil), nil
	case world.DeviceClass:
		return from(c.ResourceV1().DeviceClasses(), nil), nil
	case world.DeviceTaintRule:
		return from(c.ResourceV1alpha3().DeviceTaintRules(), nil), nil
	}
	return customSource(c, kind, in)
}

func from[L runtime.Object](s source[L], only fields.Selector) *cache.ListWatch {
	selected := func(o metav1.ListOptions) metav1.ListOptions {
		if only != nil {
			o.FieldSelector = only.String()
		}
		return o
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return s.List(ctx, selected(o))
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return s.Watch(ctx, selected(o))
		},
	}
}
