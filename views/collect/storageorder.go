package collect

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// storageObject is a claim or a volume as the index has it. It does not change, but for being gone from the index.
type storageObject struct {
	gone  bool
	name  types.NamespacedName
	state uint8 // views.ClaimState or views.VolumeState
	since int64 // when it came into the state, in microseconds; zero if that orders nothing
	class string
	bytes int64
	// volume is what a claim names; claim is the claim of a volume, place where that is.
	volume string
	claim  types.NamespacedName
	place  string
}

func (o *storageObject) compare(p *storageObject) int {
	return cmp.Or(cmp.Compare(o.state, p.state), cmp.Compare(o.since, p.since),
		strings.Compare(o.name.Namespace, p.name.Namespace), strings.Compare(o.name.Name, p.name.Name))
}

// storageOrder holds objects by state, then those that are in it the longest, then by name.
type storageOrder struct {
	list   []*storageObject
	byName map[types.NamespacedName]*storageObject
	// Of many changes at once, added are the new objects: they are merged into the list at the end.
	many  bool
	added []*storageObject
}

// fewChanges is how many changes cost less one by one than in a pass over a long list.
const fewChanges = 64

// begin prepares for a number of changes, end completes them.
func (s *storageOrder) begin(changes int) { s.many = changes > fewChanges }

func (s *storageOrder) end() {
	if !s.many {
		return
	}
	s.many = false
	gone := func(o *storageObject) bool { return o.gone }
	was, added := slices.DeleteFunc(s.list, gone), slices.DeleteFunc(s.added, gone)
	slices.SortFunc(added, (*storageObject).compare)
	s.list, s.added = make([]*storageObject, 0, len(was)+len(added)), nil
	for _, o := range added {
		at, _ := slices.BinarySearchFunc(was, o, (*storageObject).compare)
		s.list, was = append(append(s.list, was[:at]...), o), was[at:]
	}
	s.list = append(s.list, was...)
}

// put adds an object, or replaces the one of its name.
func (s *storageOrder) put(o *storageObject) {
	if s.byName == nil {
		s.byName = map[types.NamespacedName]*storageObject{}
	}
	s.remove(o.name)
	s.byName[o.name] = o
	if s.many {
		s.added = append(s.added, o)
		return
	}
	at, _ := slices.BinarySearchFunc(s.list, o, (*storageObject).compare)
	s.list = slices.Insert(s.list, at, o)
}

func (s *storageOrder) remove(name types.NamespacedName) {
	was := s.byName[name]
	if was == nil {
		return
	}
	delete(s.byName, name)
	if was.gone = true; s.many {
		return
	}
	if at, found := slices.BinarySearchFunc(s.list, was, (*storageObject).compare); found {
		s.list = slices.Delete(s.list, at, at+1)
	}
}

// counts counts the objects in each state: every state is one run of the list.
func (s *storageOrder) counts(into []int) {
	from := 0
	for state := range into {
		end, _ := slices.BinarySearchFunc(s.list, uint8(state)+1, func(o *storageObject, next uint8) int { return cmp.Compare(o.state, next) })
		into[state], from = end-from, end
	}
}
