package devices_test

import (
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/devices"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestState_ExtendedClaims(t *testing.T) {
	owned := func(name string, owners ...string) *resourcev1.ResourceClaim {
		claim := mk.ResourceClaim(name).Obj()
		claim.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
		for _, owner := range owners {
			claim.OwnerReferences = append(claim.OwnerReferences, metav1.OwnerReference{UID: types.UID(owner)})
		}
		return claim
	}
	plain := owned("plain", "ada")
	plain.Annotations = nil
	f := newFixture(t, devices.Gates{}, owned("b", "ada"), owned("a", "ada", "ada"), plain)
	wants := func(when string, of types.UID, want string) {
		t.Helper()
		var got []string
		for _, claim := range f.ExtendedClaims(of) {
			got = append(got, claim.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s, %s has the claims %v, want %s", when, of, got, want)
		}
	}
	wants("at first", "ada", "a b")
	f.change(world.Modified, owned("a", "bob"))
	wants("with another owner", "ada", "b")
	wants("with another owner", "bob", "a")
	f.change(world.Deleted, owned("b", "ada"))
	wants("with one deleted", "ada", "")
}
