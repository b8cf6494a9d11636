package world

import (
	"fmt"
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
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	storagev1 "k8s.io/api/storage/v1"
)

// Kind names a kind of object.
type Kind string

// The kinds that a world may tell of. The engine reads those its plugins ask for; the memory world also plays the
// parts of the controllers that own the others.
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
	Lease                 Kind = "Lease"
	LeaseCandidate        Kind = "LeaseCandidate"
)

// kinds says for each kind how to make an empty object of it, in the order in which a first list should be given:
// what pods refer to comes before the pods.
var kinds = []struct {
	kind Kind
	make func() Object
}{
	{Namespace, func() Object { return &v1.Namespace{} }},
	{PriorityClass, func() Object { return &schedulingv1.PriorityClass{} }},
	{RuntimeClass, func() Object { return &nodev1.RuntimeClass{} }},
	{LimitRange, func() Object { return &v1.LimitRange{} }},
	{Service, func() Object { return &v1.Service{} }},
	{ReplicationController, func() Object { return &v1.ReplicationController{} }},
	{ReplicaSet, func() Object { return &appsv1.ReplicaSet{} }},
	{StatefulSet, func() Object { return &appsv1.StatefulSet{} }},
	{Deployment, func() Object { return &appsv1.Deployment{} }},
	{DaemonSet, func() Object { return &appsv1.DaemonSet{} }},
	{Job, func() Object { return &batchv1.Job{} }},
	{PodDisruptionBudget, func() Object { return &policyv1.PodDisruptionBudget{} }},
	{StorageClass, func() Object { return &storagev1.StorageClass{} }},
	{CSIDriver, func() Object { return &storagev1.CSIDriver{} }},
	{CSINode, func() Object { return &storagev1.CSINode{} }},
	{CSIStorageCapacity, func() Object { return &storagev1.CSIStorageCapacity{} }},
	{VolumeAttachment, func() Object { return &storagev1.VolumeAttachment{} }},
	{PersistentVolume, func() Object { return &v1.PersistentVolume{} }},
	{PersistentVolumeClaim, func() Object { return &v1.PersistentVolumeClaim{} }},
	{DeviceClass, func() Object { return &resourcev1.DeviceClass{} }},
	{ResourceSlice, func() Object { return &resourcev1.ResourceSlice{} }},
	{ResourceClaim, func() Object { return &resourcev1.ResourceClaim{} }},
	{DeviceTaintRule, func() Object { return &resourcev1alpha3.DeviceTaintRule{} }},
	{Workload, func() Object { return &schedulingv1alpha1.Workload{} }},
	{Lease, func() Object { return &coordinationv1.Lease{} }},
	{LeaseCandidate, func() Object { return &coordinationv1beta1.LeaseCandidate{} }},
	{Node, func() Object { return &v1.Node{} }},
	{Pod, func() Object { return &v1.Pod{} }},
}

// Kinds lists every kind, in the order in which a first list should be given.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i, k := range kinds {
		all[i] = k.kind
	}
	return all
}

// InOrder is a set of kinds in the order in which their first lists should be given. Custom kinds come first, as pods may
// refer to them; what is no kind is left out.
func InOrder(set []Kind) []Kind {
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

// New is an empty object of a kind.
func New(kind Kind) (Object, error) {
	for _, k := range kinds {
		if k.kind == kind {
			return k.make(), nil
		}
	}
	return nil, fmt.Errorf("there is no kind %q", kind)
}

var kindByType = func() map[string]Kind {
	byType := make(map[string]Kind, len(kinds))
	for _, k := range kinds {
		byType[fmt.Sprintf("%T", k.make())] = k.kind
	}
	return byType
}()

// KindOf is the kind of an object; it is empty for an object of no kind in the list that is no [Custom] either.
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
	return kindByType[fmt.Sprintf("%T", o)]
}
