package collect

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"orrery/views"
)

// rank is an object's rank in an objectOrder. It does not change, but for being gone from the order.
type rank struct {
	gone  bool
	name  types.NamespacedName
	state uint8
	since int64 // when it came into the state, in microseconds; zero if that orders nothing
}

func (p *rank) at() *rank { return p }

// ranked is an object with a rank.
type ranked interface {
	comparable
	at() *rank
}

// compareRanks orders by state, then those that are in it the longest, then by name.
func compareRanks[O ranked](x, y O) int {
	a, b := x.at(), y.at()
	return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.since, b.since),
		strings.Compare(a.name.Namespace, b.name.Namespace), strings.Compare(a.name.Name, b.name.Name))
}

// objectOrder holds objects in the order of their ranks.
type objectOrder[O ranked] struct {
	list   []O
	byName map[types.NamespacedName]O
	// Of many changes at once, added are the new objects: they are merged into the list at the end.
	many  bool
	added []O
}

// fewChanges is how many changes cost less one by one than in a pass over a long list.
const fewChanges = 64

// begin prepares for a number of changes, end completes them.
func (s *objectOrder[O]) begin(changes int) { s.many = changes > fewChanges }

func (s *objectOrder[O]) end() {
	if !s.many {
		return
	}
	s.many = false
	gone := func(o O) bool { return o.at().gone }
	was, added := slices.DeleteFunc(s.list, gone), slices.DeleteFunc(s.added, gone)
	slices.SortFunc(added, compareRanks)
	s.list, s.added = make([]O, 0, len(was)+len(added)), nil
	for _, o := range added {
		at, _ := slices.BinarySearchFunc(was, o, compareRanks)
		s.list, was = append(append(s.list, was[:at]...), o), was[at:]
	}
	s.list = append(s.list, was...)
}

// put adds an object, or replaces the one of its name.
func (s *objectOrder[O]) put(o O) {
	if s.byName == nil {
		s.byName = map[types.NamespacedName]O{}
	}
	s.remove(o.at().name)
	s.byName[o.at().name] = o
	if s.many {
		s.added = append(s.added, o)
		return
	}
	at, _ := slices.BinarySearchFunc(s.list, o, compareRanks)
	s.list = slices.Insert(s.list, at, o)
}

func (s *objectOrder[O]) remove(name types.NamespacedName) {
	was, known := s.byName[name]
	if !known {
		return
	}
	delete(s.byName, name)
	if was.at().gone = true; s.many {
		return
	}
	if at, found := slices.BinarySearchFunc(s.list, was, compareRanks); found {
		s.list = slices.Delete(s.list, at, at+1)
	}
}

// counts counts the objects in each state: every state is one run of the list.
func (s *objectOrder[O]) counts(into []int) {
	from := 0
	for state := range into {
		end, _ := slices.BinarySearchFunc(s.list, uint8(state)+1, func(o O, next uint8) int { return cmp.Compare(o.at().state, next) })
		into[state], from = end-from, end
	}
}

// rowsOf makes rows of objects.
func rowsOf[O, R any](objects []O, row func(O) R) []R {
	rows := make([]R, len(objects))
	for i, o := range objects {
		rows[i] = row(o)
	}
	return rows
}

// lazyRows makes rows of an order's objects one at a time.
func lazyRows[O ranked, R any](s *objectOrder[O], whole, brief func(O) R) *views.LazyRows[R] {
	return &views.LazyRows[R]{
		All: func(list []any) []any {
			for _, o := range s.list {
				list = append(list, o)
			}
			return list
		},
		Compare: func(a, b any) int { return compareRanks(a.(O), b.(O)) },
		Brief:   func(of any) R { return brief(of.(O)) },
		Whole:   func(of any) R { return whole(of.(O)) },
	}
}
