package scenario

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"orrery/core/world"
	"orrery/demo/scenario/strict"
)

// deviceModels checks the models, and how many of them nodes and pools have.
func (c *storyChecker) deviceModels() error {
	devices := &c.Cluster.Devices
	for _, name := range sortedKeys(devices.Models) {
		m := devices.Models[name]
		switch problems := validation.IsDNS1123Subdomain(m.Driver); {
		case len(validation.IsDNS1123Label(name)) > 0 || len(name) > maxModelName:
			return devices.Fail("models."+name, "this is no name of a model: write up to %d small letters, digits and dashes", maxModelName)
		case len(problems) > 0 || len(m.Driver) > maxDriverName:
			return m.Fail("driver", "%q is no name of a driver: write one such as gpu.example.com, of at most %d characters", m.Driver, maxDriverName)
		case m.Pool != "" && len(validation.IsDNS1123Label(m.Pool)) > 0:
			return m.Fail("pool", "%q is no name of a pool: write small letters, digits and dashes", m.Pool)
		case m.Has("perSlice") && (m.PerSlice < 1 || m.PerSlice > 128):
			return m.Fail("perSlice", "a slice has between 1 and 128 devices")
		case len(m.Attributes)+len(m.Capacity) > maxProperties:
			return m.Fail("attributes", "a device has at most %d attributes and capacities", maxProperties)
		case len(m.Partitions) > maxPartitions || slices.ContainsFunc(m.Partitions, func(n int) bool { return n < 2 || n > maxParts }):
			return m.Fail("partitions", "write into how many equal parts a device can be divided, as in [2, 4]: between 2 and %d, and at most %d of them", maxParts, maxPartitions)
		}
	}
	for _, g := range c.groups() {
		for _, name := range sortedKeys(g.Devices) {
			if err := c.countDevices(&g.Position, "devices."+name, name, g.Devices[name], len(g.nodes())); err != nil {
				return err
			}
		}
	}
	return nil
}

// groups returns the groups of nodes, those that are added later, too.
func (f *file) groups() []*nodeGroup {
	var all []*nodeGroup
	for i := range f.Cluster.Nodes {
		all = append(all, &f.Cluster.Nodes[i])
	}
	for i := range f.Steps {
		for g := range f.Steps[i].Add {
			all = append(all, &f.Steps[i].Add[g])
		}
	}
	return all
}

// countDevices checks a number of devices of a model at each of some places.
func (c *storyChecker) countDevices(p *strict.Position, field, model string, count, places int) error {
	m, known := c.Cluster.Devices.Models[model]
	switch {
	case !known:
		return p.Fail(field, "there is no model %q in cluster.devices.models: %s", model, strict.Suggest(model, sortedKeys(c.Cluster.Devices.Models)))
	case count < 1 || count > maxDevicesOfNode:
		return p.Fail(field, "write how many there are, between 1 and %d", maxDevicesOfNode)
	}
	return c.made.addDevices(p, field, places*m.devices(count))
}

