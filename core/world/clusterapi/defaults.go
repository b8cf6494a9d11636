package clusterapi

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
)

// Default sets an object's defaults.
func Default(o any) {
	switch o := o.(type) {
	case *v1.Node:
		if o.Status.Allocatable == nil {
			o.Status.Allocatable = o.Status.Capacity
		}
	case *v1.Namespace:
		o.Status.Phase = v1.NamespaceActive
		if o.Name == "" {
			return
		}
		if o.Labels == nil {
			o.Labels = map[string]string{}
		}
		o.Labels[v1.LabelMetadataName] = o.Name
	case *v1.LimitRange:
		for i := range o.Spec.Limits {
			defaultLimits(&o.Spec.Limits[i])
		}
	case *schedulingv1.PriorityClass:
		if o.PreemptionPolicy == nil {
			lower := v1.PreemptLowerPriority
			o.PreemptionPolicy = &lower
		}
	}
}

// defaultLimits completes the bounds of containers: the default limit is the maximum, and the default request is the default
// limit, or else the minimum.
func defaultLimits(item *v1.LimitRangeItem) {
	if item.Type != v1.LimitTypeContainer {
		return
	}
	item.Default = with(item.Default, item.Max)
	item.DefaultRequest = with(with(item.DefaultRequest, item.Default), item.Min)
}

// with adds amounts that a list lacks.
func with(list, more v1.ResourceList) v1.ResourceList {
	if list == nil {
		list = v1.ResourceList{}
	}
	for name, q := range more {
		if _, said := list[name]; !said {
			list[name] = q.DeepCopy()
		}
	}
	return list
}
