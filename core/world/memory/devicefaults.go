package memory

import (
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
)

// TaintDevice makes a driver publish a device with a taint, as one that has failed, in place of an earlier one of the same key.
func (c *Cluster) TaintDevice(driver, node, pool, device string, taint resourcev1.DeviceTaint) error {
	if taint.TimeAdded == nil {
		at := c.timestamp()
		taint.TimeAdded = &at
	}
	return c.changeDevice(driver, node, pool, device, func(d *resourcev1.Device) {
		d.Taints = append(withoutTaint(d.Taints, taint.Key), taint)
	})
}

// UntaintDevice makes a driver publish a device without a taint.
func (c *Cluster) UntaintDevice(driver, node, pool, device, key string) error {
	return c.changeDevice(driver, node, pool, device, func(d *resourcev1.Device) { d.Taints = withoutTaint(d.Taints, key) })
}

func withoutTaint(taints []resourcev1.DeviceTaint, key string) []resourcev1.DeviceTaint {
	return slices.DeleteFunc(slices.Clone(taints), func(t resourcev1.DeviceTaint) bool { return t.Key == key })
}

func (c *Cluster) changeDevice(driver, node, pool, device string, change func(*resourcev1.Device)) error {
	p, i, err := c.findDevice(driver, node, pool, device)
	if err != nil {
		return err
	}
	p.Devices = slices.Clone(p.Devices)
	change(&p.Devices[i])
	return c.PublishDevices(p)
}

// findDevice returns the pool of a device and its place there.
func (c *Cluster) findDevice(driver, node, pool, device string) (DevicePool, int, error) {
	p, ok := c.Devices(driver, node, pool)
	if !ok {
		return p, 0, fmt.Errorf("driver %s publishes no pool %q on node %q", driver, pool, node)
	}
	i := slices.IndexFunc(p.Devices, func(d resourcev1.Device) bool { return d.Name == device })
	if i < 0 {
		return p, 0, fmt.Errorf("driver %s publishes no device %q in pool %q", driver, device, pool)
	}
	return p, i, nil
}

// PlugDevice adds a device to a pool.
func (c *Cluster) PlugDevice(driver, node, pool string, device resourcev1.Device) error {
	p, ok := c.Devices(driver, node, pool)
	if !ok {
		return fmt.Errorf("driver %s publishes no pool %q on node %q", driver, pool, node)
	}
	if slices.ContainsFunc(p.Devices, func(d resourcev1.Device) bool { return d.Name == device.Name }) {
		return fmt.Errorf("driver %s publishes a device %q in pool %q already", driver, device.Name, pool)
	}
	p.Devices = append(slices.Clip(p.Devices), device)
	return c.PublishDevices(p)
}

// UnplugDevice takes a device out of a pool, whether a claim has it or not.
func (c *Cluster) UnplugDevice(driver, node, pool, device string) error {
	p, i, err := c.findDevice(driver, node, pool, device)
	if err != nil {
		return err
	}
	p.Devices = slices.Delete(slices.Clone(p.Devices), i, i+1)
	return c.PublishDevices(p)
}
