package scenario

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
	"orrery/demo/scenario/strict"
)

// maxDriverName is the longest name of a CSI driver.
const maxDriverName = 63

// drivers checks the drivers, and those of the nodes.
func (c *storyChecker) drivers() error {
	storage := &c.Cluster.Storage
	for _, name := range sortedKeys(storage.Drivers) {
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 || len(name) > maxDriverName {
			return storage.Fail("drivers."+name, "this is no name of a driver: write one such as ebs.csi.aws.com, of at most %d characters", maxDriverName)
		}
		if d := storage.Drivers[name]; d.Topology != "" {
			if err := checkLabel(&d.Position, "topology", d.topology(), ""); err != nil {
				return err
			}
		}
	}
	c.segments = map[string]map[string]bool{}
	for _, g := range c.groups() {
		if err := c.driversOf(g); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(storage.Drivers) {
		d := storage.Drivers[name]
		if err := c.capacity(&d.Position, "capacity", name, d.Capacity); err != nil {
			return err
		}
		if err := c.trackedCapacity(name, d); err != nil {
			return err
		}
	}
	return nil
}

// driversOf checks the drivers of a group, and collects their segments.
func (c *storyChecker) driversOf(g *nodeGroup) error {
	nodes := g.nodes()
	for _, name := range sortedKeys(g.Drivers) {
		if err := c.knownDriver(&g.Position, "drivers", name); err != nil {
			return err
		}
		if limit := g.Drivers[name]; limit < 0 || limit > maxPods {
			return g.Fail("drivers."+name, "write how many volumes a node can have, or 0 for any number")
		}
		key := c.Cluster.Storage.Drivers[name].topology()
		for _, node := range nodes {
			value, ok := node.Labels[key]
			if key != "" && !ok {
				return g.Fail("drivers."+name, "the driver places volumes by %s, and these nodes lack it: give them one", key)
			}
			if c.segments[name] == nil {
				c.segments[name] = map[string]bool{}
			}
			c.segments[name][value] = true
		}
	}
	return nil
}

func (c *storyChecker) knownDriver(p *strict.Position, field, name string) error {
	if _, known := c.Cluster.Storage.Drivers[name]; !known {
		return p.Fail(field, "there is no driver %q in cluster.storage.drivers: %s", name, strict.Suggest(name, sortedKeys(c.Cluster.Storage.Drivers)))
	}
	return nil
}

// capacity checks the segments that a driver has a capacity in.
func (c *storyChecker) capacity(p *strict.Position, field, driver string, by map[string]amount) error {
	for _, value := range sortedKeys(by) {
		switch d := c.Cluster.Storage.Drivers[driver]; {
		case d.Topology == "" && value != wholeCluster:
			return p.Fail(field, "driver %s has no topology, and one capacity: write {%s: 1Ti}, or topology: zone", driver, wholeCluster)
		case d.Topology != "" && !c.segments[driver][value]:
			return p.Fail(field, "no node with driver %s has %s %q: %s", driver, d.Topology, value, strict.Suggest(value, sortedKeys(c.segments[driver])))
		}
	}
	return nil
}

// trackedCapacity checks that a driver that publishes its capacity has one everywhere: the scheduler takes a segment without
// one for full.
func (c *storyChecker) trackedCapacity(name string, d storageDriver) error {
	if !d.tracksCapacity() {
		return nil
	}
	values := []string{wholeCluster}
	if d.Topology != "" {
		values = sortedKeys(c.segments[name])
	}
	for _, value := range values {
		if _, given := d.Capacity[value]; !given {
			return d.Fail("capacity", "the scheduler takes %s %q for full, as its capacity is not given: write one, or trackCapacity: false", cmp.Or(d.Topology, "cluster"), value)
		}
	}
	return nil
}

func (c *storyChecker) classes() error {
	storage := &c.Cluster.Storage
	for _, name := range sortedKeys(storage.Classes) {
		s := storage.Classes[name]
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			return storage.Fail("classes."+name, "this is no name of a storage class: %s", problems[0])
		}
		if s.Provisioner != storagevolume.NotSupportedProvisioner {
			if err := c.knownDriver(&s.Position, "provisioner", s.Provisioner); err != nil {
				return err
			}
		}
		if s.Binding != "" && s.Binding != storagev1.VolumeBindingImmediate && s.Binding != storagev1.VolumeBindingWaitForFirstConsumer {
			return s.Fail("binding", "write Immediate or WaitForFirstConsumer")
		}
		if err := checkReclaim(&s.Position, s.Reclaim); err != nil {
			return err
		}
		for _, key := range sortedKeys(s.Topologies) {
			for _, value := range s.Topologies[key] {
				if err := checkLabel(&s.Position, "topologies", topologyKey(key), value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkReclaim(p *strict.Position, policy v1.PersistentVolumeReclaimPolicy) error {
	switch policy {
	case "", v1.PersistentVolumeReclaimDelete, v1.PersistentVolumeReclaimRetain:
		return nil
	}
	return p.Fail("reclaim", "write Delete or Retain")
}

func (c *storyChecker) volumes() error {
	for i := range c.Cluster.Storage.Volumes {
		v := &c.Cluster.Storage.Volumes[i]
		switch {
		case v.Has("count") && v.Count < 1:
			return v.Fail("count", "there is 1 volume at least")
		case v.Zone != "" && v.Node != "":
			return v.Fail("zone", "a volume is accessible from a zone or from a node: write one of them")
		case v.Claim != "" && v.Count > 1:
			return v.Fail("claim", "a claim has one volume: leave count out")
		}
		if err := firstError(
			func() error { return c.made.addVolumes(&v.Position, "count", max(1, v.Count)) },
			func() error { return checkVolumeName(&v.Position, v.names()[0]) },
			func() error { return c.checkSpec(&v.Position, v.Size, v.Class, v.Access) },
			func() error { return checkReclaim(&v.Position, v.Reclaim) },
			func() error { return c.placeOf(v) },
		); err != nil {
			return err
		}
	}
	return nil
}

// placeOf checks the driver and the node or zone of a volume.
func (c *storyChecker) placeOf(v *volumePart) error {
	if v.Driver != "" {
		if err := c.knownDriver(&v.Position, "driver", v.Driver); err != nil {
			return err
		}
	}
	if v.Node != "" && c.nodes[v.Node] == nil {
		return v.Fail("node", "there is no node %q: %s", v.Node, strict.Suggest(v.Node, sortedKeys(c.nodes)))
	}
	return checkLabel(&v.Position, "zone", v1.LabelTopologyZone, v.Zone)
}

func checkVolumeName(p *strict.Position, name string) error {
	if name == "" {
		return p.Fail("name", "a volume or a claim needs a name")
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return p.Fail("name", "%q is no name of a volume or a claim: %s", name, problems[0])
	}
	return nil
}

// checkSpec checks what volumes and claims have in common.
func (c *storyChecker) checkSpec(p *strict.Position, size amount, class string, access stringList) error {
	if size.Sign() <= 0 {
		return p.Fail("size", "write how large it is, as in size: 10Gi")
	}
	modes := []string{string(v1.ReadWriteOnce), string(v1.ReadOnlyMany), string(v1.ReadWriteMany), string(v1.ReadWriteOncePod)}
	for _, mode := range access {
		if !slices.Contains(modes, mode) {
			return p.Fail("access", "there is no access mode %q: %s", mode, strict.Suggest(mode, modes))
		}
	}
	if _, known := c.Cluster.Storage.Classes[class]; class == "" || known || c.hasObject(world.StorageClass) {
		return nil
	}
	return p.Fail("class", "there is no storage class %q: %s", class, strict.Suggest(class, sortedKeys(c.Cluster.Storage.Classes)))
}

// hasObject reports whether objects of a kind are written in full; what they are called is found out when they are created.
func (f *file) hasObject(kind world.Kind) bool {
	return slices.ContainsFunc(f.Objects, func(o strict.Raw) bool { return o.Scalar("kind") == string(kind) })
}

func (c *storyChecker) claims() error {
	for i := range c.Cluster.Storage.Claims {
		claim := &c.Cluster.Storage.Claims[i]
		if err := firstError(
			func() error { return c.made.addVolumes(&claim.Position, "name", 1) },
			func() error { return checkVolumeName(&claim.Position, claim.Name) },
			func() error { return c.checkSpec(&claim.Position, claim.Size, claim.Class, claim.Access) },
		); err != nil {
			return err
		}
		if problems := validation.IsDNS1123Label(claim.namespace()); len(problems) > 0 {
			return claim.Fail("namespace", "%q is no name of a namespace: %s", claim.Namespace, problems[0])
		}
	}
	return nil
}

// podVolumes checks the volumes of workloads.
func (c *storyChecker) podVolumes() error {
	for i := range c.Workloads {
		w := &c.Workloads[i]
		for _, name := range sortedKeys(w.Volumes) {
			v := w.Volumes[name]
			if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
				return w.Fail("volumes."+name, "this is no name of a volume: %s", problems[0])
			}
			switch {
			case v.Claim == "":
				if err := c.checkSpec(&v.Position, v.Size, v.Class, v.Access); err != nil {
					return err
				}
			case v.Has("size") || v.Has("class") || v.Has("access") || v.Has("ephemeral"):
				return v.Fail("claim", "a volume is a claim that exists, or has a size and perhaps a class: write one of them")
			case !c.knowsClaim(w.Namespace, v.Claim):
				return v.Fail("claim", "there is no claim %q in cluster.storage.claims, in namespace %s: %s", v.Claim, w.Namespace, strict.Suggest(v.Claim, c.claimNames(w.Namespace)))
			}
		}
	}
	return nil
}

// knowsClaim reports whether a claim may exist: it is written, or one that a pod gets.
func (c *storyChecker) knowsClaim(namespace, name string) bool {
	if c.hasObject(world.PersistentVolumeClaim) || slices.Contains(c.claimNames(namespace), name) {
		return true
	}
	return slices.ContainsFunc(c.Workloads, func(w workload) bool {
		if w.Namespace != namespace {
			return false
		}
		for _, volume := range sortedKeys(w.Volumes) {
			if of, ok := strings.CutPrefix(name, volume+"-"+w.name+"-"); ok && w.Volumes[volume].isTemplate(&w) && isOrdinal(of) {
				return true
			}
			if v := w.Volumes[volume]; v.Claim == "" && !v.isTemplate(&w) && strings.HasPrefix(name, w.name) && strings.HasSuffix(name, "-"+volume) {
				return true
			}
		}
		return false
	})
}

func isOrdinal(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// claimNames are the names of the claims that are written.
func (f *file) claimNames(namespace string) []string {
	var all []string
	for i := range f.Cluster.Storage.Claims {
		if claim := &f.Cluster.Storage.Claims[i]; claim.namespace() == namespace {
			all = append(all, claim.Name)
		}
	}
	return all
}

// storage checks what a step does to storage.
func (c *storyChecker) storage(m *moment) error {
	s := m.Storage
	if s == nil {
		return nil
	}
	for _, name := range sortedKeys(s.Capacity) {
		if err := c.knownDriver(&s.Position, "capacity", name); err != nil {
			return err
		}
		if err := c.capacity(&s.Position, "capacity", name, s.Capacity[name]); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(s.ProvisionerHangs) {
		if err := c.knownDriver(&s.Position, "provisionerHangs", name); err != nil {
			return err
		}
	}
	claims := map[string][]string{"detachFails": sortedKeys(s.DetachFails), "deleteClaims": s.DeleteClaims}
	for _, field := range sortedKeys(claims) {
		for _, word := range claims[field] {
			if namespace, name := claimName(word); !c.knowsClaim(namespace, name) {
				return s.Fail(field, "there is no claim %q: write one of cluster.storage.claims, or that of a stateful set's pod, such as data-db-0, and its namespace as in shop/data-db-0", word)
			}
		}
	}
	return nil
}
