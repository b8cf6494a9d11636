package nodevolumelimits

import (
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
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
}

// entry is the usage of one node, and what it was read from.
type entry struct {
	usage      *usage // nil if an object changed that it was read from
	info       fwk.NodeInfo
	generation int64
	read       readObjects
}

func newUsageIndex(o *objects, changes framework.ObjectChanges) *usageIndex {
	return &usageIndex{objects: o, changes: changes}
}

// sync begins a scheduling cycle: it drops the usages that changed objects made stale.
func (x *usageIndex) sync(nodes int) {
	if !x.readChanges() {
		x.attachments = listAttachments(x.objects.attachments)
		x.byNode, x.readers = map[string]*entry{}, nil
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
				e.usage = nil
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
		x.readers.changed(readObjectOf(kind, name))
	}
}

// limit drops everything when many of the nodes are gone, so that memory follows the nodes that there are.
func (x *usageIndex) limit(nodes int) {
	if len(x.byNode) > 2*nodes+64 {
		x.byNode, x.readers = map[string]*entry{}, nil
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
		e = &entry{}
		x.byNode[name] = e
	}
	if e.usage == nil || e.generation != generation || e.info != node {
		now := x.scratch[:0]
		e.usage = x.objects.measure(node, x.attachments.onNode[name], &now)
		if x.readers != nil {
			x.readers.replace(e, e.read, now)
		}
		e.info, e.generation = node, generation
		x.scratch, e.read = e.read, now
	}
	return e.usage
}
