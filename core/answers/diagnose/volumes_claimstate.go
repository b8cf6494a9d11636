package diagnose

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/safe/spelling"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/world"
)

// claimReader describes claims: those of a pod, or for a list, which has no pod.
type claimReader struct {
	engine *engine.Engine
	pod    *v1.Pod // nil for a list
	// users are the pods on nodes that use a claim, nearest is a text about the volumes that nearly suit it.
	users   func(*ClaimLink) []string
	nearest func(*ClaimLink) string
}

// ClaimOf describes a claim for a list. users are the pods on nodes that use it. Unlike the chain of a pod, it does not name the
// volumes that nearly suit an unbound claim, because that takes a look at all volumes.
func ClaimOf(e *engine.Engine, c *v1.PersistentVolumeClaim, users []string) ClaimLink {
	r := claimReader{engine: e, users: func(*ClaimLink) []string { return users }, nearest: func(*ClaimLink) string { return "" }}
	l := ClaimLink{Claim: c.Name, object: c}
	r.describe(&l)
	return l
}

// ClaimStateOf returns the state of a claim, and whether a provisioner has to act next.
func ClaimStateOf(e *engine.Engine, c *v1.PersistentVolumeClaim) (s ClaimState, provisioner bool) {
	r, l := claimReader{engine: e}, ClaimLink{object: c, class: classOf(e, c)}
	s = r.stateOf(&l)
	return s, s == ClaimProvisioning || s == ClaimUnbound && c.Spec.VolumeName == "" && l.class != nil && volumebinding.Provisions(l.class)
}

// describe fills in a claim's size, class and state.
func (r *claimReader) describe(l *ClaimLink) {
	if size, has := l.object.Spec.Resources.Requests[v1.ResourceStorage]; has {
		l.Requested = size.String()
	}
	l.AccessModes = l.object.Spec.AccessModes
	r.linkClass(l)
	r.describeState(l)
}

func (r *claimReader) linkClass(l *ClaimLink) {
	name := volume.GetPersistentVolumeClaimClass(l.object)
	if name == "" {
		return
	}
	l.Class = &ClassLink{Name: name}
	if l.class = classOf(r.engine, l.object); l.class == nil {
		l.Class.Says = "does not exist"
		return
	}
	l.Class.Provisioner = l.class.Provisioner
	if mode := l.class.VolumeBindingMode; mode != nil {
		l.Class.BindingMode = string(*mode)
	}
	l.Class.Says = "makes volumes with provisioner " + l.class.Provisioner
	if !volumebinding.Provisions(l.class) {
		l.Class.Says = "has no provisioner: a PersistentVolume has to exist"
	} else if place := placeOfClass(l.class); place != "" {
		l.Class.Says += ", only " + place
	}
}

// classOf returns the class of a claim; nil if it has none, or one that does not exist.
func classOf(e *engine.Engine, claim *v1.PersistentVolumeClaim) *storagev1.StorageClass {
	class, _ := e.Store().Object(world.StorageClass, "", volume.GetPersistentVolumeClaimClass(claim)).(*storagev1.StorageClass)
	return class
}

