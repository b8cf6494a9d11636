package nodevolumelimits

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// readObject names an object that a usage was read from, whether it existed or not.
type readObject struct {
	kind readKind
	name types.NamespacedName
}

// readKind is a kind by its place in changingKinds.
type readKind uint8

const (
	aClaim readKind = iota
	aVolume
	aCSINode
	aClass
	anAttachment
)

// changingKinds are the kinds whose changes matter. Readers are remembered for the first three: a class changes so rarely
// that all usages may be measured anew, and an attachment names its node.
var changingKinds = [...]world.Kind{
	aClaim: world.PersistentVolumeClaim, aVolume: world.PersistentVolume, aCSINode: world.CSINode,
	aClass: world.StorageClass, anAttachment: world.VolumeAttachment,
}

// readObjects are the objects of one usage, in the order in which they were read; some repeatedly.
type readObjects []readObject

func (r *readObjects) add(kind readKind, namespace, name string) {
	if r != nil {
		*r = append(*r, readObject{kind, types.NamespacedName{Namespace: namespace, Name: name}})
	}
}

// readers are the entries whose usages were read from an object, once for each time that it was read.
type readers map[readObject][]*entry

// replace makes an entry the reader of other objects than before. Pods of a node keep their order, so that most objects are in
// the same place of both lists.
func (r readers) replace(e *entry, before, now readObjects) {
	for i := range max(len(before), len(now)) {
		if i < len(before) && i < len(now) && before[i] == now[i] {
			continue
		}
		if i < len(before) {
			r.remove(e, before[i])
		}
		if i < len(now) {
			r[now[i]] = append(r[now[i]], e)
		}
	}
}

func (r readers) remove(e *entry, object readObject) {
	list := r[object]
	if len(list) == 1 {
		delete(r, object)
		return
	}
	last := len(list) - 1
	list[slices.Index(list, e)] = list[last]
	list[last] = nil
	r[object] = list[:last]
}
