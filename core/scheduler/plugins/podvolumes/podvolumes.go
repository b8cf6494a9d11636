// Package podvolumes reads the volumes of a pod for the volume plugins: the claims that they name, and their part of the pod's
// signature.
//
// Only some of the plugins look at the claims of generic ephemeral volumes, which a pod does not name: Claims and NamesClaim
// leave them out, the others do not.
package podvolumes

import (
	"encoding/json"
	"iter"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Claims yields the names of the PersistentVolumeClaims that a pod's volumes name, in order. A name may be empty or repeated.
func Claims(pod *v1.Pod) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range pod.Spec.Volumes {
			if source := pod.Spec.Volumes[i].PersistentVolumeClaim; source != nil && !yield(source.ClaimName) {
				return
			}
		}
	}
}

// NamesClaim reports whether a pod's volumes name a claim.
func NamesClaim(pod *v1.Pod, claim *v1.PersistentVolumeClaim) bool {
	if pod.Namespace != claim.Namespace {
		return false
	}
	for name := range Claims(pod) {
		if name == claim.Name {
			return true
		}
	}
	return false
}

// UsesClaims reports whether any of a pod's volumes has a claim.
func UsesClaims(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(volume v1.Volume) bool {
		return volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil
	})
}

// UsesClaim reports whether a claim is that of one of a pod's volumes.
func UsesClaim(pod *v1.Pod, claim *v1.PersistentVolumeClaim) bool {
	if pod.Namespace != claim.Namespace {
		return false
	}
	for i := range pod.Spec.Volumes {
		if name, is := world.ClaimOf(pod, &pod.Spec.Volumes[i]); is && name == claim.Name {
			return true
		}
	}
	return false
}

// Sign returns the volumes as a signature's fragment. The volume plugins use one key, of which one fragment is kept, so the
// value is computed when it is marshalled.
func Sign(pod *v1.Pod) []fwk.SignFragment {
	return []fwk.SignFragment{{Key: fwk.VolumesSignerName, Value: signed{pod}}}
}

type signed struct{ pod *v1.Pod }

// MarshalJSON marshals the volumes that are not made of config maps and secrets.
func (s signed) MarshalJSON() ([]byte, error) { return json.Marshal(fwk.VolumesSigner(s.pod)) }