// deviceClasses checks the classes, the pools of several nodes and the claims.
func (c *storyChecker) deviceClasses() error {
	devices := &c.Cluster.Devices
	for _, name := range sortedKeys(devices.Classes) {
		class := devices.of(devices.Classes[name])
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			return devices.Fail("classes."+name, "this is no name of a device class: %s", problems[0])
		}
		if class.Model != "" {
			m, known := devices.Models[class.Model]
			if !known {
				return class.Fail("model", "there is no model %q in cluster.devices.models: %s", class.Model, strict.Suggest(class.Model, sortedKeys(devices.Models)))
			}
			if given := m.Attributes["model"]; given != "" && given != class.Model {
				return class.Fail("model", "devices of %s have the model %q in their attributes: write a driver and a selector instead", class.Model, given)
			}
		}
		if class.Driver != "" {
			if err := c.deviceDriver(&class.Position, "driver", class.Driver); err != nil {
				return err
			}
		}
	}
	for i := range devices.Pools {
		p := &devices.Pools[i]
		switch {
		case len(validation.IsDNS1123Subdomain(p.Name)) > 0:
			return p.Fail("name", "%q is no name of a pool: write small letters, digits and dashes", p.Name)
		case c.sharedPool(p.Name) != p || c.nodes[p.Name] != nil:
			return p.Fail("name", "there is another pool or a node of the name %s", p.Name)
		case p.Nodes != "" && !strings.Contains(p.Nodes, "="):
			return p.Fail("nodes", "write a label, as in zone=east, or leave it out for all nodes")
		}
		if err := c.countDevices(&p.Position, "model", p.Model, p.Count, 1); err != nil {
			return err
		}
	}
	for i := range devices.Claims {
		claim := &devices.Claims[i]
		if problems := validation.IsDNS1123Subdomain(claim.Name); len(problems) > 0 {
			return claim.Fail("name", "%q is no name of a claim: %s", claim.Name, problems[0])
		}
		if problems := validation.IsDNS1123Label(claim.namespace()); len(problems) > 0 {
			return claim.Fail("namespace", "%q is no name of a namespace: %s", claim.Namespace, problems[0])
		}
		if err := c.deviceRequest(&claim.deviceRequest); err != nil {
			return err
		}
	}
	return nil
}

// deviceDriver checks that a driver has a model.
func (c *storyChecker) deviceDriver(p *strict.Position, field, name string) error {
	drivers := map[string]bool{}
	for _, m := range c.Cluster.Devices.Models {
		drivers[m.Driver] = true
	}
	if drivers[name] {
		return nil
	}
	return p.Fail(field, "no model in cluster.devices.models has the driver %q: %s", name, strict.Suggest(name, sortedKeys(drivers)))
}

// deviceRequest checks what is requested of which classes.
func (c *storyChecker) deviceRequest(r *deviceRequest) error {
	switch {
	case (r.Class == "") == (len(r.AnyOf) == 0):
		return r.Fail("class", "say of which class, or anyOf several, the best one first")
	case r.Has("count") && (r.All || r.Count < 1 || r.Count > maxRequested):
		return r.Fail("count", "write how many, between 1 and %d, or all: true", maxRequested)
	case len(r.AnyOf) > maxChoices:
		return r.Fail("anyOf", "there are at most %d choices", maxChoices)
	case len(r.Capacity) > maxProperties:
		return r.Fail("capacity", "a device has at most %d capacities", maxProperties)
	}
	for _, class := range append(slices.Clone(r.AnyOf), r.Class) {
		if _, known := c.Cluster.Devices.Classes[class]; class != "" && !known && !c.hasObject(world.DeviceClass) {
			return r.Fail("class", "there is no device class %q: %s", class, strict.Suggest(class, sortedKeys(c.Cluster.Devices.Classes)))
		}
	}
	return nil
}

// podDevices checks the devices of workloads.
func (c *storyChecker) podDevices() error {
	for i := range c.Workloads {
		w := &c.Workloads[i]
		for _, name := range sortedKeys(w.Devices) {
			p := w.Devices[name]
			if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
				return w.Fail("devices."+name, "this is no name of a pod's claim: %s", problems[0])
			}
			switch {
			case p.isTemplate():
				if err := c.deviceRequest(&p.deviceRequest); err != nil {
					return err
				}
			case p.Class != "" || len(p.AnyOf) > 0 || p.Has("count") || p.Has("all") || p.Has("selector"):
				return p.Fail("claim", "devices are a claim that exists, or of a class: write one of them")
			case !c.knowsDeviceClaim(w.Namespace, p.Claim):
				return p.Fail("claim", "there is no claim %q in cluster.devices.claims, in namespace %s: %s", p.Claim, w.Namespace, strict.Suggest(p.Claim, c.deviceClaimNames(w.Namespace)))
			}
		}
	}
	return nil
}

