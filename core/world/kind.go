package world

import (
	"fmt"
	"reflect"
	"slices"

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
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/objects/workloads"
)

// Kind names a kind of object.
type Kind string

// The kinds that a world may supply. The engine reads those its plugins use; the memory world also simulates the
// controllers of the others.
const (
	Pod                   Kind = "Pod"
	Node                  Kind = "Node"
	Namespace             Kind = "Namespace"
	Service               Kind = "Service"
	ReplicationController Kind = "ReplicationController"
	LimitRange            Kind = "LimitRange"
	PersistentVolume      Kind = "PersistentVolume"
	PersistentVolumeClaim Kind = "PersistentVolumeClaim"
	ReplicaSet            Kind = "ReplicaSet"
	StatefulSet           Kind = "StatefulSet"
	Deployment            Kind = "Deployment"
	DaemonSet             Kind = "DaemonSet"
	Job                   Kind = "Job"
	PodDisruptionBudget   Kind = "PodDisruptionBudget"
	PriorityClass         Kind = "PriorityClass"
	RuntimeClass          Kind = "RuntimeClass"
	StorageClass          Kind = "StorageClass"
	CSINode               Kind = "CSINode"
	CSIDriver             Kind = "CSIDriver"
	CSIStorageCapacity    Kind = "CSIStorageCapacity"
	VolumeAttachment      Kind = "VolumeAttachment"
	ResourceClaim         Kind = "ResourceClaim"
	ResourceSlice         Kind = "ResourceSlice"
	DeviceClass           Kind = "DeviceClass"
	DeviceTaintRule       Kind = "DeviceTaintRule"
	Workload              Kind = "Workload"
	PodGroup              Kind = "PodGroup"
	CompositePodGroup     Kind = "CompositePodGroup"
	Lease                 Kind = "Lease"
	LeaseCandidate        Kind = "LeaseCandidate"
)

// scope reports whether the objects of a kind are in namespaces.
type scope bool

const (
	namespaced    scope = true
	clusterScoped scope = false
)

// kindInfo describes a kind: its resource in the API, its scope, and an empty object of it.
type kindInfo struct {
	kind     Kind
	resource schema.GroupVersionResource
	scope    scope
	empty    func() Object
}

// kinds lists every kind in the order of first lists: kinds that pods refer to come before the pods.
var kinds = []kindInfo{
	{Namespace, v1.SchemeGroupVersion.WithResource("namespaces"), clusterScoped, func() Object { return &v1.Namespace{} }},
	{PriorityClass, schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), clusterScoped, func() Object { return &schedulingv1.PriorityClass{} }},
	{RuntimeClass, nodev1.SchemeGroupVersion.WithResource("runtimeclasses"), clusterScoped, func() Object { return &nodev1.RuntimeClass{} }},
	{LimitRange, v1.SchemeGroupVersion.WithResource("limitranges"), namespaced, func() Object { return &v1.LimitRange{} }},
	{Service, v1.SchemeGroupVersion.WithResource("services"), namespaced, func() Object { return &v1.Service{} }},
	{ReplicationController, v1.SchemeGroupVersion.WithResource("replicationcontrollers"), namespaced, func() Object { return &v1.ReplicationController{} }},
	{ReplicaSet, appsv1.SchemeGroupVersion.WithResource("replicasets"), namespaced, func() Object { return &appsv1.ReplicaSet{} }},
	{StatefulSet, appsv1.SchemeGroupVersion.WithResource("statefulsets"), namespaced, func() Object { return &appsv1.StatefulSet{} }},
	{Deployment, appsv1.SchemeGroupVersion.WithResource("deployments"), namespaced, func() Object { return &appsv1.Deployment{} }},
	{DaemonSet, appsv1.SchemeGroupVersion.WithResource("daemonsets"), namespaced, func() Object { return &appsv1.DaemonSet{} }},
	{Job, batchv1.SchemeGroupVersion.WithResource("jobs"), namespaced, func() Object { return &batchv1.Job{} }},
	{PodDisruptionBudget, policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), namespaced, func() Object { return &policyv1.PodDisruptionBudget{} }},
	{StorageClass, storagev1.SchemeGroupVersion.WithResource("storageclasses"), clusterScoped, func() Object { return &storagev1.StorageClass{} }},
	{CSIDriver, storagev1.SchemeGroupVersion.WithResource("csidrivers"), clusterScoped, func() Object { return &storagev1.CSIDriver{} }},
	{CSINode, storagev1.SchemeGroupVersion.WithResource("csinodes"), clusterScoped, func() Object { return &storagev1.CSINode{} }},
	{CSIStorageCapacity, storagev1.SchemeGroupVersion.WithResource("csistoragecapacities"), namespaced, func() Object { return &storagev1.CSIStorageCapacity{} }},
	{VolumeAttachment, storagev1.SchemeGroupVersion.WithResource("volumeattachments"), clusterScoped, func() Object { return &storagev1.VolumeAttachment{} }},
	{PersistentVolume, v1.SchemeGroupVersion.WithResource("persistentvolumes"), clusterScoped, func() Object { return &v1.PersistentVolume{} }},
	{PersistentVolumeClaim, v1.SchemeGroupVersion.WithResource("persistentvolumeclaims"), namespaced, func() Object { return &v1.PersistentVolumeClaim{} }},
	{DeviceClass, resourcev1.SchemeGroupVersion.WithResource("deviceclasses"), clusterScoped, func() Object { return &resourcev1.DeviceClass{} }},
	{ResourceSlice, resourcev1.SchemeGroupVersion.WithResource("resourceslices"), clusterScoped, func() Object { return &resourcev1.ResourceSlice{} }},
	{ResourceClaim, resourcev1.SchemeGroupVersion.WithResource("resourceclaims"), namespaced, func() Object { return &resourcev1.ResourceClaim{} }},
	{DeviceTaintRule, resourcev1alpha3.SchemeGroupVersion.WithResource("devicetaintrules"), clusterScoped, func() Object { return &resourcev1alpha3.DeviceTaintRule{} }},
	{Workload, workloads.GroupVersion.WithResource("workloads"), namespaced, func() Object { return &workloads.Workload{} }},
	{CompositePodGroup, schedulingv1alpha3.SchemeGroupVersion.WithResource("compositepodgroups"), namespaced, func() Object { return &schedulingv1alpha3.CompositePodGroup{} }},
	{PodGroup, schedulingv1beta1.SchemeGroupVersion.WithResource("podgroups"), namespaced, func() Object { return &schedulingv1beta1.PodGroup{} }},
	{Lease, coordinationv1.SchemeGroupVersion.WithResource("leases"), namespaced, func() Object { return &coordinationv1.Lease{} }},
	{LeaseCandidate, coordinationv1beta1.SchemeGroupVersion.WithResource("leasecandidates"), namespaced, func() Object { return &coordinationv1beta1.LeaseCandidate{} }},
	{Node, v1.SchemeGroupVersion.WithResource("nodes"), clusterScoped, func() Object { return &v1.Node{} }},
	{Pod, v1.SchemeGroupVersion.WithResource("pods"), namespaced, func() Object { return &v1.Pod{} }},
}

