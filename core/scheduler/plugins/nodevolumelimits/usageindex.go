package nodevolumelimits

import (
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodeclasses"
)

// usageIndex keeps the usage of every node that was filtered, until the node, or an object that the usage was read from,
// changes.
type usageIndex struct {
	objects *objects
	changes framework.ObjectChanges
	marks   [len(changingKinds)]uint64

	attachments attachments
	byNode      map[string]*entry
	readers     *readers    // nil until an object changes
	scratch     readObjects // reused for what the next usage is read from

	inUse   map[volumeID]int32          // by volume: how many of the usages have it in use
	classes *nodeclasses.Classes[usage] // nil if the snapshot does not say what changes
}

// entry is the usage of one node, and what it was read from.
type entry struct {
	node       string
	usage      *usage    // nil if an object changed that it was read from
	inUse      volumeSet // the volumes that are counted for the node
	info       fwk.NodeInfo
	generation int64
	read       readObjects
}

func newUsageIndex(o *objects, changes framework.ObjectChanges, h fwk.Handle) *usageIndex {
	x := &usageIndex{objects: o, changes: changes}
	x.classes = nodeclasses.New(h, x.describe)
	return x
}

// sync begins a scheduling cycle: it drops the usages that changed objects made stale.
func (x *usageIndex) sync(nodes int) {
	if !x.readChanges() {
		x.attachments = listAttachments(x.objects.attachments)
		x.dropAll()
	}
	x.limit(nodes)
}

// readChanges returns false if every usage has to be measured anew.
func (x *usageIndex) readChanges() bool {
	all := true
	for i, kind := range changingKinds {
		names, now, known := x.changes.ObjectChanges(kind, x.marks[i])
		x.marks[i] = now
		all = all && known
		switch i := readKind(i); i {
		case aClass:
			all = all && len(names) == 0
		case anAttachment:
			x.attachmentsChanged(names)
		default:
			x.objectsChanged(i, names)
		}
	}
	return all
}

func (x *usageIndex) attachmentsChanged(names []types.NamespacedName) {
	for _, name := range names {
		for _, node := range x.attachments.update(x.objects.attachments, name.Name) {
			if e := x.byNode[node]; e != nil {
				x.drop(e)
			}
		}
	}
}

func (x *usageIndex) objectsChanged(kind readKind, names []types.NamespacedName) {
	if len(names) > 0 && x.readers == nil {
		x.readers = newReaders()
		for _, e := range x.byNode {
			x.readers.replace(e, nil, e.read)
		}
	}
	for _, name := range names {
		x.readers.of(readObjectOf(kind, name), x.drop)
	}
}

// drop has a usage measured anew.
func (x *usageIndex) drop(e *entry) {
	if e.usage == nil {
		return
	}
	e.usage = nil
	if x.classes != nil {
		x.classes.Forget(e.node)
	}
}

func (x *usageIndex) dropAll() {
	x.byNode, x.readers, x.inUse = map[string]*entry{}, nil, map[volumeID]int32{}
	if x.classes != nil {
		x.classes.ForgetAll()
	}
}

// limit drops everything when many of the nodes are gone, so that memory follows the nodes that there are.
func (x *usageIndex) limit(nodes int) {
	if len(x.byNode) > 2*nodes+64 {
		x.dropAll()
	}
}

// usageOf returns the usage of a node, measured now unless it is known. A copy that differs from all states of the cache is not
// remembered.
func (x *usageIndex) usageOf(node fwk.NodeInfo) *usage {
	name, generation := node.Node().Name, node.GetGeneration()
	if generation <= 0 {
		return x.objects.measure(node, x.attachments.onNode[name], nil)
	}
	e := x.byNode[name]
	if e == nil {
		e = &entry{node: name}
		x.byNode[name] = e
	}
	if e.usage == nil || e.generation != generation || e.info != node {
		now := x.scratch[:0]
		e.usage = x.objects.measure(node, x.attachments.onNode[name], &now)
		if x.readers != nil {
			x.readers.replace(e, e.read, now)
		}
		x.count(e)
		e.info, e.generation = node, generation
		x.scratch, e.read = e.read, now
	}
	return e.usage
}

// count counts the volumes that a node has in use, in place of those that were counted for it.
func (x *usageIndex) count(e *entry) {
	for _, id := range e.inUse {
		if x.inUse[id]--; x.inUse[id] == 0 {
			delete(x.inUse, id)
		}
	}
	e.inUse = e.usage.inUse
	for _, id := range e.inUse {
		x.inUse[id]++
	}
}
