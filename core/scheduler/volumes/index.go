package volumes

import (
	"cmp"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
)

// index finds the volumes that a claim may get. A volume whose claim has it already is not in it: most volumes are.
type index struct {
	unclaimed map[string]list[*Candidate]                         // by class
	named     map[types.NamespacedName]list[*v1.PersistentVolume] // by the claim that they name
}

// Candidate is a volume that a claim may get.
type Candidate struct {
	Volume *v1.PersistentVolume
	size   resource.Quantity
	Reach
}

func newCandidate(pv *v1.PersistentVolume) *Candidate {
	c := place(pv)
	c.Reach = ReachOf(pv)
	return c
}

// place is where a volume is among candidates: it is enough to find it.
func place(pv *v1.PersistentVolume) *Candidate {
	return &Candidate{Volume: pv, size: pv.Spec.Capacity[v1.ResourceStorage]}
}

// smaller orders candidates by size, then by name.
func smaller(a, b *Candidate) int {
	return cmp.Or(a.size.Cmp(b.size), cmp.Compare(a.Volume.Name, b.Volume.Name))
}

func byName(a, b *v1.PersistentVolume) int { return cmp.Compare(a.Name, b.Name) }

func newIndex() index {
	return index{unclaimed: map[string]list[*Candidate]{}, named: map[types.NamespacedName]list[*v1.PersistentVolume]{}}
}

func (x *index) fork() index { return index{unclaimed: share(x.unclaimed), named: share(x.named)} }

// add adds a volume.
func (x *index) add(pv *v1.PersistentVolume) {
	if claim := pv.Spec.ClaimRef; claim != nil {
		insert(x.named, nameOfClaim(claim), pv, byName)
	} else {
		insert(x.unclaimed, volume.GetPersistentVolumeClass(pv), newCandidate(pv), smaller)
	}
}

// remove removes a volume from where it is in this state.
func (x *index) remove(pv *v1.PersistentVolume) {
	if claim := pv.Spec.ClaimRef; claim != nil {
		remove(x.named, nameOfClaim(claim), pv, byName)
	} else {
		remove(x.unclaimed, volume.GetPersistentVolumeClass(pv), place(pv), smaller)
	}
}

func nameOfClaim(ref *v1.ObjectReference) types.NamespacedName {
	return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
}

// list is sorted. A fork shares it until one of the two changes it.
type list[T any] struct {
	items  []T
	shared bool
}

// own returns the list for a change.
func (l list[T]) own() list[T] {
	if l.shared {
		return list[T]{items: slices.Clone(l.items)}
	}
	return l
}

func share[K comparable, T any](lists map[K]list[T]) map[K]list[T] {
	for key, l := range lists {
		l.shared = true
		lists[key] = l
	}
	return maps.Clone(lists)
}

// insert puts an item into a list, in place of an equal one.
func insert[K comparable, T any](lists map[K]list[T], key K, item T, compare func(a, b T) int) {
	l := lists[key].own()
	if i, found := slices.BinarySearchFunc(l.items, item, compare); found {
		l.items[i] = item
	} else {
		l.items = slices.Insert(l.items, i, item)
	}
	lists[key] = l
}

func remove[K comparable, T any](lists map[K]list[T], key K, item T, compare func(a, b T) int) {
	i, found := slices.BinarySearchFunc(lists[key].items, item, compare)
	if !found {
		return
	}
	l := lists[key].own()
	if l.items = slices.Delete(l.items, i, i+1); len(l.items) == 0 {
		delete(lists, key)
		return
	}
	lists[key] = l
}
