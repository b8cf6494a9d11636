package diagnose

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/volumes"
	"orrery/core/scheduler/volumes/outcome"
	"orrery/core/world"
)

// storageEvents returns a change of storage, or the deletion of a pod, with what controllers make of it for the pod's
// claims: there is none in the fork that takes the events.
func storageEvents(e *engine.Engine, pod *v1.Pod, c change.Change) []world.Event {
	namespace, name, _ := strings.Cut(c.Name, "/")
	switch c.Verb {
	case change.DeletePod:
		if other := e.Store().Pod(namespace, name); other != nil {
			return []world.Event{world.Changed{Op: world.Deleted, Object: other}}
		}
	case change.AddVolume:
		return addedVolume(e, pod, c)
	case change.SetClass:
		if claim := e.Volumes().StoredClaim(namespace, name); claim != nil {
			return withClass(e, claim.DeepCopy(), c)
		}
	case change.SetCapacity:
		return alteredCapacity(e, c)
	}
	return nil
}

// addedVolume is a new volume, and its binding to the first of the pod's claims that waits for one before the pod is placed.
func addedVolume(e *engine.Engine, pod *v1.Pod, c change.Change) []world.Event {
	pv, err := c.NewVolume("diagnose-new")
	if err != nil {
		return nil
	}
	pv.UID = types.UID("diagnose-" + pv.Name)
	events := []world.Event{world.Changed{Op: world.Added, Object: pv}}
	for name := range podvolumes.Claims(pod) {
		claim := e.Volumes().StoredClaim(pod.Namespace, name)
		if claim == nil || claim.Spec.VolumeName != "" || volume.GetPersistentVolumeClaimClass(claim) != c.Name || !volumes.SuitsPlain(claim) {
			continue
		}
		if class := e.Volumes().ClassOf(claim); class == nil || !volumes.IsDelayed(class) {
			return append(events, outcome.Bound(claim, pv)...)
		}
	}
	return events
}

// withClass is a claim of another class, with the volume that an immediate one makes. Where that would be cannot be told if
// the class leaves out some places.
func withClass(e *engine.Engine, claim *v1.PersistentVolumeClaim, c change.Change) []world.Event {
	if c.AlterClaim(claim) != nil {
		return nil
	}
	claim.ResourceVersion = ""
	events := []world.Event{world.Changed{Op: world.Modified, Object: claim}}
	switch class := e.Volumes().ClassOf(claim); {
	case class == nil:
		return nil
	case volumes.IsDelayed(class):
		return events
	case len(class.AllowedTopologies) > 0:
		return nil
	default:
		return append(events, outcome.Provisioned(claim, class)...)
	}
}

// alteredCapacity changes the first capacity that the change is of, or makes one.
func alteredCapacity(e *engine.Engine, c change.Change) []world.Event {
	var nodes []*v1.Node
	for o := range e.Store().Objects(world.Node) {
		nodes = append(nodes, o.(*v1.Node))
	}
	for o := range e.Store().Objects(world.CSIStorageCapacity) {
		if published := o.(*storagev1.CSIStorageCapacity); c.Covers(published, nodes) {
			changed := published.DeepCopy()
			changed.ResourceVersion = ""
			if c.AlterCapacity(changed) != nil {
				return nil
			}
			return []world.Event{world.Changed{Op: world.Modified, Object: changed}}
		}
	}
	made, err := c.NewCapacity(metav1.NamespaceDefault, "diagnose-new")
	if err != nil {
		return nil
	}
	made.UID = types.UID("diagnose-" + made.Name)
	return []world.Event{world.Changed{Op: world.Added, Object: made}}
}

// storageText is a change of storage in a sentence.
func storageText(c change.Change) string {
	place := ""
	switch {
	case c.Node != "":
		place = " on node " + c.Node
	case c.Value != "":
		place = " in " + volumes.ZoneName(c.Value)
	}
	switch _, claim, _ := strings.Cut(c.Name, "/"); {
	case c.Verb == change.SetClass:
		return "recreate claim " + claim + " with storageClassName " + c.Value
	case c.Verb == change.SetCapacity:
		return "have " + c.Requests[0].Amount + " of storage of class " + c.Name + place
	case c.Name == "":
		return "add a PersistentVolume of " + c.Requests[0].Amount + place
	default:
		return "add a PersistentVolume of " + c.Requests[0].Amount + " and class " + c.Name + place
	}
}
