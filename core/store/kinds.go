package store

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/world"
)

// kindEntry is what the store has to know of a kind.
type kindEntry struct {
	kind     world.Kind
	resource schema.GroupVersionResource
	// namespaced kinds have their objects in namespaces. Of custom kinds nobody here knows whether they have.
	namespaced, custom bool
	// countedByUID kinds are accounted for by UID, so that an object without one could stand for another.
	countedByUID bool
	goType       reflect.Type
}

// kindTable describes every kind of world.Kinds.
var kindTable = describeKinds([]kindEntry{
	{kind: world.Pod, resource: v1.SchemeGroupVersion.WithResource("pods"), namespaced: true, countedByUID: true},
	{kind: world.Node, resource: v1.SchemeGroupVersion.WithResource("nodes")},
	{kind: world.Namespace, resource: v1.SchemeGroupVersion.WithResource("namespaces")},
	{kind: world.Service, resource: v1.SchemeGroupVersion.WithResource("services"), namespaced: true},
	{kind: world.ReplicationController, resource: v1.SchemeGroupVersion.WithResource("replicationcontrollers"), namespaced: true},
	{kind: world.LimitRange, resource: v1.SchemeGroupVersion.WithResource("limitranges"), namespaced: true},
	{kind: world.PersistentVolume, resource: v1.SchemeGroupVersion.WithResource("persistentvolumes")},
	{kind: world.PersistentVolumeClaim, resource: v1.SchemeGroupVersion.WithResource("persistentvolumeclaims"), namespaced: true},
	{kind: world.ReplicaSet, resource: appsv1.SchemeGroupVersion.WithResource("replicasets"), namespaced: true},
	{kind: world.StatefulSet, resource: appsv1.SchemeGroupVersion.WithResource("statefulsets"), namespaced: true},
	{kind: world.Deployment, resource: appsv1.SchemeGroupVersion.WithResource("deployments"), namespaced: true},
	{kind: world.DaemonSet, resource: appsv1.SchemeGroupVersion.WithResource("daemonsets"), namespaced: true},
	{kind: world.Job, resource: batchv1.SchemeGroupVersion.WithResource("jobs"), namespaced: true},
	{kind: world.PodDisruptionBudget, resource: policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), namespaced: true},
	{kind: world.PriorityClass, resource: schedulingv1.SchemeGroupVersion.WithResource("priorityclasses")},
	{kind: world.RuntimeClass, resource: nodev1.SchemeGroupVersion.WithResource("runtimeclasses")},
	{kind: world.StorageClass, resource: storagev1.SchemeGroupVersion.WithResource("storageclasses")},
	{kind: world.CSINode, resource: storagev1.SchemeGroupVersion.WithResource("csinodes")},
	{kind: world.CSIDriver, resource: storagev1.SchemeGroupVersion.WithResource("csidrivers")},
	{kind: world.CSIStorageCapacity, resource: storagev1.SchemeGroupVersion.WithResource("csistoragecapacities"), namespaced: true},
	{kind: world.VolumeAttachment, resource: storagev1.SchemeGroupVersion.WithResource("volumeattachments")},
	{kind: world.ResourceClaim, resource: resourcev1.SchemeGroupVersion.WithResource("resourceclaims"), namespaced: true, countedByUID: true},
	{kind: world.ResourceSlice, resource: resourcev1.SchemeGroupVersion.WithResource("resourceslices")},
	{kind: world.DeviceClass, resource: resourcev1.SchemeGroupVersion.WithResource("deviceclasses")},
	{kind: world.DeviceTaintRule, resource: resourcev1alpha3.SchemeGroupVersion.WithResource("devicetaintrules")},
	{kind: world.Workload, resource: schedulingv1alpha1.SchemeGroupVersion.WithResource("workloads"), namespaced: true},
	{kind: world.Lease, resource: coordinationv1.SchemeGroupVersion.WithResource("leases"), namespaced: true},
	{kind: world.LeaseCandidate, resource: coordinationv1beta1.SchemeGroupVersion.WithResource("leasecandidates"), namespaced: true},
})

// missing tells whether there is no object at all: nothing, or a pointer to nothing, which a broken list may hold.
func missing(o world.Object) bool {
	if o == nil {
		return true
	}
	v := reflect.ValueOf(o)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// An object's kind is looked up by its Go type: by the type's identity, and no more of reflection than that.
var (
	numberByKind = index(func(e kindEntry) world.Kind { return e.kind })
	numberByType = index(func(e kindEntry) reflect.Type { return e.goType })
	numberByGVR  = index(func(e kindEntry) schema.GroupVersionResource { return e.resource })
)

func describeKinds(entries []kindEntry) []kindEntry {
	for i := range entries {
		if example, err := world.New(entries[i].kind); err == nil {
			entries[i].goType = reflect.TypeOf(example)
		}
	}
	return entries
}

func index[K comparable](key func(kindEntry) K) map[K]int {
	numbers := make(map[K]int, len(kindTable))
	for number, entry := range kindTable {
		numbers[key(entry)] = number
	}
	return numbers
}