// isDelayed reports whether claims of a class wait for their pods.
func isDelayed(class *storagev1.StorageClass) bool {
	return class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// stateOf returns what a claim is. The order of the cases is that of the plugin's checks.
func (r *claimReader) stateOf(l *ClaimLink) ClaimState {
	c := l.object
	_, selected := c.Annotations[volume.AnnSelectedNode]
	switch {
	case c.Status.Phase == v1.ClaimLost:
		return ClaimLost
	case c.DeletionTimestamp != nil:
		return ClaimTerminating
	case l.Ephemeral && ephemeral.VolumeIsForPod(r.pod, c) != nil:
		return ClaimForeign
	case volumebinding.IsBound(c) && r.engine.Volumes().Volume(c.Spec.VolumeName) == nil:
		return ClaimVolumeMissing
	case volumebinding.IsBound(c):
		return ClaimBound
	case !l.delayed():
		return ClaimUnbound
	case selected:
		return ClaimProvisioning
	}
	return ClaimDelayed
}

// describeState says what a claim is, and whom it waits for.
func (r *claimReader) describeState(l *ClaimLink) {
	c := l.object
	switch l.State = r.stateOf(l); l.State {
	case ClaimLost:
		l.Says = fmt.Sprintf("was bound to %s, which no longer exists; its data may be gone", c.Spec.VolumeName)
	case ClaimTerminating:
		r.describeTerminating(l)
	case ClaimForeign:
		l.Says = "was not made for this pod: another object has the name of its ephemeral volume's claim"
	case ClaimVolumeMissing:
		l.Says = "is bound to " + c.Spec.VolumeName + ", which does not exist"
	case ClaimBound:
		l.Says = "is bound to " + c.Spec.VolumeName
	case ClaimUnbound:
		r.describeUnbound(l)
	case ClaimProvisioning:
		node := c.Annotations[volume.AnnSelectedNode]
		l.Says, l.WaitsFor = "gets a volume made for "+node, provisionerText(l)
		if r.engine.Store().Node(node) == nil {
			l.Says += ", a node that does not exist"
		}
		l.since(c.CreationTimestamp)
	default:
		l.Says = "gets its volume when its pod has a node"
	}
}

// delayed reports whether the claim waits for its pod. A claim that names a volume is bound by the controller, whatever
// its class.
func (l *ClaimLink) delayed() bool {
	return l.object.Spec.VolumeName == "" && l.class != nil && isDelayed(l.class)
}

func (r *claimReader) describeTerminating(l *ClaimLink) {
	l.Says = "is being deleted"
	l.since(*l.object.DeletionTimestamp)
	users := r.users(l)
	if len(users) > 0 && slices.Contains(l.object.Finalizers, "kubernetes.io/pvc-protection") {
		l.WaitsFor = "the pods that use it to end: " + listed(users)
	} else if len(l.object.Finalizers) > 0 {
		l.WaitsFor = "its finalizers: " + listed(l.object.Finalizers)
	}
}

// describeUnbound says who binds a claim that does not wait for its pod.
func (r *claimReader) describeUnbound(l *ClaimLink) {
	l.Says = "is not bound"
	l.since(l.object.CreationTimestamp)
	pv := r.engine.Volumes().Volume(l.object.Spec.VolumeName)
	switch {
	case l.object.Spec.VolumeName != "" && pv == nil:
		l.Says += ": it names " + l.object.Spec.VolumeName + ", which does not exist"
		l.WaitsFor = "that PersistentVolume"
	case l.object.Spec.VolumeName != "" && pv.Spec.ClaimRef != nil && !volume.IsVolumeBoundToClaim(pv, l.object):
		l.Says += ": it names " + pv.Name + ", which belongs to claim " + pv.Spec.ClaimRef.Namespace + "/" + pv.Spec.ClaimRef.Name
		l.WaitsFor = "another PersistentVolume"
	case l.object.Spec.VolumeName != "":
		l.Says += " to " + pv.Name + " yet"
		l.WaitsFor = "the PersistentVolume controller"
	case l.Class == nil:
		l.Says += " and has no class"
		l.WaitsFor = "a PersistentVolume without a class, or a default class" + r.nearest(l)
	case l.class == nil:
		l.Says += ": class " + l.Class.Name + " does not exist" + r.nearClasses(l.Class.Name)
		l.WaitsFor = "the class, or a PersistentVolume of it" + r.nearest(l)
	case !volumebinding.Provisions(l.class):
		l.Says += ": class " + l.Class.Name + " has no provisioner"
		l.WaitsFor = "a PersistentVolume of that class" + r.nearest(l)
	default:
		l.WaitsFor = provisionerText(l)
	}
}

func (r *claimReader) nearClasses(name string) string {
	var all []string
	for o := range r.engine.Store().Objects(world.StorageClass) {
		all = append(all, o.GetName())
	}
	near := spelling.Nearest(name, all, maxListed)
	if len(near) == 0 {
		return ""
	}
	return " (there is " + strings.Join(near, ", ") + ")"
}

// provisionerText names the provisioner: the claim's annotation says whom the controller asked.
func provisionerText(l *ClaimLink) string {
	name := l.class.Provisioner
	for _, key := range []string{volume.AnnBetaStorageProvisioner, volume.AnnStorageProvisioner} {
		if asked := l.object.Annotations[key]; asked != "" {
			name = asked
		}
	}
	return "provisioner " + name
}
