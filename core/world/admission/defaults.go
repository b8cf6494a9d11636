package admission

import (
	"cmp"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Default sets what an object leaves out. Taints of devices get the time, which is in whole seconds. The controllers of pods keep
// their templates as they are: the pods get the defaults.
func Default(o any, now metav1.Time) {
	switch o := o.(type) {
	case *v1.Pod:
		defaultPod(o)
	case *v1.Node:
		if o.Status.Allocatable == nil {
			o.Status.Allocatable = o.Status.Capacity
		}
	case *v1.Namespace:
		defaultNamespace(o)
	case *v1.LimitRange:
		for i := range o.Spec.Limits {
			defaultLimits(&o.Spec.Limits[i])
		}
	case *schedulingv1.PriorityClass:
		o.PreemptionPolicy = or(o.PreemptionPolicy, v1.PreemptLowerPriority)
	case *v1.PersistentVolumeClaim, *v1.PersistentVolume, *storagev1.StorageClass, *storagev1.CSIDriver:
		defaultStorage(o)
	default:
		defaultDevices(o, now)
	}
}

func defaultNamespace(ns *v1.Namespace) {
	ns.Status.Phase = v1.NamespaceActive
	if ns.Name == "" {
		return
	}
	if ns.Labels == nil {
		ns.Labels = map[string]string{}
	}
	ns.Labels[v1.LabelMetadataName] = ns.Name
}

// defaultLimits completes the bounds of containers: the default limit is the maximum, and the default request is the default
// limit, or else the minimum.
func defaultLimits(item *v1.LimitRangeItem) {
	if item.Type != v1.LimitTypeContainer {
		return
	}
	item.Default = withAmounts(item.Default, item.Max)
	item.DefaultRequest = withAmounts(withAmounts(item.DefaultRequest, item.Default), item.Min)
}

// withAmounts adds amounts that a list lacks.
func withAmounts(list, more v1.ResourceList) v1.ResourceList {
	if list == nil {
		list = v1.ResourceList{}
	}
	for name, q := range more {
		if _, given := list[name]; !given {
			list[name] = q.DeepCopy()
		}
	}
	return list
}

func defaultStorage(o any) {
	switch o := o.(type) {
	case *v1.PersistentVolumeClaim:
		o.Spec.VolumeMode = or(o.Spec.VolumeMode, v1.PersistentVolumeFilesystem)
		o.Status.Phase = cmp.Or(o.Status.Phase, v1.ClaimPending)
	case *v1.PersistentVolume:
		o.Spec.VolumeMode = or(o.Spec.VolumeMode, v1.PersistentVolumeFilesystem)
		o.Status.Phase = cmp.Or(o.Status.Phase, v1.VolumePending)
		o.Spec.PersistentVolumeReclaimPolicy = cmp.Or(o.Spec.PersistentVolumeReclaimPolicy, v1.PersistentVolumeReclaimRetain)
	case *storagev1.StorageClass:
		o.ReclaimPolicy = or(o.ReclaimPolicy, v1.PersistentVolumeReclaimDelete)
		o.VolumeBindingMode = or(o.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	case *storagev1.CSIDriver:
		s := &o.Spec
		s.AttachRequired = or(s.AttachRequired, true)
		for _, flag := range []**bool{&s.PodInfoOnMount, &s.StorageCapacity, &s.RequiresRepublish, &s.SELinuxMount, &s.PreventPodSchedulingIfMissing} {
			*flag = or(*flag, false)
		}
		s.FSGroupPolicy = or(s.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
		if len(s.VolumeLifecycleModes) == 0 {
			s.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
		}
	}
}

func or[T any](given *T, by T) *T {
	if given == nil {
		return &by
	}
	return given
}

func defaultDevices(o any, now metav1.Time) {
	switch o := o.(type) {
	case *resourcev1.ResourceClaim:
		defaultRequests(o.Spec.Devices.Requests)
	case *resourcev1.ResourceClaimTemplate:
		defaultRequests(o.Spec.Spec.Devices.Requests)
	case *resourcev1.ResourceSlice:
		for i := range o.Spec.Devices {
			for j := range o.Spec.Devices[i].Taints {
				t := &o.Spec.Devices[i].Taints[j]
				t.TimeAdded = or(t.TimeAdded, now)
			}
		}
	case *resourcev1alpha3.DeviceTaintRule:
		o.Spec.Taint.TimeAdded = or(o.Spec.Taint.TimeAdded, now)
	}
}

func defaultRequests(requests []resourcev1.DeviceRequest) {
	for i := range requests {
		if exactly := requests[i].Exactly; exactly != nil {
			defaultMode(&exactly.AllocationMode, &exactly.Count)
			defaultOperators(exactly.Tolerations)
		}
		for j := range requests[i].FirstAvailable {
			sub := &requests[i].FirstAvailable[j]
			defaultMode(&sub.AllocationMode, &sub.Count)
			defaultOperators(sub.Tolerations)
		}
	}
}

// defaultOperators compares values unless a toleration says otherwise.
func defaultOperators(list []resourcev1.DeviceToleration) {
	for i := range list {
		list[i].Operator = cmp.Or(list[i].Operator, resourcev1.DeviceTolerationOpEqual)
	}
}

// defaultMode requests one device, unless a request says how many.
func defaultMode(mode *resourcev1.DeviceAllocationMode, count *int64) {
	*mode = cmp.Or(*mode, resourcev1.DeviceAllocationModeExactCount)
	if *mode == resourcev1.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}
