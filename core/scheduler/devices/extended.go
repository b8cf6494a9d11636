package devices

import (
	"cmp"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// extendedClaims are the names of the claims for extended resources, by the UIDs of their owners. The lists are replaced, not
// changed: forks share them.
type extendedClaims map[types.UID][]types.NamespacedName

// ExtendedClaims returns the claims for extended resources of a pod, by namespace and name.
func (s *State) ExtendedClaims(pod types.UID) []*resourcev1.ResourceClaim {
	var claims []*resourcev1.ResourceClaim
	for _, name := range s.extended[pod] {
		claims = append(claims, s.Claim(name.Namespace, name.Name))
	}
	return claims
}

// replace lists a claim's new version instead of its old one; either may be nil.
func (e extendedClaims) replace(was, is *resourcev1.ResourceClaim) {
	for _, owner := range extendedOwners(was) {
		name := nameOf(was)
		left := slices.DeleteFunc(slices.Clone(e[owner]), func(other types.NamespacedName) bool { return other == name })
		if e[owner] = left; len(left) == 0 {
			delete(e, owner)
		}
	}
	for _, owner := range extendedOwners(is) {
		all := append(slices.Clone(e[owner]), nameOf(is))
		slices.SortFunc(all, func(a, b types.NamespacedName) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
		e[owner] = slices.Compact(all)
	}
}

// extendedOwners are the owners of a claim for extended resources.
func extendedOwners(claim *resourcev1.ResourceClaim) []types.UID {
	if claim == nil || claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] != "true" {
		return nil
	}
	var owners []types.UID
	for i := range claim.OwnerReferences {
		owners = append(owners, claim.OwnerReferences[i].UID)
	}
	return owners
}
