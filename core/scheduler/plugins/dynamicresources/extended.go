package dynamicresources

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	podrequests "orrery/core/objects/requests"
	"orrery/core/scheduler/reuse"
)

// A pod may request devices as extended resources (KEP-5004): those that a class names, on nodes that have none of the resource
// themselves. They are allocated as a claim that is not written, which is created when the pod is bound. Until then it has a
// name that no claim can have.

// temporaryName is the name of an implicit claim before it is created.
const temporaryName = "<extended-resources>"

// temporaryUID is that under which the implicit claim of a pod is in flight.
func temporaryUID(pod types.UID) types.UID { return temporaryName + "/" + pod }

func isTemporary(claim *resourcev1.ResourceClaim) bool { return claim.Name == temporaryName }

// withImplicitClaim returns a pod's claims: its own, and the implicit one if the pod requests an extended resource with a
// class. An implicit claim of an earlier attempt is found again.
func (pl *DynamicResources) withImplicitClaim(pod *v1.Pod, own []*resourcev1.ResourceClaim) podClaims {
	claims := podClaims{all: own}
	if !pl.extendedResources {
		return claims
	}
	requests, backed := map[v1.ResourceName]int64{}, false
	for name, quantity := range podrequests.Of(pod, resourcehelper.PodResourcesOptions{}) {
		if !quantity.IsZero() && mayHaveClass(name) {
			requests[name] = podrequests.Amount(name, quantity)
			backed = backed || pl.devices.ClassOf(name) != nil
		}
	}
	if !backed {
		return claims
	}
	claims.implicit, claims.requests = pl.implicitClaim(pod), requests
	claims.all = append(slices.Clip(own), claims.implicit)
	return claims
}

// mayHaveClass reports whether a resource can be one of a class: an extended resource, or one that a class has by its name.
func mayHaveClass(name v1.ResourceName) bool {
	return strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix) || podrequests.IsExtended(name)
}

// implicitClaim returns the claim of an earlier attempt, or a new one without requests: these depend on the node.
func (pl *DynamicResources) implicitClaim(pod *v1.Pod) *resourcev1.ResourceClaim {
	for _, claim := range pl.devices.ExtendedClaims(pod.UID) {
		if claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" && ownedBy(claim, pod) {
			return claim
		}
	}
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: pod.Namespace, Name: temporaryName, UID: temporaryUID(pod.UID), GenerateName: pod.Name + "-extended-resources-",
		Annotations:     map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}},
	}}
}

func ownedBy(claim *resourcev1.ResourceClaim, pod *v1.Pod) bool {
	return slices.ContainsFunc(claim.OwnerReferences, func(owner metav1.OwnerReference) bool {
		return owner.Name == pod.Name && owner.UID == pod.UID && ptr.Deref(owner.Controller, false)
	})
}

// implicitOn returns the implicit claim as a node needs it: with the requests for what the node has not got itself. A claim
// of an earlier attempt rejects the node: it is deleted first.
func (pl *DynamicResources) implicitOn(c *cycle, info fwk.NodeInfo) (*implicitAllocation, *fwk.Status) {
	claims := &c.claims
	switch {
	case claims.implicit == nil:
		return nil, nil
	case claims.implicit.Spec.Devices.Requests != nil:
		return nil, rejection(ReasonExtendedClaim)
	}
	classes, allocatable := c.classes, info.GetAllocatable().GetScalarResources()
	clear(classes)
	for name := range claims.requests {
		amount, known := allocatable[name]
		if class := pl.devices.ClassOf(name); class != nil && amount == 0 {
			classes[name] = class.Name
		} else if !known {
			return nil, rejection(ReasonExtendedAmount)
		}
	}
	if len(classes) == 0 {
		return nil, nil
	}
	if c.onNode == nil || !maps.Equal(c.onNode.classes, classes) {
		c.onNode = pl.implicitWith(c, maps.Clone(classes))
	}
	return c.onNode, nil
}

// askedWithExtended is the set of a pod with an implicit claim: of its own claims, and of what the implicit one requests where a node has none of
// the resources itself. What it requests elsewhere is a part of that. A resource without a class is in it too, as nodes without any are rejected.
func (pl *DynamicResources) askedWithExtended(c *cycle) *requestSet {
	classes := map[v1.ResourceName]string{}
	var classless reuse.Signature
	for _, name := range slices.Sorted(maps.Keys(c.claims.requests)) {
		if class := pl.devices.ClassOf(name); class != nil {
			classes[name] = class.Name
		} else {
			classless = classless.Text(string(name))
		}
	}
	full := *c.claims.implicit
	full.Spec.Devices.Requests, _ = deviceRequests(c.pod, classes)
	return pl.setOf(c.toAllocate(&implicitAllocation{implicit: &full}), classless.Flag(true))
}

// implicitWith returns the implicit claim as nodes need it that have none of the resources with classes.
func (pl *DynamicResources) implicitWith(c *cycle, classes map[v1.ResourceName]string) *implicitAllocation {
	claim, made := *c.claims.implicit, &implicitAllocation{classes: classes}
	claim.Spec.Devices.Requests, made.mappings = deviceRequests(c.pod, classes)
	made.implicit = &claim
	if c.allocator == nil {
		made.verdicts = pl.verdictsOn(c.toAllocate(made))
	}
	return made
}

// named returns the implicit claim as it is created. The name is chosen here, since the outcome of a write has no room for
// one that the API server chose.
func (pl *DynamicResources) named(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	const (
		letters   = "bcdfghjklmnpqrstvwxz2456789" // those of the API server's names
		maxPrefix = 58
	)
	name := []byte(claim.GenerateName[:min(len(claim.GenerateName), maxPrefix)])
	for range 5 {
		name = append(name, letters[pl.rand.IntN(len(letters))])
	}
	created := *claim
	created.Name, created.UID, created.Status = string(name), "", resourcev1.ResourceClaimStatus{}
	return &created
}
