package scenario

import (
	"fmt"
	"path"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/world/memory"
)

// publishInitialDevices makes the drivers publish what the cluster has at the beginning.
func (s *simulation) publishInitialDevices() error {
	for i := range s.file.Cluster.Nodes {
		g := &s.file.Cluster.Nodes[i]
		for _, node := range g.nodes() {
			if err := s.publishDevices(g, node.Name); err != nil {
				return g.Fail("devices", "%v", err)
			}
		}
	}
	devices := &s.file.Cluster.Devices
	for i := range devices.Pools {
		if err := s.cluster.PublishDevices(devices.Pools[i].object(devices.Models)); err != nil {
			return devices.Pools[i].Fail("", "%v", err)
		}
	}
	return nil
}

// publishDevices makes the drivers on a node publish its devices.
func (s *simulation) publishDevices(g *nodeGroup, node string) error {
	for _, pool := range s.file.Cluster.Devices.nodePools(g, node) {
		if err := s.cluster.PublishDevices(pool); err != nil {
			return err
		}
	}
	return nil
}

// changeDevices changes devices and their drivers.
func (s *simulation) changeDevices(m *moment) error {
	change := m.Devices
	if change == nil {
		return nil
	}
	for _, one := range []struct {
		devices map[string]stringList
		do      func(memory.DevicePool, string) error
	}{{change.Broken, s.failDevice}, {change.Repair, s.repairDevice}, {change.Unplug, s.unplugDevice}} {
		for _, place := range sortedKeys(one.devices) {
			if err := s.eachDevice(place, one.devices[place], one.do); err != nil {
				return err
			}
		}
	}
	for _, place := range sortedKeys(change.Plug) {
		for _, model := range sortedKeys(change.Plug[place]) {
			if err := s.plug(place, model, change.Plug[place][model]); err != nil {
				return err
			}
		}
	}
	for _, driver := range sortedKeys(change.BindingHangs) {
		s.cluster.HangBinding(driver, change.BindingHangs[driver].of())
	}
	for _, driver := range sortedKeys(change.BindingFails) {
		s.cluster.FailBinding(driver, change.BindingFails[driver].of())
	}
	for _, driver := range sortedKeys(change.StopDrivers) {
		for _, node := range s.nodes(change.StopDrivers[driver]) {
			s.cluster.StopDeviceDriver(driver, node)
		}
	}
	for _, driver := range sortedKeys(change.StartDrivers) {
		for _, node := range s.nodes(change.StartDrivers[driver]) {
			s.cluster.StartDeviceDriver(driver, node)
		}
	}
	return nil
}

// failedTaint is the taint that a driver gives to a device that has failed: its pods are to leave.
func failedTaint(driver string) resourcev1.DeviceTaint {
	return resourcev1.DeviceTaint{Key: driver + "/failed", Effect: resourcev1.DeviceTaintEffectNoExecute}
}

func (s *simulation) failDevice(p memory.DevicePool, device string) error {
	return s.cluster.TaintDevice(p.Driver, p.Node, p.Name, device, failedTaint(p.Driver))
}

func (s *simulation) repairDevice(p memory.DevicePool, device string) error {
	return s.cluster.UntaintDevice(p.Driver, p.Node, p.Name, device, failedTaint(p.Driver).Key)
}

func (s *simulation) unplugDevice(p memory.DevicePool, device string) error {
	return s.cluster.UnplugDevice(p.Driver, p.Node, p.Name, device)
}

// eachDevice calls do for every device at a place whose name matches one of the patterns.
func (s *simulation) eachDevice(place string, patterns []string, do func(memory.DevicePool, string) error) error {
	found := map[string]bool{}
	for _, pool := range s.poolsAt(place) {
		for i := range pool.Devices {
			name := pool.Devices[i].Name
			for _, pattern := range patterns {
				if ok, _ := path.Match(pattern, name); !ok {
					continue
				}
				found[pattern] = true
				if err := do(pool, name); err != nil {
					return err
				}
				break
			}
		}
	}
	for _, pattern := range patterns {
		if !found[pattern] {
			return fmt.Errorf("there is no device %q at %s", pattern, place)
		}
	}
	return nil
}

// poolsAt returns the pool of several nodes with a name, or the pools of the nodes that a word selects.
func (s *simulation) poolsAt(place string) []memory.DevicePool {
	nodes := s.nodes([]string{place})
	shared := s.file.sharedPool(place)
	return slices.DeleteFunc(s.cluster.DevicePools(), func(p memory.DevicePool) bool {
		if shared != nil {
			return p.Node != "" || p.Name != shared.object(s.file.Cluster.Devices.Models).Name
		}
		return p.Node == "" || !slices.Contains(nodes, p.Node)
	})
}

func (f *file) sharedPool(name string) *devicePool {
	for i := range f.Cluster.Devices.Pools {
		if p := &f.Cluster.Devices.Pools[i]; p.Name == name {
			return p
		}
	}
	return nil
}

// plug adds a number of devices of a model to a pool of several nodes, or to each of the nodes that a word selects.
func (s *simulation) plug(place, model string, count int) error {
	m := s.file.Cluster.Devices.Models[model]
	if shared := s.file.sharedPool(place); shared != nil {
		return s.plugInto(shared.object(s.file.Cluster.Devices.Models), m, model, count)
	}
	for _, node := range s.nodes([]string{place}) {
		if err := s.plugInto(memory.DevicePool{Driver: m.Driver, Node: node, Name: m.poolOn(node)}, m, model, count); err != nil {
			return err
		}
	}
	return nil
}

// plugInto adds devices to a pool, as it is now.
func (s *simulation) plugInto(pool memory.DevicePool, m deviceModel, model string, count int) error {
	if known, ok := s.cluster.Devices(pool.Driver, pool.Node, pool.Name); ok {
		pool = known
	}
	pool.Devices, pool.Counters = slices.Clip(pool.Devices), slices.Clip(pool.Counters)
	m.addTo(&pool, model, count)
	return s.cluster.PublishDevices(pool)
}
