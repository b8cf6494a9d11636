package collect

import (
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// changeFeed tells an index which objects have changed since its last refresh, so that a refresh costs only these. At first,
// and when more has changed than the engine remembers, the index starts anew and reads everything, some thousand objects in
// each refresh.
type changeFeed struct {
	engine *engine.Engine
	// kinds are in the order in which everything is read: what a state depends on comes first.
	kinds  []world.Kind
	marks  []uint64 // up to where the changes of each kind were read
	unread names
	stamp  uint64 // counts refreshes that found changes
}

// maxRead is how many objects one refresh reads of everything: some tens of milliseconds.
//
//orrery:limit screen; objects that one refresh reads of everything; the others are read by the next
const maxRead = 4096

// names are names of objects by kind.
type names map[world.Kind][]types.NamespacedName

func (n *names) add(kind world.Kind, more ...types.NamespacedName) {
	if len(more) == 0 {
		return
	}
	if *n == nil {
		*n = names{}
	}
	(*n)[kind] = append((*n)[kind], more...)
}

func newChangeFeed(e *engine.Engine, kinds ...world.Kind) changeFeed {
	return changeFeed{engine: e, kinds: kinds, marks: make([]uint64, len(kinds))}
}

// next returns what has changed since the last call, and whether all of that is known.
func (f *changeFeed) next() (changed names, known bool) {
	changes := f.engine.Profile(f.engine.Profiles()[0])
	known = true
	for i, kind := range f.kinds {
		some, now, all := changes.ObjectChanges(kind, f.marks[i])
		f.marks[i], known = now, known && all
		changed.add(kind, some...)
	}
	return changed, known
}

// startOver makes the objects of these kinds unread.
func (f *changeFeed) startOver(kinds ...world.Kind) {
	f.unread = nil
	for _, kind := range kinds {
		for o := range f.engine.Store().Objects(kind) {
			f.unread.add(kind, nameOf(o))
		}
	}
}

// reading reports whether something is still to be read.
func (f *changeFeed) reading() bool { return len(f.unread) > 0 }

// part takes out the first of the unread names.
func (f *changeFeed) part() (part names) {
	left := maxRead
	for _, kind := range f.kinds {
		all := f.unread[kind]
		n := min(left, len(all))
		if n == 0 {
			continue
		}
		part.add(kind, all[:n]...)
		if f.unread[kind] = all[n:]; n == len(all) {
			delete(f.unread, kind)
		}
		left -= n
	}
	return part
}

// fedIndex reads the objects that have changed. first says that they are read as a part of everything.
type fedIndex interface {
	readAll()
	read(changed names, first bool)
}

// feed has an index read what has changed, or begin to read everything if that is not known. It reports whether anything was
// read.
func (f *changeFeed) feed(x fedIndex, changed names, known bool) bool {
	switch {
	case !known:
		x.readAll()
	case len(changed) > 0:
		x.read(changed, false)
	}
	part := f.part()
	if len(part) > 0 {
		x.read(part, true)
	} else if known && len(changed) == 0 {
		return false
	}
	f.stamp++
	return true
}

func nameOf(o world.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}
