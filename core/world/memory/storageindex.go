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
			insertKey(s.users, name, keyOf(after))
		}
	case before != nil && after == nil:
		for _, name := range claimsOf(before) {
			removeKey(s.users, name, keyOf(before))
		}
	}
}

func (s *storage) indexVolume(before, after *v1.PersistentVolume) {
	if before != nil {
		if ref := before.Spec.ClaimRef; ref != nil {
			removeKey(s.claimed, claimKey(ref), keyOf(before))
		} else {
			removeMember(s.free, storagevolume.GetPersistentVolumeClass(before), keyOf(before))
		}
	}
	if after != nil {
		if ref := after.Spec.ClaimRef; ref != nil {
			insertKey(s.claimed, claimKey(ref), keyOf(after))
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
		delete(s.provisioning, before.UID)
	}
}

func (s *storage) indexAttachment(before, after *storagev1.VolumeAttachment) {
	switch {
	case before == nil && after != nil:
		insertKey(s.attachments, volumeOf(after), keyOf(after))
		insertKey(s.onNode, after.Spec.NodeName, keyOf(after))
	case before != nil && after == nil:
		removeKey(s.attachments, volumeOf(before), keyOf(before))
		removeKey(s.onNode, before.Spec.NodeName, keyOf(before))
		delete(s.unusedSince, before.UID)
		delete(s.attaching, before.UID)
		delete(s.detaching, before.UID)
	}
}

func insertKey[K comparable](index map[K][]types.NamespacedName, at K, key types.NamespacedName) {
	had := index[at]
	if i, found := slices.BinarySearchFunc(had, key, compareKeys); !found {
		index[at] = slices.Insert(slices.Clip(had), i, key)
	}
}

func removeKey[K comparable](index map[K][]types.NamespacedName, at K, key types.NamespacedName) {
	left := slices.DeleteFunc(slices.Clone(index[at]), func(k types.NamespacedName) bool { return k == key })
	if len(left) == 0 {
		delete(index, at)
		return
	}
	index[at] = left
}

func insertMember(sets map[string]map[types.NamespacedName]struct{}, at string, key types.NamespacedName) {
	if sets[at] == nil {
		sets[at] = map[types.NamespacedName]struct{}{}
	}
	sets[at][key] = struct{}{}
}

func removeMember(sets map[string]map[types.NamespacedName]struct{}, at string, key types.NamespacedName) {
	if delete(sets[at], key); len(sets[at]) == 0 {
		delete(sets, at)
	}
}
