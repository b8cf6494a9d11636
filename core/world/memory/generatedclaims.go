package memory

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/world"
)

// The claim controller makes a ResourceClaim of each template that a pod refers to. The pod owns it, and its name, which is
// generated, is in the pod's status.

// deviceController names the claim controller in events, podClaimAnnotation which of its pod's claims a claim is.
const (
	deviceController   = "resource_claim"
	podClaimAnnotation = "resource.kubernetes.io/pod-claim-name"
)

// maxGenerated is the longest prefix of a generated name: of 63 characters, it leaves five for letters and one for a dash.
const maxGenerated = 57

// needsClaimController reports whether a pod lacks a claim that a template makes or, on a node, a reservation. Claims that someone
// else has to make, and those of other pods, are passed over, as upstream does since 1.37.
func (c *Cluster) needsClaimController(pod *v1.Pod) bool {
	if pod.DeletionTimestamp != nil || isTerminal(pod) {
		return false
	}
	for i := range pod.Spec.ResourceClaims {
		ref := &pod.Spec.ResourceClaims[i]
		name, _, err := resourceclaim.Name(pod, ref)
		if err != nil {
			return true
		}
		if name == nil {
			continue
		}
		claim, err := c.claimOfPod(pod, ref)
		missing := err == nil && claim == nil && ref.ResourceClaimTemplateName != nil
		if missing || claim != nil && err == nil && awaitsReservation(pod, claim) {
			return true
		}
	}
	return false
}

// awaitsReservation reports whether a claim is to be reserved for a pod that got its node without a scheduler's doing so.
func awaitsReservation(pod *v1.Pod, claim *resourcev1.ResourceClaim) bool {
	return pod.Spec.NodeName != "" && claim.Status.Allocation != nil && !resourceclaim.IsReservedForPod(pod, claim, false) &&
		len(claim.Status.ReservedFor) < resourcev1.ResourceClaimReservedForMaxSize
}

// claimOfPod returns the claim that a pod refers to, nil if there is none yet, or an error if it is another pod's.
func (c *Cluster) claimOfPod(pod *v1.Pod, ref *v1.PodResourceClaim) (*resourcev1.ResourceClaim, error) {
	name, generated, err := resourceclaim.Name(pod, ref)
	if err != nil || name == nil {
		return nil, nil
	}
	claim := c.deviceClaimAt(types.NamespacedName{Namespace: pod.Namespace, Name: *name})
	if claim == nil {
		return nil, nil
	}
	if generated {
		return claim, resourceclaim.IsForPod(pod, claim, false)
	}
	return claim, nil
}

// syncPodDevices makes the claims that a pod lacks, and reserves those that are allocated if the pod is on a node.
func (c *Cluster) syncPodDevices(pod *v1.Pod) {
	if len(pod.Spec.ResourceClaims) == 0 || isTerminal(pod) {
		return
	}
	statuses := slices.Clone(pod.Status.ResourceClaimStatuses)
	for i := range pod.Spec.ResourceClaims {
		ref := &pod.Spec.ResourceClaims[i]
		claim, err := c.generateClaim(pod, ref)
		if err != nil {
			c.eventOn(pod, v1.EventTypeWarning, "FailedResourceClaimCreation",
				fmt.Sprintf("PodResourceClaim %s: %v", ref.Name, err), deviceController)
			return
		}
		if claim != nil {
			statuses = withClaimStatus(statuses, ref.Name, claim.Name)
		}
	}
	next := *pod
	next.Status.ResourceClaimStatuses = statuses
	c.reserveClaims(rewrite(c, world.Pod, pod, &next))
}

// reserveClaims reserves the allocated claims of a pod on a node, up to the first that is missing or another pod's.
func (c *Cluster) reserveClaims(pod *v1.Pod) {
	for i := range pod.Spec.ResourceClaims {
		ref := &pod.Spec.ResourceClaims[i]
		if name, _, err := resourceclaim.Name(pod, ref); err == nil && name == nil {
			continue // it needs none
		}
		claim, err := c.claimOfPod(pod, ref)
		if err != nil || claim == nil {
			return
		}
		if awaitsReservation(pod, claim) {
			c.reserve(claim, pod)
		}
	}
}

