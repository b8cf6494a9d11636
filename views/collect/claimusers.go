package collect

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
)

// claimUsers are the pods that name a claim, and the claims that a pod names.
type claimUsers struct {
	engine       *engine.Engine
	pods, claims map[types.NamespacedName][]types.NamespacedName
}

func newClaimUsers(e *engine.Engine) claimUsers {
	return claimUsers{e, map[types.NamespacedName][]types.NamespacedName{}, map[types.NamespacedName][]types.NamespacedName{}}
}

// change takes in which claims a pod names, and marks these and those that it named before.
func (u *claimUsers) change(pod types.NamespacedName, claims []types.NamespacedName, mark func(types.NamespacedName)) {
	for _, claim := range u.claims[pod] {
		mark(claim)
		dropName(u.pods, claim, pod)
	}
	delete(u.claims, pod)
	for _, claim := range claims {
		mark(claim)
		if !slices.Contains(u.pods[claim], pod) {
			u.pods[claim] = append(u.pods[claim], pod)
		}
	}
	if len(claims) > 0 {
		u.claims[pod] = claims
	}
}

// first returns the pod to show for a claim: one without a node if there is any, then by name; nil if no pod names the claim.
func (u *claimUsers) first(claim types.NamespacedName) *v1.Pod {
	var first *v1.Pod
	for _, name := range u.pods[claim] {
		pod := u.engine.Store().Pod(name.Namespace, name.Name)
		if pod == nil {
			continue
		}
		pending := pod.Spec.NodeName == ""
		if first == nil || pending && first.Spec.NodeName != "" || pending == (first.Spec.NodeName == "") && pod.Name < first.Name {
			first = pod
		}
	}
	return first
}

// dropName takes a name out of a list, and the list out of the map with its last name.
func dropName[K, N comparable](from map[K][]N, key K, name N) {
	left := slices.DeleteFunc(from[key], func(other N) bool { return other == name })
	if from[key] = left; len(left) == 0 {
		delete(from, key)
	}
}
