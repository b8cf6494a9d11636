package whatif

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/world"
)

// changeStorage makes a change of volumes, claims or capacities.
func (r *run) changeStorage(c change.Change) error {
	switch c.Verb {
	case change.AddVolume:
		return r.addVolume(c)
	case change.SetCapacity:
		return r.setCapacity(c)
	}
	all := findAll(r, world.PersistentVolumeClaim, c.Name)
	if err := checkUnique("claim", c.Name, len(all)); err != nil {
		return err
	}
	claim := all[0].(*v1.PersistentVolumeClaim)
	defer r.activateUsers(claim)
	if c.Verb == change.DeleteClaim {
		return r.cluster.Delete(world.PersistentVolumeClaim, claim.Namespace, claim.Name, metav1.DeleteOptions{})
	}
	if err := r.checkClass(c.Value); err != nil {
		return err
	}
	changed := claim.DeepCopy()
	if err := c.AlterClaim(changed); err != nil {
		return err
	}
	return r.cluster.Load(changed)
}

// activateUsers has the pending pods that name a claim tried at once.
func (r *run) activateUsers(claim *v1.PersistentVolumeClaim) {
	for pod := range objects[*v1.Pod](r.engine.Store(), world.Pod) {
		if pod.Spec.NodeName == "" && podvolumes.NamesClaim(pod, claim) {
			r.cluster.RequestActivation(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
		}
	}
}

func (r *run) checkClass(name string) error {
	if _, err := r.cluster.Get(world.StorageClass, "", name); err != nil {
		return fmt.Errorf("there is no storage class %q", printable.Line(name, 80))
	}
	return nil
}

func (r *run) addVolume(c change.Change) error {
	if c.Node != "" {
		if _, err := r.node(c.Node); err != nil {
			return err
		}
	}
	name := ""
	for i := 1; name == "" || r.has(world.PersistentVolume, "", name); i++ {
		name = fmt.Sprintf("pv-new%d", i)
	}
	pv, err := c.NewVolume(name)
	if err != nil {
		return err
	}
	_, err = r.cluster.Create(pv)
	return err
}

func (r *run) has(kind world.Kind, namespace, name string) bool {
	_, err := r.cluster.Get(kind, namespace, name)
	return err == nil
}

// setCapacity changes every capacity of the class, in the zone if one is named; where none is published it makes one.
func (r *run) setCapacity(c change.Change) error {
	if err := r.checkClass(c.Name); err != nil {
		return err
	}
	var nodes []*v1.Node
	for node := range objects[*v1.Node](r.engine.Store(), world.Node) {
		nodes = append(nodes, node)
	}
	found := false
	for published := range objects[*storagev1.CSIStorageCapacity](r.engine.Store(), world.CSIStorageCapacity) {
		if !c.Covers(published, nodes) {
			continue
		}
		found = true
		changed := published.DeepCopy()
		changed.ResourceVersion = ""
		if err := c.AlterCapacity(changed); err != nil {
			return err
		}
		if _, err := r.cluster.Update(changed); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	made, err := c.NewCapacity(metav1.NamespaceDefault, "capacity-new")
	if err == nil {
		_, err = r.cluster.Create(made)
	}
	return err
}
