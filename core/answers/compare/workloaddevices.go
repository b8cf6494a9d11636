package compare

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// deviceDecisions finds what the recorded scheduler decided about claims for devices: which devices a claim got, and the claims
// that it made for extended resources. A workload is without that.
type deviceDecisions struct {
	open   map[types.UID]bool // claims that arrived without devices, or lost them
	own    map[types.UID]bool // claims of the scheduler's making
	listed bool
}

func newDeviceDecisions() deviceDecisions {
	return deviceDecisions{open: map[types.UID]bool{}, own: map[types.UID]bool{}}
}

// made reports whether a change is the consequence of the scheduler's decision.
func (d *deviceDecisions) made(changed world.Changed) bool {
	claim, ok := changed.Object.(*resourcev1.ResourceClaim)
	switch {
	case !ok:
		return false
	case d.own[claim.UID]:
		return true
	case d.open[claim.UID]:
		return changed.Op != world.Deleted
	case changed.Op == world.Added && d.listed && claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true":
		d.own[claim.UID] = true
		return true
	}
	d.open[claim.UID] = claim.Status.Allocation == nil
	return false
}

// learn takes in a list. It reports whether it is another one of claims, which may have what was decided.
func (d *deviceDecisions) learn(list world.Listed) (again bool) {
	if list.Kind != world.ResourceClaim {
		return false
	}
	if d.listed {
		return true
	}
	for _, o := range list.Objects {
		d.made(world.Changed{Op: world.Added, Object: o})
	}
	d.listed = true
	return false
}
