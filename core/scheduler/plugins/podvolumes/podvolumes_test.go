package podvolumes_test

import (
	"encoding/json"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/testing/mk"
)

func TestClaims(t *testing.T) {
	pod := mk.Pod("p").PVC("a").Volume("own", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).PVC("b").PVC("a").Obj()
	if got := slices.Collect(podvolumes.Claims(pod)); !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Errorf("got %q, want a, b, a", got)
	}
	for range podvolumes.Claims(pod) {
		break // a reader may stop early
	}
}

func TestNamesClaim(t *testing.T) {
	pod := mk.Pod("p").PVC("a").PVC("b").Volume("own", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).Obj()
	for name, tc := range map[string]struct {
		claim *v1.PersistentVolumeClaim
		want  bool
	}{
		"the second claim":                 {mk.Claim("b").Obj(), true},
		"another claim":                    {mk.Claim("c").Obj(), false},
		"a claim of that name elsewhere":   {mk.Claim("b").Namespace("shop").Obj(), false},
		"the claim of an ephemeral volume": {mk.Claim("p-own").Owner("p").Obj(), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := podvolumes.NamesClaim(pod, tc.claim); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestSign(t *testing.T) {
	pod := mk.Pod("p").PVC("a").
		Volume("secret", v1.VolumeSource{Secret: &v1.SecretVolumeSource{SecretName: "of this pod alone"}}).
		Volume("scratch", v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}).Obj()
	fragments := podvolumes.Sign(pod)
	got, err := json.Marshal(fragments[0].Value)
	want := `["{\"emptyDir\":{}}","{\"persistentVolumeClaim\":{\"claimName\":\"a\"}}"]`
	if err != nil || fragments[0].Key != "v1.Pod.Spec.Volumes.NonSyntheticSources()" || string(got) != want {
		t.Errorf("got %s: %s, %v, want %s", fragments[0].Key, got, err, want)
	}
}

func TestUsesClaim_AlsoOfEphemeralVolume(t *testing.T) {
	pod := mk.Pod("p").PVC("a").Volume("own", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).
		Volume("scratch", v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}).Obj()
	for name, tc := range map[string]struct {
		claim *v1.PersistentVolumeClaim
		want  bool
	}{
		"a claim that it names":            {mk.Claim("a").Obj(), true},
		"the claim of its own volume":      {mk.Claim("p-own").Obj(), true},
		"another claim":                    {mk.Claim("c").Obj(), false},
		"a claim of that name elsewhere":   {mk.Claim("a").Namespace("shop").Obj(), false},
		"a claim named like its directory": {mk.Claim("p-scratch").Obj(), false},
	} {
		if got := podvolumes.UsesClaim(pod, tc.claim); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}