func (c *Cluster) reserve(claim *resourcev1.ResourceClaim, pod *v1.Pod) {
	next := *claim
	next.Status.ReservedFor = append(slices.Clip(claim.Status.ReservedFor), resourcev1.ResourceClaimConsumerReference{
		Resource: "pods", Name: pod.Name, UID: pod.UID,
	})
	c.write(world.ResourceClaim, claim, &next)
}

func withClaimStatus(list []v1.PodResourceClaimStatus, ref, claim string) []v1.PodResourceClaimStatus {
	status := v1.PodResourceClaimStatus{Name: ref, ResourceClaimName: &claim}
	if i := slices.IndexFunc(list, func(s v1.PodResourceClaimStatus) bool { return s.Name == ref }); i >= 0 {
		list[i] = status
		return list
	}
	return append(list, status)
}

// generateClaim returns the claim that a pod's reference to a template lacks: one that was made before the pod's status named
// it, or a new one. It returns nil if nothing is missing.
func (c *Cluster) generateClaim(pod *v1.Pod, ref *v1.PodResourceClaim) (*resourcev1.ResourceClaim, error) {
	if ref.ResourceClaimTemplateName == nil || !c.lacksClaim(pod, ref) {
		return nil, nil
	}
	if claim := c.findGenerated(pod, ref.Name); claim != nil {
		return claim, nil
	}
	key := types.NamespacedName{Namespace: pod.Namespace, Name: *ref.ResourceClaimTemplateName}
	template, _ := c.objects[ResourceClaimTemplate][key].(*resourcev1.ResourceClaimTemplate)
	if template == nil { // the pod is enqueued when it exists
		return nil, fmt.Errorf("resource claim template %q: resourceclaimtemplate.resource.k8s.io %q not found", key.Name, key.Name)
	}
	made, err := c.create(world.ResourceClaim, claimOf(template, pod, ref.Name))
	if err != nil {
		c.enqueue(workItem{kind: world.Pod, key: keyOf(pod), uid: pod.UID}, retryDelay)
		return nil, fmt.Errorf("create ResourceClaim : %w", err)
	}
	return made.(*resourcev1.ResourceClaim), nil
}

// lacksClaim reports whether the claim of a template is not there, or another pod's. A status can say that none is needed.
func (c *Cluster) lacksClaim(pod *v1.Pod, ref *v1.PodResourceClaim) bool {
	if name, _, err := resourceclaim.Name(pod, ref); err == nil && name == nil {
		return false
	}
	claim, err := c.claimOfPod(pod, ref)
	return claim == nil || err != nil
}

func (c *Cluster) findGenerated(pod *v1.Pod, ref string) *resourcev1.ResourceClaim {
	f := c.dependents[pod.UID]
	if f == nil {
		return nil
	}
	for _, key := range slices.SortedFunc(maps.Keys(f.deviceClaims), compareKeys) {
		if claim := c.deviceClaimAt(key); claim.Annotations[podClaimAnnotation] == ref {
			return claim
		}
	}
	return nil
}

// claimOf returns the claim that a template makes for a pod.
func claimOf(template *resourcev1.ResourceClaimTemplate, pod *v1.Pod, ref string) *resourcev1.ResourceClaim {
	t, controller := template.Spec.DeepCopy(), true
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace, GenerateName: claimPrefix(pod.Name, ref), Labels: t.Labels,
			Annotations: withEntry(t.Annotations, podClaimAnnotation, ref),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: string(world.Pod), Name: pod.Name, UID: pod.UID, Controller: &controller,
			}},
		},
		Spec: t.Spec,
	}
}

// claimPrefix is the prefix of a generated claim's name. A prefix that is too long loses as large a share of both its parts.
func claimPrefix(pod, ref string) string {
	whole := pod + "-" + ref + "-"
	if len(whole) <= maxGenerated {
		return whole
	}
	return pod[:len(pod)*maxGenerated/len(whole)] + "-" + ref[:len(ref)*maxGenerated/len(whole)]
}
