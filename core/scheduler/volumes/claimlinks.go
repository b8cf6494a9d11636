package volumes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/safe/plural"
	"orrery/core/safe/spelling"
	"orrery/core/world"
)

// ClaimState is what a claim is for the pod that names it.
type ClaimState string

// The states, those that reject a pod on every node first.
const (
	ClaimMissing       ClaimState = "missing"
	ClaimLost          ClaimState = "lost"
	ClaimTerminating   ClaimState = "terminating"
	ClaimForeign       ClaimState = "foreign" // an ephemeral volume's, made for another pod
	ClaimUnbound       ClaimState = "unbound" // it has to be bound before its pod is placed
	ClaimVolumeMissing ClaimState = "volumeMissing"
	ClaimProvisioning  ClaimState = "provisioning" // for the node that was selected
	ClaimDelayed       ClaimState = "delayed"      // it is bound when its pod has a node
	ClaimBound         ClaimState = "bound"
)

// ClaimLink says what a claim is, and who has to act next, for those who ask: nothing is decided by it.
type ClaimLink struct {
	// Volume is its name in the pod, Claim its own.
	Volume    string     `json:"volume"`
	Claim     string     `json:"claim"`
	Ephemeral bool       `json:"ephemeral,omitempty"`
	State     ClaimState `json:"state"`
	// Requested is the size, AccessModes are the requested ones.
	Requested   string                          `json:"requested,omitempty"`
	AccessModes []v1.PersistentVolumeAccessMode `json:"accessModes,omitempty"`
	// Says is what the claim says about itself, WaitsFor who has to act next, and Since when it waits.
	Says     string     `json:"message"`
	WaitsFor string     `json:"waitsFor,omitempty"`
	Since    *time.Time `json:"since,omitempty"`
	Class    *ClassLink `json:"class,omitempty"`

	// Object and StorageClass are nil if there are none; Meant are names of others that are written nearly like what does not exist.
	Object       *v1.PersistentVolumeClaim `json:"-"`
	StorageClass *storagev1.StorageClass   `json:"-"`
	Meant        []string                  `json:"-"`
}

// ClassLink is the class of a claim.
type ClassLink struct {
	Name        string `json:"name"`
	Provisioner string `json:"provisioner,omitempty"`
	BindingMode string `json:"bindingMode,omitempty"`
	Says        string `json:"message"`
}

// ClaimReader describes claims.
type ClaimReader struct {
	*State
	// Pod is the one whose claims they are. A list has none, and names no volumes that nearly suit: that takes a look at all.
	Pod *v1.Pod
	// Users names the pods on nodes that use a claim; nil if that does not matter.
	Users func(claim string) []string
	// AttributesClass is the feature gate VolumeAttributesClass.
	AttributesClass bool
}

// OfPod describes the pod's claims in its order.
func (r *ClaimReader) OfPod() []ClaimLink {
	var links []ClaimLink
	for i := range r.Pod.Spec.Volumes {
		v := &r.Pod.Spec.Volumes[i]
		if claim, is := world.ClaimOf(r.Pod, v); is {
			l := ClaimLink{Volume: v.Name, Claim: claim, Ephemeral: v.Ephemeral != nil, Object: r.Claim(r.Pod.Namespace, claim)}
			if r.describe(&l); l.State == ClaimBound {
				if place := PlaceOf(r.Volume(l.Object.Spec.VolumeName)); place != "" {
					l.Says += ", which is " + place
				}
			}
			links = append(links, l)
		}
	}
	return links
}

// Of describes a claim for a list.
func (r *ClaimReader) Of(c *v1.PersistentVolumeClaim) ClaimLink {
	l := ClaimLink{Claim: c.Name, Object: c}
	r.describe(&l)
	return l
}

// StateOf returns the state of a claim, and whether a provisioner has to act next.
func (s *State) StateOf(c *v1.PersistentVolumeClaim) (state ClaimState, provisioner bool) {
	r, l := ClaimReader{State: s}, ClaimLink{Object: c, StorageClass: s.ClassOf(c)}
	state = r.stateOf(&l)
	return state, state == ClaimProvisioning || state == ClaimUnbound && c.Spec.VolumeName == "" && l.StorageClass != nil && Provisions(l.StorageClass)
}

// ClassOf returns the class of a claim; nil if it has none, or one that does not exist.
func (s *State) ClassOf(claim *v1.PersistentVolumeClaim) *storagev1.StorageClass {
	class, _ := s.store.Object(world.StorageClass, "", volume.GetPersistentVolumeClaimClass(claim)).(*storagev1.StorageClass)
	return class
}

