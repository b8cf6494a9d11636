package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	storagevolume "k8s.io/component-helpers/storage/volume"
)

// indexPod updates the users of claims.
func (s *storage) indexPod(before, after *v1.Pod) {
	switch {
	case before == nil && after != nil:
		for _, name := range claimsOf(after) {
			s.refer(name, func(r *references) { r.pods = withName(r.pods, after.Name) })
		}
	case before != nil && after == nil:
		for _, name := range claimsOf(before) {
			s.refer(name, func(r *references) { r.pods = without(r.pods, before.Name) })
		}
	}
}

func (s *storage) indexVolume(before, after *v1.PersistentVolume) {
	if before != nil {
		if ref := before.Spec.ClaimRef; ref != nil {
			s.refer(claimKey(ref), func(r *references) { r.volumes = without(r.volumes, before.Name) })
		} else {
			removeMember(s.free, storagevolume.GetPersistentVolumeClass(before), keyOf(before))
		}
	}
	if after != nil {
		if ref := after.Spec.ClaimRef; ref != nil {
			s.refer(claimKey(ref), func(r *references) { r.volumes = withName(r.volumes, after.Name) })
		} else {
			insertMember(s.free, storagevolume.GetPersistentVolumeClass(after), keyOf(after))
		}
	}
}

func (s *storage) indexClaim(before, after *v1.PersistentVolumeClaim) {
	if before != nil && !isBindCompleted(before) {
		removeMember(s.unbound, storagevolume.GetPersistentVolumeClaimClass(before), keyOf(before))
	}
	if after != nil && !isBindCompleted(after) {
		insertMember(s.unbound, storagevolume.GetPersistentVolumeClaimClass(after), keyOf(after))
	}
	if before != nil && after == nil {
		finish(&s.provisioning, before.UID)
	}
}

func (s *storage) indexAttachment(before, after *storagev1.VolumeAttachment) {
	switch {
	case before == nil && after != nil:
		insertName(s.attachments, volumeOf(after), after.Name)
		insertName(s.onNode, after.Spec.NodeName, after.Name)
	case before != nil && after == nil:
		removeName(s.attachments, volumeOf(before), before.Name)
		removeName(s.onNode, before.Spec.NodeName, before.Name)
		delete(s.unusedSince, before.UID)
		finish(&s.attaching, before.UID)
		finish(&s.detaching, before.UID)
	}
}

// refer changes what refers to a claim.
func (s *storage) refer(claim types.NamespacedName, change func(*references)) {
	r := s.references[claim]
	change(&r)
	if len(r.pods)+len(r.volumes) == 0 {
		delete(s.references, claim)
		return
	}
	s.references[claim] = r
}

func insertName[K comparable](index map[K][]string, at K, name string) {
	index[at] = withName(index[at], name)
}

func removeName[K comparable](index map[K][]string, at K, name string) {
	left := without(index[at], name)
	if len(left) == 0 {
		delete(index, at)
		return
	}
	index[at] = left
}

// withName returns a copy of sorted names with one more, and with no room that it does not need.
func withName(names []string, name string) []string {
	i, found := slices.BinarySearch(names, name)
	if found {
		return names
	}
	return slices.Concat(names[:i], []string{name}, names[i:])
}

// finish takes a driver's work off those that are under way. None take no memory, however many there were.
func finish(underway *map[types.UID]struct{}, uid types.UID) {
	if delete(*underway, uid); len(*underway) == 0 {
		*underway = map[types.UID]struct{}{}
	}
}

func insertMember[K comparable](sets map[K]map[types.NamespacedName]struct{}, at K, key types.NamespacedName) {
	if sets[at] == nil {
		sets[at] = map[types.NamespacedName]struct{}{}
	}
	sets[at][key] = struct{}{}
}

func removeMember[K comparable](sets map[K]map[types.NamespacedName]struct{}, at K, key types.NamespacedName) {
	if delete(sets[at], key); len(sets[at]) == 0 {
		delete(sets, at)
	}
}
