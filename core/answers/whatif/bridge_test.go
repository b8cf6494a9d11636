package whatif

import (
	"testing"

	"orrery/core/world"
)

// The simulated cluster has versions of its own: a write of a version of the real cluster would always be a conflict.
func TestOfAnyVersion(t *testing.T) {
	volume, claim := world.ObjectRef{Name: "v", UID: "v", ResourceVersion: "7"}, world.ObjectRef{Namespace: "ns", Name: "c", UID: "c", ResourceVersion: "8"}
	anyVolume, anyClaim := world.ObjectRef{Name: "v", UID: "v"}, world.ObjectRef{Namespace: "ns", Name: "c", UID: "c"}
	bind := world.Bind{Pod: world.PodRef{Name: "p"}, Node: "n"}
	for act, want := range map[world.Action]world.Action{
		world.ClaimVolume{Node: "n", Volume: volume, Claim: claim, ByController: true}: world.ClaimVolume{Node: "n", Volume: anyVolume, Claim: anyClaim, ByController: true},
		world.SelectNode{Node: "n", Claim: claim}:                                      world.SelectNode{Node: "n", Claim: anyClaim},
		bind: bind,
	} {
		if got := ofAnyVersion(act); got != want {
			t.Errorf("%+v became %+v, want %+v", act, got, want)
		}
	}
}
