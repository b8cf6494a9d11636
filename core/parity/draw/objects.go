package draw

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// All draw an object of each kind that has defaults. Some of the fields that have one are given.
var All = map[world.Kind]func(Filler) world.Object{
	world.Pod: func(r Filler) world.Object { return drawPod(r) },
	world.Node: func(r Filler) world.Object {
		o := &v1.Node{}
		r.Some(&o.Spec.Taints, &o.Status.Capacity, &o.Status.Allocatable)
		return r.named(o, "")
	},
	world.Namespace: func(r Filler) world.Object {
		o := &v1.Namespace{}
		r.Some(&o.Labels)
		return r.named(o, "")
	},
	world.LimitRange: func(r Filler) world.Object {
		o := &v1.LimitRange{}
		for range r.Range(1, 2) {
			item := v1.LimitRangeItem{Type: difftest.Pick(r.Source, v1.LimitTypeContainer, v1.LimitTypeContainer, v1.LimitTypePod, v1.LimitTypePersistentVolumeClaim)}
			r.Some(&item.Max, &item.Min, &item.Default, &item.DefaultRequest, &item.MaxLimitRequestRatio)
			o.Spec.Limits = append(o.Spec.Limits, item)
		}
		return r.named(o, "default")
	},
	world.PriorityClass: func(r Filler) world.Object {
		o := &schedulingv1.PriorityClass{Value: int32(r.Range(-1, 2))}
		r.Some(&o.PreemptionPolicy, &o.GlobalDefault)
		return r.named(o, "")
	},
	world.PersistentVolumeClaim: func(r Filler) world.Object {
		o := &v1.PersistentVolumeClaim{}
		s := &o.Spec
		r.Some(&s.AccessModes, &s.StorageClassName, &s.VolumeMode, &s.VolumeName, &s.Resources.Requests, &o.Status.Phase)
		return r.named(o, "default")
	},
	world.PersistentVolume: func(r Filler) world.Object {
		o := &v1.PersistentVolume{}
		s := &o.Spec
		r.Some(&s.AccessModes, &s.Capacity, &s.VolumeMode, &s.PersistentVolumeReclaimPolicy, &s.StorageClassName, &s.NodeAffinity, &o.Status.Phase)
		return r.named(o, "")
	},
	world.StorageClass: func(r Filler) world.Object {
		o := &storagev1.StorageClass{Provisioner: "a"}
		r.Some(&o.ReclaimPolicy, &o.VolumeBindingMode, &o.AllowedTopologies)
		return r.named(o, "")
	},
	world.CSIDriver: func(r Filler) world.Object {
		o := &storagev1.CSIDriver{}
		s := &o.Spec
		r.Some(&s.AttachRequired, &s.PodInfoOnMount, &s.StorageCapacity, &s.FSGroupPolicy, &s.RequiresRepublish, &s.SELinuxMount, &s.VolumeLifecycleModes)
		return r.named(o, "")
	},
	world.ResourceClaim: func(r Filler) world.Object { return r.deviceClaim() },
	world.ResourceSlice: func(r Filler) world.Object {
		o := &resourcev1.ResourceSlice{}
		for range r.IntN(3) {
			d := resourcev1.Device{Name: "a"}
			r.Some(&d.Attributes, &d.Taints, &d.Taints, &d.AllowMultipleAllocations)
			o.Spec.Devices = append(o.Spec.Devices, d)
		}
		return r.named(o, "")
	},
}

func (r Filler) deviceClaim() *resourcev1.ResourceClaim {
	o := &resourcev1.ResourceClaim{}
	for i := range r.Range(1, 2) {
		request := resourcev1.DeviceRequest{Name: string(rune('a' + i))}
		if r.Bool() {
			request.Exactly = &resourcev1.ExactDeviceRequest{}
			r.Some(&request.Exactly.AllocationMode, &request.Exactly.Count, &request.Exactly.Tolerations)
		} else {
			var sub resourcev1.DeviceSubRequest
			r.Some(&sub.AllocationMode, &sub.Count, &sub.Tolerations)
			request.FirstAvailable = []resourcev1.DeviceSubRequest{sub}
		}
		o.Spec.Devices.Requests = append(o.Spec.Devices.Requests, request)
	}
	r.named(o, "default")
	return o
}

func (r Filler) named(o world.Object, namespace string) world.Object {
	o.SetName(difftest.Pick(r.Source, "a", "b"))
	o.SetNamespace(namespace)
	return o
}