func (c *storyChecker) knowsDeviceClaim(namespace, name string) bool {
	return c.hasObject(world.ResourceClaim) || slices.Contains(c.deviceClaimNames(namespace), name)
}

func (f *file) deviceClaimNames(namespace string) []string {
	var all []string
	for i := range f.Cluster.Devices.Claims {
		if claim := &f.Cluster.Devices.Claims[i]; claim.namespace() == namespace {
			all = append(all, claim.Name)
		}
	}
	return all
}

// devices checks what a step does to devices and drivers.
func (c *storyChecker) devices(m *moment) error {
	d := m.Devices
	if d == nil {
		return nil
	}
	return firstError(
		func() error {
			return c.deviceLists(d, map[string]map[string]stringList{"fail": d.Broken, "repair": d.Repair, "unplug": d.Unplug})
		},
		func() error { return c.plugged(m) },
		func() error {
			return c.driverLists(d, map[string]map[string]stringList{"stopDrivers": d.StopDrivers, "startDrivers": d.StartDrivers})
		},
		func() error {
			return c.bindingFaults(d, map[string]map[string]duration{"bindingHangs": d.BindingHangs, "bindingFails": d.BindingFails})
		},
	)
}

// deviceLists checks the devices that fields name, by place.
func (c *storyChecker) deviceLists(d *deviceChange, lists map[string]map[string]stringList) error {
	for _, field := range sortedKeys(lists) {
		for _, place := range sortedKeys(lists[field]) {
			if err := c.devicePlace(d, field, place); err != nil {
				return err
			}
			for _, pattern := range lists[field][place] {
				if _, err := path.Match(pattern, ""); err != nil {
					return d.Fail(field, "%q is no pattern: write the name of a device, such as a100-0, or a100-*", pattern)
				}
			}
		}
	}
	return nil
}

// plugged counts the devices that a step adds, each time that it happens.
func (c *storyChecker) plugged(m *moment) error {
	for _, place := range sortedKeys(m.Devices.Plug) {
		if err := c.devicePlace(m.Devices, "plug", place); err != nil {
			return err
		}
		for _, model := range sortedKeys(m.Devices.Plug[place]) {
			n, places := m.Devices.Plug[place][model], m.times()*c.placesOf(place)
			if err := c.countDevices(&m.Devices.Position, "plug", model, n, places); err != nil {
				return err
			}
		}
	}
	return nil
}

// driverLists checks the drivers and nodes that fields name.
func (c *storyChecker) driverLists(d *deviceChange, lists map[string]map[string]stringList) error {
	for _, field := range sortedKeys(lists) {
		for _, driver := range sortedKeys(lists[field]) {
			if err := c.deviceDriver(&d.Position, field, driver); err != nil {
				return err
			}
			if err := c.anyOf(&d.Position, field, lists[field][driver]); err != nil {
				return err
			}
		}
	}
	return nil
}

// bindingFaults checks the drivers that fields name.
func (c *storyChecker) bindingFaults(d *deviceChange, faults map[string]map[string]duration) error {
	for _, field := range sortedKeys(faults) {
		for _, driver := range sortedKeys(faults[field]) {
			if err := c.deviceDriver(&d.Position, field, driver); err != nil {
				return err
			}
		}
	}
	return nil
}

// devicePlace checks that a word is a pool of several nodes or selects nodes.
func (c *storyChecker) devicePlace(d *deviceChange, field, place string) error {
	if c.sharedPool(place) != nil {
		return nil
	}
	return c.anyOf(&d.Position, field, []string{place})
}

// placesOf is how many nodes a word selects, one for a pool of several nodes.
func (c *storyChecker) placesOf(place string) int {
	if c.sharedPool(place) != nil {
		return 1
	}
	n := 0
	for _, node := range c.nodes {
		if matchesNode(place, node) {
			n++
		}
	}
	return n
}