var kindsByName, kindByType = indexKinds()

func indexKinds() (map[Kind]*kindInfo, map[reflect.Type]Kind) {
	byName, byType := map[Kind]*kindInfo{}, map[reflect.Type]Kind{}
	for i := range kinds {
		k := &kinds[i]
		byName[k.kind], byType[reflect.TypeOf(k.empty())] = k, k.kind
	}
	return byName, byType
}

// Kinds lists every kind in the order of first lists.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i, k := range kinds {
		all[i] = k.kind
	}
	return all
}

// SortKinds returns a set of kinds in the order of their first lists. Custom kinds come first, as pods may refer to
// them; unknown kinds are left out.
func SortKinds(set []Kind) []Kind {
	var order []Kind
	for _, kind := range set {
		if _, custom := kind.Custom(); custom {
			order = append(order, kind)
		}
	}
	slices.Sort(order)
	order = slices.Compact(order)
	for _, k := range kinds {
		if slices.Contains(set, k.kind) {
			order = append(order, k.kind)
		}
	}
	return order
}

// New returns an empty object of a kind.
func New(kind Kind) (Object, error) {
	if k := kindsByName[kind]; k != nil {
		return k.empty(), nil
	}
	return nil, fmt.Errorf("there is no kind %q", kind)
}

// Resource is the kind's resource in API paths and RBAC rules; empty for an unknown kind.
func (k Kind) Resource() schema.GroupVersionResource {
	if known := kindsByName[k]; known != nil {
		return known.resource
	}
	resource, _ := k.Custom()
	return resource
}

// Namespaced reports whether the kind's objects are in namespaces. It is false for custom kinds, whose scope is
// unknown.
func (k Kind) Namespaced() bool {
	known := kindsByName[k]
	return known != nil && known.scope == namespaced
}

// KindOf returns the kind of an object; empty for an unknown type.
func KindOf(o Object) Kind {
	switch o := o.(type) {
	case *v1.Pod:
		return Pod
	case *v1.Node:
		return Node
	case *Custom:
		if o == nil {
			return ""
		}
		return o.Resource
	}
	return KindOfType(reflect.TypeOf(o))
}

// KindOfType returns the kind of a Go type; empty for an unknown type.
func KindOfType(t reflect.Type) Kind { return kindByType[t] }
