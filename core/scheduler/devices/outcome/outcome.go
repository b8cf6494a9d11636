package outcome

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Of returns the changes that follow from an action, in order. There are none if it is not about claims for devices, or about
// one that is gone or cannot be written any more.
func Of(action world.Action, held store.View) []world.Event {
	switch act := action.(type) {
	case world.ReserveResourceClaim:
		if claim := heldClaim(act.Claim, held); claim != nil {
			if reserved, err := act.Apply(claim); err == nil {
				return modified(reserved)
			}
		}
	case world.UnreserveResourceClaim:
		if claim := heldClaim(act.Claim, held); claim != nil {
			without, _ := act.Apply(claim)
			return modified(without)
		}
	case world.DeallocateResourceClaim:
		if claim := heldClaim(act.Claim, held); claim != nil {
			return modified(act.Apply(claim))
		}
	case world.CreateResourceClaim:
		created := *act.Claim
		created.UID = types.UID("resourceclaim/" + created.Namespace + "/" + created.Name)
		return []world.Event{world.Changed{Op: world.Added, Object: &created}}
	case world.DeleteResourceClaim:
		if claim := heldClaim(act.Claim, held); claim != nil {
			return []world.Event{world.Changed{Op: world.Deleted, Object: claim}}
		}
	}
	return nil
}

func modified(claim *resourcev1.ResourceClaim) []world.Event {
	unversioned := *claim
	unversioned.ResourceVersion = ""
	return []world.Event{world.Changed{Op: world.Modified, Object: &unversioned}}
}

func heldClaim(ref world.ObjectRef, held store.View) *resourcev1.ResourceClaim {
	claim, ok := held.Object(world.ResourceClaim, ref.Namespace, ref.Name).(*resourcev1.ResourceClaim)
	if !ok || ref.UID != "" && claim.UID != ref.UID {
		return nil
	}
	return claim
}
