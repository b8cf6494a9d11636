package diagnose

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// deviceEvents returns a change of devices, or of a claim for them, as the cluster would report it.
func deviceEvents(e *engine.Engine, c change.Change) []world.Event {
	if c.Verb == change.AddDevice {
		slice, err := c.AlterSlices(storedSlices(e), metav1.Time{Time: e.Now()})
		if err != nil {
			return nil
		}
		return []world.Event{written(slice)}
	}
	namespace, name, _ := strings.Cut(c.Name, "/")
	claim := e.Devices().StoredClaim(namespace, name)
	switch {
	case claim == nil:
		return nil
	case c.Verb == change.FreeClaim:
		return freedClaim(e, claim)
	}
	changed := claim.DeepCopy()
	if c.AlterDeviceClaim(changed) != nil {
		return nil
	}
	return []world.Event{written(changed)}
}

// written is an object that was changed, or is new if it has no UID.
func written(o world.Object) world.Event {
	o.SetResourceVersion("")
	if o.GetUID() == "" {
		o.SetUID(types.UID("diagnose-" + o.GetName()))
		return world.Changed{Op: world.Added, Object: o}
	}
	return world.Changed{Op: world.Modified, Object: o}
}

// freedClaim is the end of the pods that use a claim, and of its devices; a claim that its pod owns goes with the pod.
func freedClaim(e *engine.Engine, claim *resourcev1.ResourceClaim) []world.Event {
	var events []world.Event
	for _, user := range claim.Status.ReservedFor {
		if pod := e.Store().Pod(claim.Namespace, user.Name); pod != nil && user.Resource == "pods" {
			events = append(events, world.Changed{Op: world.Deleted, Object: pod})
		}
	}
	if owner := metav1.GetControllerOfNoCopy(claim); owner != nil && world.Kind(owner.Kind) == world.Pod {
		return append(events, world.Changed{Op: world.Deleted, Object: claim})
	}
	freed := claim.DeepCopy()
	freed.Status = resourcev1.ResourceClaimStatus{}
	return append(events, written(freed))
}

// storedSlices are the slices without the taints of rules.
func storedSlices(e *engine.Engine) []*resourcev1.ResourceSlice {
	var all []*resourcev1.ResourceSlice
	for o := range e.Store().Objects(world.ResourceSlice) {
		if slice, is := o.(*resourcev1.ResourceSlice); is {
			all = append(all, slice)
		}
	}
	return all
}

// slicesOfNode are the devices of a new node like another.
func slicesOfNode(e *engine.Engine, model *v1.Node, name string) []world.Event {
	var events []world.Event
	for _, slice := range change.SlicesLike(storedSlices(e), model, name) {
		events = append(events, written(slice))
	}
	return events
}

// ofOwnClaim makes a change of a pod's claim to the claim of the same name in another pod: claims of a template are one for
// each pod.
func ofOwnClaim(c change.Change, of, pod *v1.Pod) change.Change {
	_, name, _ := strings.Cut(c.Name, "/")
	for i := range of.Spec.ResourceClaims {
		ref := &of.Spec.ResourceClaims[i]
		if own, generated, err := resourceclaim.Name(of, ref); err != nil || own == nil || !generated || *own != name {
			continue
		}
		for j := range pod.Spec.ResourceClaims {
			if other := &pod.Spec.ResourceClaims[j]; other.Name == ref.Name {
				if own, _, err := resourceclaim.Name(pod, other); err == nil && own != nil {
					c.Name = pod.Namespace + "/" + *own
				}
			}
		}
	}
	return c
}

// ofClaim reports whether a change is of what a claim for devices requests.
func ofClaim(c change.Change) bool {
	switch c.Verb {
	case change.SetDeviceClass, change.SetDeviceCount, change.RelaxClaim, change.DropConstraint, change.TolerateDevices:
		return true
	}
	return false
}

// deviceText is a change of devices, or of a claim for them, in a sentence.
func deviceText(e *engine.Engine, c change.Change) string {
	_, claim, _ := strings.Cut(c.Name, "/")
	what := "create claim " + claim
	if c.Of != "" {
		what += ", request " + c.Of + ","
	}
	switch c.Verb {
	case change.SetDeviceClass:
		return what + " of class " + c.Value
	case change.SetDeviceCount:
		return what + " for " + plural.Count(c.Count, "device") + " only"
	case change.RelaxClaim:
		return what + " without its selectors"
	case change.TolerateDevices:
		return what + " tolerating the device taint " + c.Value
	case change.DropConstraint:
		return what + " without its constraint on " + c.Value
	case change.AddDevice:
		_, name, _ := strings.Cut(c.Name, "/")
		return "add one more device like " + name + " on node " + c.Node
	}
	for _, event := range eventsOf(e, nil, c) {
		if pod, is := event.(world.Changed).Object.(*v1.Pod); is {
			return fmt.Sprintf("free claim %s: delete pod %s (priority %d)", c.Name, fullName(pod), corev1.PodPriority(pod))
		}
	}
	return "free claim " + c.Name + ", which no pod uses"
}
