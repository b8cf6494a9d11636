package whatif

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/objects/csimigration"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// provisioners returns which drivers make volumes: those that are registered, in the cluster or on a node, and those that have made one.
// A class may name any other, which may be mistyped or not be installed; a claim of it has waited, and goes on to.
func provisioners(e *engine.Engine) func(driver string) bool {
	if e.Unread(world.CSIDriver) || e.Unread(world.CSINode) {
		return nil
	}
	s, known := e.Store(), map[string]bool{}
	for o := range s.Objects(world.CSIDriver) {
		known[o.GetName()] = true
	}
	for node := range objects[*storagev1.CSINode](s, world.CSINode) {
		for i := range node.Spec.Drivers {
			known[node.Spec.Drivers[i].Name] = true
		}
	}
	for pv := range objects[*v1.PersistentVolume](s, world.PersistentVolume) {
		known[driverNamed(pv.Annotations[storagevolume.AnnDynamicallyProvisioned])] = true
	}
	return func(driver string) bool { return known[driver] }
}

// driverNamed is the CSI driver that a provisioner of a class stands for.
func driverNamed(provisioner string) string {
	return cmp.Or(csimigration.DriverOf(provisioner), provisioner)
}

// noteProvisioners says of which classes no claim gets a volume, if one waits for that.
func (r *run) noteProvisioners() {
	makes := provisioners(r.engine)
	if makes == nil {
		return
	}
	var noted []string
	for claim := range objects[*v1.PersistentVolumeClaim](r.engine.Store(), world.PersistentVolumeClaim) {
		class := r.engine.Volumes().ClassOf(claim)
		if claim.Spec.VolumeName != "" || class == nil || class.Provisioner == storagevolume.NotSupportedProvisioner ||
			makes(driverNamed(class.Provisioner)) || slices.Contains(noted, class.Name) {
			continue
		}
		noted = append(noted, class.Name)
	}
	slices.Sort(noted)
	for _, name := range noted {
		r.notes = append(r.notes, fmt.Sprintf("class %s makes no volumes here: its provisioner is not registered and has made none", name))
	}
}

// heldBindings are the pods whose bindings wait for an object, and for which, if nobody has ended that wait: a claim that is bound by
// nobody. Such a pod has a place, and no container of it starts.
func heldBindings(e *engine.Engine) map[types.UID]string {
	held := map[types.UID]string{}
	if e.BindingCount() == e.WaitingCount() {
		return held
	}
	for _, b := range e.Bindings() {
		if len(b.Objects) > 0 {
			held[b.Pod.UID] = fmt.Sprintf("%s %s/%s", b.Objects[0].Kind, b.Objects[0].Namespace, b.Objects[0].Name)
		}
	}
	return held
}

// heldAtRest are those of the run's end.
func (r *run) heldAtRest() map[types.UID]string {
	if r.held == nil {
		r.held = heldBindings(r.engine)
	}
	return r.held
}
