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

const allNamespaces = metav1.NamespaceAll

// lister lists and watches one kind, as every generated client does.
type lister[L runtime.Object] interface {
	List(ctx context.Context, o metav1.ListOptions) (L, error)
	Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error)
}

// listWatchOf lists and watches a kind, in one namespace or in all. Cluster-scoped kinds ignore the namespace.
func listWatchOf(c kubernetes.Interface, kind world.Kind, in string) (*cache.ListWatch, error) {
	switch kind {
	case world.Pod:
		// Terminated pods count as deleted for a scheduler; with the field selector the API server reports them as
		// deleted.
		active := fields.AndSelectors(
			fields.OneTermNotEqualSelector("status.phase", string(v1.PodSucceeded)),
			fields.OneTermNotEqualSelector("status.phase", string(v1.PodFailed)),
		)
		if client, able := c.(Client); able && client.members {
			return newListWatch(converted{client.Custom.Resource(world.Pod.Resource()).Namespace(in), memberOf}, active), nil
		}
		return newListWatch(c.CoreV1().Pods(in), active), nil
	case world.Node:
		return newListWatch(c.CoreV1().Nodes(), nil), nil
	case world.Namespace:
		return newListWatch(c.CoreV1().Namespaces(), nil), nil
	case world.Service:
		return newListWatch(c.CoreV1().Services(in), nil), nil
	case world.ReplicationController:
		return newListWatch(c.CoreV1().ReplicationControllers(in), nil), nil
	case world.LimitRange:
		return newListWatch(c.CoreV1().LimitRanges(in), nil), nil
	case world.PersistentVolume:
		return newListWatch(c.CoreV1().PersistentVolumes(), nil), nil
	case world.PersistentVolumeClaim:
		return newListWatch(c.CoreV1().PersistentVolumeClaims(in), nil), nil
	case world.ReplicaSet:
		return newListWatch(c.AppsV1().ReplicaSets(in), nil), nil
	case world.StatefulSet:
		return newListWatch(c.AppsV1().StatefulSets(in), nil), nil
	case world.Deployment:
		return newListWatch(c.AppsV1().Deployments(in), nil), nil
	case world.DaemonSet:
		return newListWatch(c.AppsV1().DaemonSets(in), nil), nil
	case world.Job:
		return newListWatch(c.BatchV1().Jobs(in), nil), nil
	case world.PodDisruptionBudget:
		return newListWatch(c.PolicyV1().PodDisruptionBudgets(in), nil), nil
	case world.PriorityClass:
		return newListWatch(c.SchedulingV1().PriorityClasses(), nil), nil
	case world.RuntimeClass:
		return newListWatch(c.NodeV1().RuntimeClasses(), nil), nil
	case world.Workload:
		client, able := c.(Client)
		if !able {
			return nil, errNoWorkloads
		}
		return newListWatch(client.workloadsIn(in), nil), nil
	case world.PodGroup:
		return newListWatch(c.SchedulingV1beta1().PodGroups(in), nil), nil
	case world.CompositePodGroup:
		return newListWatch(c.SchedulingV1alpha3().CompositePodGroups(in), nil), nil
	case world.Lease:
		// Every kubelet renews a lease of its own every ten seconds, which is not needed here.
		return newListWatch(c.CoordinationV1().Leases(in), fields.OneTermNotEqualSelector("metadata.namespace", v1.NamespaceNodeLease)), nil
	case world.LeaseCandidate:
		return newListWatch(c.CoordinationV1beta1().LeaseCandidates(in), nil), nil
	}
	return storageListWatch(c, kind, in)
}

func storageListWatch(c kubernetes.Interface, kind world.Kind, in string) (*cache.ListWatch, error) {
	switch kind {
	case world.StorageClass:
		return newListWatch(c.StorageV1().StorageClasses(), nil), nil
	case world.CSINode:
		return newListWatch(c.StorageV1().CSINodes(), nil), nil
	case world.CSIDriver:
		return newListWatch(c.StorageV1().CSIDrivers(), nil), nil
	case world.CSIStorageCapacity:
		return newListWatch(c.StorageV1().CSIStorageCapacities(in), nil), nil
	case world.VolumeAttachment:
		return newListWatch(c.StorageV1().VolumeAttachments(), nil), nil
	case world.ResourceClaim:
		return newListWatch(c.ResourceV1().ResourceClaims(in), nil), nil
	case world.ResourceSlice:
		return newListWatch(c.ResourceV1().ResourceSlices(), nil), nil
	case world.DeviceClass:
		return newListWatch(c.ResourceV1().DeviceClasses(), nil), nil
	case world.DeviceTaintRule:
		if client, able := c.(Client); able && client.rules != nil {
			return newListWatch(client.taintRules(), nil), nil
		}
		return newListWatch(c.ResourceV1alpha3().DeviceTaintRules(), nil), nil
	}
	return customListWatch(c, kind, in)
}

func newListWatch[L runtime.Object](s lister[L], only fields.Selector) *cache.ListWatch {
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
