package claims

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/difftest"
	"orrery/core/world"
)

// podClaimAnnotation says which of its pod's claims a generated claim is.
const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name"

func meta(name, uid string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: "default", Name: name, UID: types.UID(uid), ResourceVersion: "1", CreationTimestamp: metav1.NewTime(difftest.SynctestStart),
	}
}

func spec() resourcev1.ResourceClaimSpec {
	return resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
		Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1},
	}}}}
}

// drawObjects draws claim templates t0 and t1, claims c0 to c3, and pods p0 to p3, as someone may have left them.
func drawObjects(r *difftest.Source) (all []world.Object) {
	for i := range 2 {
		if name := fmt.Sprint("t", i); r.Bool() {
			all = append(all, &resourcev1.ResourceClaimTemplate{ObjectMeta: meta(name, name), Spec: resourcev1.ResourceClaimTemplateSpec{Spec: spec()}})
		}
	}
	var pods []*v1.Pod
	for i := range 4 {
		if !r.OneIn(4) {
			pods = append(pods, drawPod(r, fmt.Sprint("p", i)))
		}
	}
	for i := range 4 {
		if !r.OneIn(4) {
			all = append(all, drawClaim(r, fmt.Sprint("c", i), pods))
		}
	}
	for _, pod := range pods {
		all = append(all, pod)
	}
	return all
}

// drawPod draws a pod with up to two claims. One that has ended has no claim of a template: a restarted controller makes it
// again, once. It is on no node either: on one, upstream reserves its claim again, and takes that back, for ever.
func drawPod(r *difftest.Source, name string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: meta(name, "uid-"+name), Status: v1.PodStatus{Phase: difftest.Pick(r, v1.PodPending, v1.PodPending, v1.PodRunning, v1.PodSucceeded)}}
	if pod.Status.Phase == v1.PodRunning || pod.Status.Phase == v1.PodPending && r.Bool() {
		pod.Spec.NodeName = "n1"
	}
	if r.OneIn(5) {
		pod.DeletionTimestamp, pod.Finalizers = &metav1.Time{Time: difftest.SynctestStart}, []string{"example.com/stay"}
	}
	for i := range r.IntN(3) {
		ref := v1.PodResourceClaim{Name: fmt.Sprint("r", i)}
		claim, template := fmt.Sprint("c", r.IntN(4)), fmt.Sprint("t", r.IntN(2))
		if r.Bool() || pod.Status.Phase == v1.PodSucceeded {
			ref.ResourceClaimName = &claim
		} else {
			ref.ResourceClaimTemplateName = &template
			if r.Bool() {
				pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, v1.PodResourceClaimStatus{Name: ref.Name, ResourceClaimName: &claim})
			}
		}
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, ref)
	}
	return pod
}

// isNamed reports whether a pod names a claim.
func isNamed(claim string, pods []*v1.Pod) bool {
	return slices.ContainsFunc(pods, func(pod *v1.Pod) bool {
		return slices.ContainsFunc(pod.Spec.ResourceClaims, func(ref v1.PodResourceClaim) bool {
			return ref.ResourceClaimName != nil && *ref.ResourceClaimName == claim
		}) || slices.ContainsFunc(pod.Status.ResourceClaimStatuses, func(s v1.PodResourceClaimStatus) bool {
			return *s.ResourceClaimName == claim
		})
	})
}

// drawClaim draws a claim. One that a pod names or owns is not deleted at once: upstream would see that later.
func drawClaim(r *difftest.Source, name string, pods []*v1.Pod) *resourcev1.ResourceClaim {
	named := isNamed(name, pods)
	claim := &resourcev1.ResourceClaim{ObjectMeta: meta(name, "uid-"+name), Spec: spec()}
	if len(pods) > 0 && r.Bool() && !named {
		owner, yes := pods[r.IntN(len(pods))], true
		uid := difftest.Pick(r, owner.UID, owner.UID, owner.UID, "former")
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: owner.Name, UID: uid, Controller: &yes}}
		claim.Annotations = map[string]string{podClaimAnnotation: fmt.Sprint("r", r.IntN(2))}
	}
	if !r.OneIn(3) {
		claim.Finalizers = []string{resourcev1.Finalizer}
	}
	if r.Bool() {
		claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "gpu", Driver: "gpu.example.com", Pool: "n1", Device: "a"},
		}}}
		for _, pod := range pods {
			if r.OneIn(3) {
				claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
					Resource: "pods", Name: pod.Name, UID: difftest.Pick(r, pod.UID, pod.UID, "former"),
				})
			}
		}
		if r.OneIn(4) {
			claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: "gone", UID: "gone"})
		}
		if r.OneIn(8) { // neither knows whether this one still exists
			claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{APIGroup: "example.com", Resource: "runs", Name: "r", UID: "run"})
		}
	}
	for _, pod := range pods { // its own
		if named && pod.Status.Phase != v1.PodSucceeded && pod.DeletionTimestamp == nil && r.OneIn(3) {
			yes := true
			claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &yes}}
			claim.Annotations = map[string]string{podClaimAnnotation: fmt.Sprint("r", r.IntN(2))}
			break
		}
	}
	if len(claim.Finalizers) > 0 && len(claim.OwnerReferences) == 0 && r.OneIn(5) && !named {
		claim.DeletionTimestamp = &metav1.Time{Time: difftest.SynctestStart}
	}
	return claim
}
