package scenario

import (
	"strconv"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
	"orrery/demo/scenario/strict"
)

// CreateInitial creates the initial objects: nodes, classes, volumes, objects, and every workload that no step creates.
func (d *ScriptRunner) CreateInitial() error {
	cluster := &d.file.Cluster
	for _, name := range sortedKeys(cluster.PriorityClasses) {
		if err := d.create(priorityClass(name, cluster.PriorityClasses[name])); err != nil {
			return cluster.Fail("priorityClasses."+name, "%v", err)
		}
	}
	if err := d.createStorageClasses(); err != nil {
		return err
	}
	for i := range cluster.Nodes {
		if err := d.addNodes(&cluster.Nodes[i], true); err != nil {
			return cluster.Nodes[i].Fail("name", "%v", err)
		}
	}
	if err := d.createVolumes(); err != nil {
		return err
	}
	if err := d.createDeviceClasses(); err != nil {
		return err
	}
	for i := range d.file.Objects {
		if err := d.addObject(&d.file.Objects[i]); err != nil {
			return err
		}
	}
	later := d.file.createdLater()
	for i := range d.file.Workloads {
		if w := &d.file.Workloads[i]; !later[w.name] {
			if err := d.create(w.objects()...); err != nil {
				return w.Fail("", "%v", err)
			}
		}
	}
	return nil
}

// createdLater returns the workloads that steps create.
func (f *file) createdLater() map[string]bool {
	later := map[string]bool{}
	for i := range f.Steps {
		for _, name := range f.Steps[i].Create {
			later[name] = true
		}
	}
	return later
}

// addNodes adds a group of nodes. Initial nodes are ready; later ones become ready with their kubelets' first report.
func (d *ScriptRunner) addNodes(g *nodeGroup, ready bool) error {
	for _, node := range g.nodes() {
		if ready {
			node.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady"}}
		}
		if d.kubelet.Reserves() {
			var err error
			if node.Status.Allocatable, err = d.kubelet.Allocatable(node.Status.Capacity); err != nil {
				return err
			}
		}
		objects := []world.Object{node}
		if len(g.Drivers) > 0 {
			objects = append(objects, d.file.csiNode(g, node.Name))
		}
		if err := d.create(objects...); err != nil {
			return err
		}
	}
	return nil
}

// addObject creates an object written in full.
func (d *ScriptRunner) addObject(raw *strict.Raw) error {
	o, err := objectOf(raw)
	if err != nil {
		return err
	}
	if err := d.create(o); err != nil {
		return raw.Fail("", err.Error())
	}
	return nil
}

// objectOf reads an object written in full.
func objectOf(raw *strict.Raw) (world.Object, error) {
	kind := raw.Scalar("kind")
	o, err := memory.NewObject(world.Kind(kind))
	if err != nil {
		var kinds []string
		for _, k := range memory.Kinds() {
			kinds = append(kinds, string(k))
		}
		return nil, raw.Fail("kind", "there is no kind "+strconv.Quote(kind)+": "+strict.Suggest(kind, kinds))
	}
	if err := raw.Decode(o); err != nil {
		return nil, err
	}
	if o.GetName() == "" {
		return nil, raw.Fail("metadata", "an object needs a name: write metadata: {name: …}")
	}
	if o.GetNamespace() == "" && memory.IsNamespaced(world.Kind(kind)) {
		o.SetNamespace(v1.NamespaceDefault)
	}
	return o, nil
}
