package scenario

import (
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/demo/scenario/strict"
)

// Furnish creates what is there from the beginning: nodes, priority classes, objects, and every workload that no moment
// of the story creates.
func (d *Director) Furnish() error {
	cluster := &d.file.Cluster
	for _, name := range sortedKeys(cluster.Priorities) {
		if err := d.create(priorityClass(name, cluster.Priorities[name])); err != nil {
			return cluster.Fail("priorities."+name, "%v", err)
		}
	}
	for i := range cluster.Nodes {
		if err := d.addNodes(&cluster.Nodes[i], true); err != nil {
			return err
		}
	}
	for i := range d.file.Objects {
		if err := d.addObject(&d.file.Objects[i]); err != nil {
			return err
		}
	}
	for i := range d.file.Workloads {
		if w := &d.file.Workloads[i]; !d.file.createdLater(w.name) {
			if err := d.create(w.objects()...); err != nil {
				return w.Fail("", "%v", err)
			}
		}
	}
	return nil
}

func (f *file) createdLater(name string) bool {
	return slices.ContainsFunc(f.Story, func(m moment) bool { return slices.Contains(m.Create, name) })
}

// addNodes adds a group of nodes. Those of the beginning are ready; later ones become ready when their kubelets say so.
func (d *Director) addNodes(g *nodeGroup, ready bool) error {
	for _, node := range g.nodes() {
		if ready {
			node.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady"}}
		}
		if err := d.create(node); err != nil {
			return g.Fail("name", "%v", err)
		}
	}
	return nil
}

// addObject creates an object that is written in full.
func (d *Director) addObject(raw *strict.Raw) error {
	o, err := objectOf(raw)
	if err != nil {
		return err
	}
	if err := d.create(o); err != nil {
		return raw.Fail("", err.Error())
	}
	return nil
}

// objectOf reads an object that is written in full.
func objectOf(raw *strict.Raw) (world.Object, error) {
	kind := raw.Scalar("kind")
	o, err := world.New(world.Kind(kind))
	if err != nil {
		var kinds []string
		for _, k := range world.Kinds() {
			kinds = append(kinds, string(k))
		}
		return nil, raw.Fail("kind", "there is no kind "+strconv.Quote(kind)+": "+strict.Among(kind, kinds))
	}
	if err := raw.Decode(o); err != nil {
		return nil, err
	}
	if o.GetName() == "" {
		return nil, raw.Fail("metadata", "an object needs a name: write metadata: {name: …}")
	}
	if o.GetNamespace() == "" && !clusterWide[world.Kind(kind)] {
		o.SetNamespace(v1.NamespaceDefault)
	}
	return o, nil
}

// clusterWide kinds have no namespaces.
var clusterWide = map[world.Kind]bool{
	world.Node: true, world.Namespace: true, world.PersistentVolume: true, world.PriorityClass: true,
	world.RuntimeClass: true, world.StorageClass: true, world.CSINode: true, world.CSIDriver: true,
	world.VolumeAttachment: true, world.ResourceSlice: true, world.DeviceClass: true, world.DeviceTaintRule: true,
}
