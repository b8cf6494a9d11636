package framework

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// skippedPlugins is a small set of plugin names. The framework uses the list; the set for the plugin API is made on demand.
type skippedPlugins struct {
	names []string
	set   sets.Set[string]
	known bool
}

func (s *skippedPlugins) asSet() sets.Set[string] {
	if s.set == nil && s.known {
		s.set = sets.New(s.names...)
	}
	return s.set
}

func (s *skippedPlugins) replace(set sets.Set[string]) {
	*s = skippedPlugins{names: sets.List(set), set: set, known: set != nil}
}

func (s *skippedPlugins) has(name string) bool { return slices.Contains(s.names, name) }

// maxSkippedLists is how many lists are kept. Pods of a few templates have as many.
//
//orrery:limit scheduler; lists of skipped plugins that are kept; the oldest goes
const maxSkippedLists = 16

// skippedRoom is how many skipped plugins are listed without an allocation.
const skippedRoom = 24

// skippedLists keeps lists of skipped plugins, as most pods have one that another pod had. A kept list never changes, so
// that many states share it.
type skippedLists struct {
	lists [][]string
	next  int
}

// kept returns the kept list with the names.
func (l *skippedLists) kept(names []string) []string {
	for _, list := range l.lists {
		if slices.Equal(list, names) {
			return list
		}
	}
	list := slices.Clone(names)
	l.lists, l.next = keep(l.lists, l.next, list)
	return list
}

// filterList is the Filter plugins that are called when PreFilter skips some.
type filterList struct {
	skipped []string
	filters []*entry[fwk.FilterPlugin]
}

// filterLists keeps lists of Filter plugins, as skippedLists does.
type filterLists struct {
	lists []filterList
	next  int
}

// filterListFor returns the list for skipped plugins.
func (p *Profile) filterListFor(skipped []string) filterList {
	for _, list := range p.filterLists.lists {
		if slices.Equal(list.skipped, skipped) {
			return list
		}
	}
	list := filterList{slices.Clone(skipped), make([]*entry[fwk.FilterPlugin], 0, len(p.points.filter))}
	for _, s := range p.points.filter {
		if !slices.Contains(skipped, s.Plugin) {
			list.filters = append(list.filters, s)
		}
	}
	p.filterLists.lists, p.filterLists.next = keep(p.filterLists.lists, p.filterLists.next, list)
	return list
}

// keep adds a list, in place of the oldest one if there are many.
func keep[L any](lists []L, next int, list L) ([]L, int) {
	if len(lists) < maxSkippedLists {
		return append(lists, list), next
	}
	lists[next] = list
	return lists, (next + 1) % maxSkippedLists
}