// Classes returns all classes, by name.
func (s *State) Classes() []*storagev1.StorageClass {
	var all []*storagev1.StorageClass
	for o := range s.store.Objects(world.StorageClass) {
		all = append(all, o.(*storagev1.StorageClass))
	}
	slices.SortFunc(all, func(a, b *storagev1.StorageClass) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// describe fills in a claim's size, class and state.
func (r *ClaimReader) describe(l *ClaimLink) {
	if l.Object == nil {
		r.describeMissing(l)
		return
	}
	if size, has := l.Object.Spec.Resources.Requests[v1.ResourceStorage]; has {
		l.Requested = size.String()
	}
	l.AccessModes = l.Object.Spec.AccessModes
	r.linkClass(l)
	r.describeState(l)
}

// describeMissing says who makes a claim that does not exist.
func (r *ClaimReader) describeMissing(l *ClaimLink) {
	l.State, l.Says = ClaimMissing, "does not exist"
	owner := metav1.GetControllerOfNoCopy(r.Pod)
	switch {
	case l.Ephemeral:
		l.WaitsFor = "the ephemeral volume controller"
	case owner != nil && world.Kind(owner.Kind) == world.StatefulSet && strings.HasSuffix(l.Claim, "-"+r.Pod.Name):
		l.WaitsFor = "the StatefulSet controller"
	default:
		var others []string
		for o := range r.store.Objects(world.PersistentVolumeClaim) {
			if o.GetNamespace() == r.Pod.Namespace {
				others = append(others, o.GetName())
			}
		}
		l.Meant = spelling.Nearest(l.Claim, others, plural.MaxListed)
		if l.Says += " in namespace " + r.Pod.Namespace; len(l.Meant) > 0 {
			l.Says += "; there is " + strings.Join(l.Meant, ", ")
		}
		return
	}
	l.since(r.Pod.CreationTimestamp)
}

func (r *ClaimReader) linkClass(l *ClaimLink) {
	name := volume.GetPersistentVolumeClaimClass(l.Object)
	if name == "" {
		return
	}
	l.Class = &ClassLink{Name: name}
	if l.StorageClass = r.ClassOf(l.Object); l.StorageClass == nil {
		l.Class.Says = "does not exist"
		return
	}
	l.Class.Provisioner = l.StorageClass.Provisioner
	if mode := l.StorageClass.VolumeBindingMode; mode != nil {
		l.Class.BindingMode = string(*mode)
	}
	l.Class.Says = "makes volumes with provisioner " + l.StorageClass.Provisioner
	if !Provisions(l.StorageClass) {
		l.Class.Says = "has no provisioner: a PersistentVolume has to exist"
	} else if place := PlaceOfClass(l.StorageClass); place != "" {
		l.Class.Says += ", only " + place
	}
}

// IsBound reports whether a claim is bound, from its own side.
func IsBound(claim *v1.PersistentVolumeClaim) bool {
	return claim.Spec.VolumeName != "" && metav1.HasAnnotation(claim.ObjectMeta, volume.AnnBindCompleted)
}

// Provisions reports whether a class makes volumes by itself: claims of other classes need volumes that exist.
func Provisions(class *storagev1.StorageClass) bool {
	return class.Provisioner != "" && class.Provisioner != volume.NotSupportedProvisioner
}

// IsDelayed reports whether claims of a class wait for their pods.
func IsDelayed(class *storagev1.StorageClass) bool {
	return class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// stateOf returns what a claim is. The order of the cases is that of the checks of VolumeBinding.
func (r *ClaimReader) stateOf(l *ClaimLink) ClaimState {
	c := l.Object
	_, selected := c.Annotations[volume.AnnSelectedNode]
	switch {
	case c.Status.Phase == v1.ClaimLost:
		return ClaimLost
	case c.DeletionTimestamp != nil:
		return ClaimTerminating
	case l.Ephemeral && ephemeral.VolumeIsForPod(r.Pod, c) != nil:
		return ClaimForeign
	case IsBound(c) && r.Volume(c.Spec.VolumeName) == nil:
		return ClaimVolumeMissing
	case IsBound(c):
		return ClaimBound
	case c.Spec.VolumeName != "" || l.StorageClass == nil || !IsDelayed(l.StorageClass): // one with a name is the controller's, whatever its class
		return ClaimUnbound
	case selected:
		return ClaimProvisioning
	}
	return ClaimDelayed
}

// describeState says what a claim is, and whom it waits for.
func (r *ClaimReader) describeState(l *ClaimLink) {
	c := l.Object
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
		l.Says, l.WaitsFor = "gets a volume made for "+node, r.provisionerText(l)
		if r.store.Node(node) == nil {
			l.Says += ", a node that does not exist"
		}
		l.since(c.CreationTimestamp)
	default:
		l.Says = "gets its volume when its pod has a node"
	}
}

func (r *ClaimReader) describeTerminating(l *ClaimLink) {
	l.Says = "is being deleted"
	l.since(*l.Object.DeletionTimestamp)
	var users []string
	if r.Users != nil {
		users = r.Users(l.Claim)
	}
	if len(users) > 0 && slices.Contains(l.Object.Finalizers, "kubernetes.io/pvc-protection") {
		l.WaitsFor = "the pods that use it to end: " + plural.Listed(users)
	} else if len(l.Object.Finalizers) > 0 {
		l.WaitsFor = "its finalizers: " + plural.Listed(l.Object.Finalizers)
	}
}

// describeUnbound says who binds a claim that does not wait for its pod.
func (r *ClaimReader) describeUnbound(l *ClaimLink) {
	l.Says = "is not bound"
	l.since(l.Object.CreationTimestamp)
	pv := r.Volume(l.Object.Spec.VolumeName)
	switch {
	case l.Object.Spec.VolumeName != "" && pv == nil:
		l.Says += ": it names " + l.Object.Spec.VolumeName + ", which does not exist"
		l.WaitsFor = "that PersistentVolume"
	case l.Object.Spec.VolumeName != "" && pv.Spec.ClaimRef != nil && !volume.IsVolumeBoundToClaim(pv, l.Object):
		l.Says += ": it names " + pv.Name + ", which belongs to claim " + pv.Spec.ClaimRef.Namespace + "/" + pv.Spec.ClaimRef.Name
		l.WaitsFor = "another PersistentVolume"
	case l.Object.Spec.VolumeName != "":
		l.Says += " to " + pv.Name + " yet"
		l.WaitsFor = "the PersistentVolume controller"
	case l.Class == nil:
		l.Says += " and has no class"
		l.WaitsFor = "a PersistentVolume without a class, or a default class" + r.nearest(l)
	case l.StorageClass == nil:
		l.Says += ": class " + l.Class.Name + " does not exist"
		var all []string
		for _, class := range r.Classes() {
			all = append(all, class.Name)
		}
		if l.Meant = spelling.Nearest(l.Class.Name, all, plural.MaxListed); len(l.Meant) > 0 {
			l.Says += " (there is " + strings.Join(l.Meant, ", ") + ")"
		}
		l.WaitsFor = "the class, or a PersistentVolume of it" + r.nearest(l)
	case !Provisions(l.StorageClass):
		l.Says += ": class " + l.Class.Name + " has no provisioner"
		l.WaitsFor = "a PersistentVolume of that class" + r.nearest(l)
	default:
		l.WaitsFor = r.provisionerText(l)
	}
}

// nearest names the volumes that nearly suit a claim.
func (r *ClaimReader) nearest(l *ClaimLink) string {
	if r.Pod == nil {
		return ""
	}
	if misses := r.NearMisses(l.Object, r.AttributesClass, nil); len(misses) > 0 {
		return " (nearest: " + strings.Join(misses, "; ") + ")"
	}
	return ""
}

// provisionerText names the provisioner: the claim's annotation says whom the controller asked. One that no driver is registered for may
// be none of CSI, or may not run at all.
func (r *ClaimReader) provisionerText(l *ClaimLink) string {
	name := l.StorageClass.Provisioner
	for _, key := range []string{volume.AnnBetaStorageProvisioner, volume.AnnStorageProvisioner} {
		if asked := l.Object.Annotations[key]; asked != "" {
			name = asked
		}
	}
	if r.Registered(name) {
		return "provisioner " + name
	}
	return "provisioner " + name + ", which has no CSIDriver"
}

// Registered reports whether a provisioner has a CSIDriver, or is one of Kubernetes itself.
func (s *State) Registered(provisioner string) bool {
	return strings.HasPrefix(provisioner, "kubernetes.io/") || s.store.Object(world.CSIDriver, "", provisioner) != nil
}

func (l *ClaimLink) since(t metav1.Time) {
	if !t.IsZero() {
		at := t.UTC()
		l.Since = &at
	}
}

// Text is the sentence of a claim: what it is, whom it waits for, and since when.
func (l *ClaimLink) Text() string { return "claim " + l.Claim + " " + l.Story() }

// Story is Text without the claim's name.
func (l *ClaimLink) Story() string {
	text := l.Says
	switch {
	case l.WaitsFor != "" && l.Since != nil:
		text += ";" + SinceText(*l.Since) + " it waits for " + l.WaitsFor
	case l.WaitsFor != "":
		text += "; it waits for " + l.WaitsFor
	case l.Since != nil:
		text += SinceText(*l.Since)
	}
	return text
}

// SinceText says since when something is so.
func SinceText(t time.Time) string { return " since " + t.UTC().Format(time.RFC3339) }

// Asks says what a claim requests: "10Gi, ReadWriteOnce, of class fast".
func (l *ClaimLink) Asks() string {
	var parts []string
	if l.Requested != "" {
		parts = append(parts, l.Requested)
	}
	parts = append(parts, modesText(l.AccessModes))
	if l.Class != nil {
		parts = append(parts, "of class "+l.Class.Name)
	}
	return strings.Join(parts, ", ")
}

// Troubled reports whether no node is feasible for the claim.
func (l *ClaimLink) Troubled() bool {
	switch l.State {
	case ClaimMissing, ClaimLost, ClaimTerminating, ClaimForeign, ClaimUnbound, ClaimVolumeMissing:
		return true
	}
	return false
}

// Open reports whether the claim gets its volume with the pod.
func (l *ClaimLink) Open() bool { return l.State == ClaimDelayed || l.State == ClaimProvisioning }

// SuitsPlain reports whether a volume without labels or attributes, and with a file system, may serve a claim.
func SuitsPlain(claim *v1.PersistentVolumeClaim) bool {
	return claim.Spec.Selector == nil && claim.Spec.VolumeAttributesClassName == nil &&
		(claim.Spec.VolumeMode == nil || *claim.Spec.VolumeMode == v1.PersistentVolumeFilesystem)
}
