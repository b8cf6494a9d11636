package world

import (
	"context"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// EffectID numbers the effects of one engine, from 1, in the order of emission.
type EffectID uint64

// Effect is one action that the engine emits. Effects are emitted in order; a world may carry them out concurrently,
// but effects on the same pod keep their order.
type Effect struct {
	ID     EffectID
	At     time.Time
	Action Action
}

// Action is the content of an Effect: [Bind], [PatchStatus], [Delete], [EmitEvent] or [RunPlugin]; of volumes [ClaimVolume]
// or [SelectNode]; of devices [ReserveResourceClaim], [UnreserveResourceClaim], [DeallocateResourceClaim],
// [CreateResourceClaim] or [DeleteResourceClaim]; of extenders [CallExtender] or [CancelExtenderCalls]. A controller also has
// [SetRuleCondition].
type Action interface{ action() }

// PodRef names one pod; the UID distinguishes it from another pod of the same name.
type PodRef struct {
	Namespace string
	Name      string
	UID       types.UID
}

// PodRefOf returns the PodRef of a pod.
func PodRefOf(pod *v1.Pod) PodRef {
	return PodRef{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
}

func (r PodRef) String() string { return r.Namespace + "/" + r.Name }

// ObjectRef names one version of an object. A write with another version than the API server's is a conflict.
type ObjectRef struct {
	Namespace       string
	Name            string
	UID             types.UID
	ResourceVersion string
}

// ObjectRefOf returns the ObjectRef of an object.
func ObjectRefOf(o Object) ObjectRef {
	return ObjectRef{o.GetNamespace(), o.GetName(), o.GetUID(), o.GetResourceVersion()}
}

// Bind assigns a pod to a node through the binding subresource.
type Bind struct {
	Pod  PodRef
	Node string
}

// PatchStatus changes the scheduling fields of a pod's status. A nil field is left as it is.
type PatchStatus struct {
	Pod PodRef
	// Condition replaces the condition of the same type. The world sets its LastTransitionTime: unchanged if the status
	// is the same, else now.
	Condition *v1.PodCondition
	// NominatedNode is the new status.nominatedNodeName; the empty string clears it.
	NominatedNode *string
	// ExtendedResources names the claim that has the devices of the pod's extended resources.
	ExtendedResources *v1.PodExtendedResourceClaimStatus
}

// Delete deletes a pod with its own grace period.
type Delete struct {
	Pod PodRef
}

// EmitEvent emits a Kubernetes event on a pod, with an optional related pod.
type EmitEvent struct {
	Regarding  PodRef
	Related    *PodRef
	Type       string
	Reason     string
	Action     string
	Note       string
	Controller string
}

// RunPlugin calls a plugin that may block. The live world calls it on its own goroutine, the others at once. A
// recording holds its outcome but not Call. A simulated cluster reports success for a RunPlugin without Call.
type RunPlugin struct {
	Pod    PodRef
	Node   string
	Plugin string
	Point  string
	Call   func(context.Context) *fwk.Status
}

// ClaimReference is a volume's reference to a claim.
func ClaimReference(claim ObjectRef) v1.ObjectReference {
	return v1.ObjectReference{
		Kind: string(PersistentVolumeClaim), APIVersion: v1.SchemeGroupVersion.String(),
		Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion,
	}
}

// ClaimVolume pre-binds a PersistentVolume to a claim of a pod that is about to be bound to a node: it sets the volume's
// spec.claimRef and, with ByController, the annotation that lets the volume controller undo it.
type ClaimVolume struct {
	Pod          PodRef
	Node         string
	Volume       ObjectRef
	Claim        ObjectRef
	ByController bool
}

// SelectNode tells the provisioner of a claim on which node the pod will run: it sets the claim's annotation
// volume.kubernetes.io/selected-node.
type SelectNode struct {
	Pod   PodRef
	Node  string
	Claim ObjectRef
}

// SetRuleCondition sets a condition in the status of a DeviceTaintRule: how far its evictions are. The rule may have another
// version by then.
type SetRuleCondition struct {
	Rule      ObjectRef
	Condition metav1.Condition
}

// Apply returns a rule with the condition; false if it is another rule of that name.
func (a SetRuleCondition) Apply(rule *resourcev1alpha3.DeviceTaintRule) (*resourcev1alpha3.DeviceTaintRule, bool) {
	if rule.UID != a.Rule.UID {
		return nil, false
	}
	rule = rule.DeepCopy()
	conditions := &rule.Status.Conditions
	if i := slices.IndexFunc(*conditions, func(had metav1.Condition) bool { return had.Type == a.Condition.Type }); i >= 0 {
		(*conditions)[i] = a.Condition
	} else {
		*conditions = append(*conditions, a.Condition)
	}
	return rule, true
}

func (Bind) action()             {}
func (PatchStatus) action()      {}
func (Delete) action()           {}
func (EmitEvent) action()        {}
func (RunPlugin) action()        {}
func (ClaimVolume) action()      {}
func (SelectNode) action()       {}
func (SetRuleCondition) action() {}

// PodOf is the pod that an action is about.
func PodOf(a Action) PodRef {
	switch a := a.(type) {
	case Bind:
		return a.Pod
	case PatchStatus:
		return a.Pod
	case Delete:
		return a.Pod
	case EmitEvent:
		return a.Regarding
	case RunPlugin:
		return a.Pod
	case ClaimVolume:
		return a.Pod
	case SelectNode:
		return a.Pod
	case ReserveResourceClaim:
		return a.Pod
	case UnreserveResourceClaim:
		return a.Pod
	case DeallocateResourceClaim:
		return a.Pod
	case CreateResourceClaim:
		return a.Pod
	case DeleteResourceClaim:
		return a.Pod
	case CallExtender:
		return a.Pod
	case CancelExtenderCalls:
		return a.Pod
	}
	return PodRef{}
}

// HasOutcome reports whether an action's outcome returns as an [EffectDone]. EmitEvent and CancelExtenderCalls have none.
func HasOutcome(a Action) bool {
	switch a.(type) {
	case EmitEvent, CancelExtenderCalls:
		return false
	}
	return true
}
