package trim

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
)

// Devices of one model have the same attributes but for a few, such as their identifier, and often the same capacity.

func (p *Pool) shareSlice(s *resourcev1.ResourceSliceSpec) {
	s.Driver, s.Pool.Name = p.text(s.Driver), p.text(s.Pool.Name)
	s.NodeName = sharedText(p, s.NodeName)
	s.NodeSelector = shared(p, 'n', s.NodeSelector, s.NodeSelector)
	if len(s.SharedCounters) > 0 {
		s.SharedCounters = shared(p, 'k', s.SharedCounters, &resourcev1.ResourceSliceSpec{SharedCounters: s.SharedCounters})
	}
	s.Devices = slices.Clone(s.Devices)
	for i := range s.Devices {
		p.shareDevice(&s.Devices[i])
	}
}

func (p *Pool) shareDevice(d *resourcev1.Device) {
	d.Name = p.text(d.Name)
	d.Attributes = p.attributes(d.Attributes)
	d.NodeName = sharedText(p, d.NodeName)
	d.NodeSelector = shared(p, 'n', d.NodeSelector, d.NodeSelector)
	if len(d.Capacity) > 0 {
		d.Capacity = shared(p, 'c', d.Capacity, &resourcev1.Device{Capacity: d.Capacity})
	}
	if len(d.ConsumesCounters) > 0 {
		d.ConsumesCounters = shared(p, 'u', d.ConsumesCounters, &resourcev1.Device{ConsumesCounters: d.ConsumesCounters})
	}
	if len(d.Taints) > 0 {
		d.Taints = shared(p, 'd', d.Taints, &resourcev1.Device{Taints: d.Taints})
	}
	d.BindingConditions = sharedList(p, d.BindingConditions)
	d.BindingFailureConditions = sharedList(p, d.BindingFailureConditions)
}

// attributes shares the names and values of attributes.
func (p *Pool) attributes(all map[resourcev1.QualifiedName]resourcev1.DeviceAttribute) map[resourcev1.QualifiedName]resourcev1.DeviceAttribute {
	if all == nil {
		return nil
	}
	shared := make(map[resourcev1.QualifiedName]resourcev1.DeviceAttribute, len(all))
	for name, value := range all {
		value.StringValue, value.VersionValue = sharedText(p, value.StringValue), sharedText(p, value.VersionValue)
		shared[resourcev1.QualifiedName(p.text(string(name)))] = value
	}
	return shared
}

func (p *Pool) shareDeviceClaim(c *resourcev1.ResourceClaim) {
	spec := c.Spec
	c.Spec = *shared(p, 'q', &spec, &spec)
	if c.Status.Allocation == nil {
		return
	}
	allocation := *c.Status.Allocation
	allocation.NodeSelector = shared(p, 'n', allocation.NodeSelector, allocation.NodeSelector)
	results := slices.Clone(allocation.Devices.Results)
	for i := range results {
		r := &results[i]
		r.Request, r.Driver, r.Pool, r.Device = p.text(r.Request), p.text(r.Driver), p.text(r.Pool), p.text(r.Device)
	}
	allocation.Devices.Results, c.Status.Allocation = results, &allocation
}
