package memory

import (
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/world"
)

// DevicePool is a pool of devices that a driver publishes in ResourceSlices.
type DevicePool struct {
	Driver, Name string
	// Node has the devices. The driver runs there, and its slices go with the node. It is empty for devices of several nodes.
	Node string
	// Nodes selects the nodes that reach the devices, if Node is empty; nil are all nodes.
	Nodes    *v1.NodeSelector
	Devices  []resourcev1.Device
	Counters []resourcev1.CounterSet
	// PerSlice is how many devices a slice has, as many as the API allows if zero.
	PerSlice int
}

func (p *DevicePool) key() devicePoolKey { return devicePoolKey{p.Driver, p.Node, p.Name} }

// devicePoolKey names a pool: the driver on each node has pools of its own.
type devicePoolKey struct{ driver, node, pool string }

// deviceDriver is a driver on a node, or one for devices of several nodes.
type deviceDriver struct{ driver, node string }

// devicePool is what a driver knows of a pool. It is immutable.
type devicePool struct {
	DevicePool
	// changes are the writes that remain until the slices are as the driver wants them, if it is publishing them.
	changes    []sliceChange
	publishing bool
}

// PublishDevices makes a driver publish a pool, in place of what it has published of that pool before. It writes one slice
// after another: until the last, the pool is incomplete. Do not change the pool afterwards.
func (c *Cluster) PublishDevices(p DevicePool) error {
	if p.Node != "" && c.Node(p.Node) == nil {
		return fmt.Errorf("publishing devices of driver %s: there is no node %q", p.Driver, p.Node)
	}
	known := c.devices.pools[p.key()]
	known.DevicePool = p
	c.devices.pools[p.key()] = known
	c.enqueuePool(p.key())
	c.retryPodsOn(p.Node)
	return nil
}

// Devices returns a pool that a driver publishes. Do not change it.
func (c *Cluster) Devices(driver, node, pool string) (DevicePool, bool) {
	known, ok := c.devices.pools[devicePoolKey{driver, node, pool}]
	return known.DevicePool, ok
}

// DevicePools returns the pools that drivers publish, by driver, node and name. Do not change them.
func (c *Cluster) DevicePools() []DevicePool {
	var all []DevicePool
	for _, key := range slices.SortedFunc(maps.Keys(c.devices.pools), comparePools) {
		all = append(all, c.devices.pools[key].DevicePool)
	}
	return all
}

// wipingDelay is how long a kubelet waits for a driver to return before it deletes the driver's slices.
const wipingDelay = 30 * time.Second

// StopDeviceDriver takes a driver off a node; without a node, one of devices of several nodes. Its slices stay until the
// kubelet deletes them.
func (c *Cluster) StopDeviceDriver(driver, node string) {
	d := deviceDriver{driver, node}
	if _, stopped := c.devices.stopped[d]; stopped {
		return
	}
	c.devices.stopped[d] = c.now
	if node != "" {
		c.schedule(c.now.Add(wipingDelay), slicesWiped{d, c.now})
	}
}

// StartDeviceDriver brings a driver back, which publishes its devices.
func (c *Cluster) StartDeviceDriver(driver, node string) {
	d := deviceDriver{driver, node}
	if _, stopped := c.devices.stopped[d]; !stopped {
		return
	}
	delete(c.devices.stopped, d)
	c.resumeDrivers(node)
	if node != "" {
		c.schedule(c.now.Add(c.latency.delay(c.options.Latency.Kubelet)), driverReturned{node})
	}
}

// resumeDrivers makes the drivers on a node look at their slices again, and its kubelet delete those of stopped ones.
func (c *Cluster) resumeDrivers(node string) {
	var own []devicePoolKey
	for key := range c.devices.pools {
		if key.node == node {
			own = append(own, key)
		}
	}
	slices.SortFunc(own, comparePools)
	for _, key := range own {
		d := deviceDriver{key.driver, key.node}
		if since, stopped := c.devices.stopped[d]; stopped && node != "" {
			c.schedule(since.Add(wipingDelay), slicesWiped{d, since})
		} else if !stopped {
			c.enqueuePool(key)
		}
	}
}

// runs reports whether a driver can publish: it is there, and its node is.
func (c *Cluster) runs(d deviceDriver) bool {
	_, stopped := c.devices.stopped[d]
	return !stopped && (d.node == "" || c.kubeletReachable(d.node))
}

// slicesWiped is a kubelet's deletion of the slices of a driver that did not return.
type slicesWiped struct {
	deviceDriver
	since time.Time
}

func (w slicesWiped) fire(c *Cluster) {
	if since, stopped := c.devices.stopped[w.deviceDriver]; !stopped || !since.Equal(w.since) || !c.kubeletReachable(w.node) {
		return
	}
	for _, slice := range c.slicesOnNode(w.node) {
		if slice.Spec.Driver == w.driver {
			c.beginDeletion(world.ResourceSlice, slice)
		}
	}
}

func (c *Cluster) slicesOnNode(node string) []*resourcev1.ResourceSlice {
	var all []*resourcev1.ResourceSlice
	for _, name := range c.devices.onNode[node] {
		all = append(all, c.sliceAt(name))
	}
	return all
}

// nodeDevicesGone forgets the drivers of a deleted node. The garbage collector deletes their slices.
func (c *Cluster) nodeDevicesGone(node *v1.Node) {
	maps.DeleteFunc(c.devices.pools, func(key devicePoolKey, _ devicePool) bool { return key.node == node.Name })
	maps.DeleteFunc(c.devices.stopped, func(d deviceDriver, _ time.Time) bool { return d.node == node.Name })
	if len(c.devices.onNode[node.Name]) > 0 {
		c.enqueue(workItem{kind: world.Node, key: keyOf(node)}, 0)
	}
}

// collectSlices deletes the slices on a node that another node of its name, or none, owns.
func (c *Cluster) collectSlices(name string) {
	node := c.Node(name)
	for _, slice := range c.slicesOnNode(name) {
		for _, owner := range slice.OwnerReferences {
			if owner.Kind == string(world.Node) && (node == nil || owner.UID != node.UID) {
				c.beginDeletion(world.ResourceSlice, slice)
				break
			}
		}
	}
}
