package world

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/ephemeral"
)

// ClaimOf returns the name of a volume's claim, which may be empty, and whether the volume has one: the one that it names, or
// that of a generic ephemeral volume.
func ClaimOf(pod *v1.Pod, volume *v1.Volume) (name string, is bool) {
	switch {
	case volume.PersistentVolumeClaim != nil:
		return volume.PersistentVolumeClaim.ClaimName, true
	case volume.Ephemeral != nil:
		return ephemeral.VolumeClaimName(pod, volume), true
	}
	return "", false
}
