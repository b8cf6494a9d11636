package world_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestClaimOf(t *testing.T) {
	pod := mk.Pod("web-0").PVC("data").PVC("").
		Volume("scratch", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).
		Volume("empty", v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}).Obj()
	for i, want := range []struct {
		name string
		is   bool
	}{{"data", true}, {"", true}, {"web-0-scratch", true}, {"", false}} {
		if name, is := world.ClaimOf(pod, &pod.Spec.Volumes[i]); name != want.name || is != want.is {
			t.Errorf("volume %s: %q, %v, want %q, %v", pod.Spec.Volumes[i].Name, name, is, want.name, want.is)
		}
	}
}
