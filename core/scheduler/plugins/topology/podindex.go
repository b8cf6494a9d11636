package topology

import (
	"slices"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/changelog"
	"orrery/core/scheduler/reuse"
)

// Classifier describes pods. Pods with equal descriptions are of one class.
type Classifier struct {
	// Labels describes what selectors can see of a pod.
	Labels func(pod fwk.PodInfo, to reuse.Signature) reuse.Signature
	// Terms describes the affinity terms of a pod; ok is false for a pod without any. It may be nil.
	Terms func(pod fwk.PodInfo, to reuse.Signature) (description reuse.Signature, ok bool)
	// Keys lists the label keys that a pod's terms select by.
	Keys func(pod fwk.PodInfo) []string
}

// PodIndex gives each node of a snapshot a slot and remembers the classes of its pods.
type PodIndex struct {
	// listed is the list of the last Sync, in its order, so an unchanged node costs a few comparisons.
	listed       []listEntry
	slots        []slot
	free         []int32
	slotOf       map[*v1.Node]int32
	classifier   Classifier
	labelClasses classes
	termClasses  classes
	keyUses      map[string]int // by label key: how many term classes select by it
	byLabel      map[Label][]int32
	buf          reuse.Signature
	keys         []*TopologyKey

	log      changelog.Log[int32] // the slots that changed
	revision uint64

	changes reuse.ChangedNodes // nil if the snapshot does not say: then every node is looked at
	since   uint64

	ofSnapshot bool                 // the last Sync was of the list of the snapshot
	read       changelog.Log[int32] // the positions that were read while this was so

	displaced []int32 // slots of nodes that are no longer in their position, during Sync

	scratch []indexedPod // reused for the pods of the next node

	forks atomic.Uint32 // how often the index was forked; see slot.unshared
}

// listEntry also remembers the NodeInfo by address: a snapshot of another cluster may use the same generations.
type listEntry struct {
	info       fwk.NodeInfo
	generation int64
	slot       int32
}

// slot is one node as it was read last. A free slot has no node and no pods.
type slot struct {
	node       *v1.Node
	info       fwk.NodeInfo
	generation int64
	revision   uint64
	pods       []indexedPod
	unshared   uint32 // the number of forks when pods was made: after another fork it is shared, and copied to be changed
}

// indexedPod is a pod on a node, by its classes; termClass is negative for a pod without terms.
type indexedPod struct {
	pod                   *v1.Pod
	labelClass, termClass int32
}

// NewPodIndex returns an empty index of the nodes of a snapshot.
func NewPodIndex(c Classifier, snapshot fwk.NodeInfoLister) *PodIndex {
	changes, _ := snapshot.(reuse.ChangedNodes)
	return &PodIndex{
		slotOf: map[*v1.Node]int32{}, classifier: c, keyUses: map[string]int{}, byLabel: map[Label][]int32{},
		labelClasses: classes{byText: map[string]int32{}}, termClasses: classes{byText: map[string]int32{}},
		changes: changes,
	}
}

// Sync reads the list of all nodes. It skips those that have not changed since the last Sync.
func (r *PodIndex) Sync(nodes []fwk.NodeInfo) {
	r.revision++
	if !r.syncChanges(nodes) {
		r.syncAll(nodes)
	}
	r.renumber()
}

// syncChanges looks only at the positions that the snapshot says have changed. It returns false if the snapshot cannot say, or if
// the list is not its own.
func (r *PodIndex) syncChanges(nodes []fwk.NodeInfo) bool {
	if !r.listsSnapshot(nodes) {
		r.since, r.ofSnapshot = 0, false
		return false
	}
	positions, now, known := r.changes.ChangesSince(r.since)
	r.since = now
	if !known {
		return false
	}
	r.displaced = r.displaced[:0]
	for len(r.listed) < len(nodes) {
		r.listed = append(r.listed, listEntry{slot: NoSlot})
	}
	for _, p := range r.listed[len(nodes):] {
		r.displaced = append(r.displaced, p.slot)
	}
	r.listed = r.listed[:len(nodes)]
	for _, at := range positions {
		if int(at) < len(nodes) && nodes[at].GetGeneration() != r.listed[at].generation {
			r.readMoved(at, nodes[at])
		}
	}
	r.freeDisplaced()
	return true
}

// readMoved reads the node at a position, which may be another one than before.
func (r *PodIndex) readMoved(at int32, info fwk.NodeInfo) {
	p := &r.listed[at]
	before := p.slot
	moved := r.readNode(p, info)
	r.slots[p.slot].revision = r.revision
	r.read.Add(at, 4*len(r.slots)+64)
	if moved && before != NoSlot {
		r.displaced = append(r.displaced, before)
	}
}

// freeDisplaced frees the slots of nodes that had to leave their position and are in no other.
func (r *PodIndex) freeDisplaced() {
	for _, at := range r.displaced {
		if r.slots[at].revision != r.revision {
			r.freeSlot(at)
		}
	}
}

// listsSnapshot reports whether a list is that of a snapshot that says which nodes changed.
func (r *PodIndex) listsSnapshot(nodes []fwk.NodeInfo) bool {
	if r.changes == nil || len(nodes) == 0 {
		return false
	}
	list, err := r.changes.List()
	return err == nil && len(list) == len(nodes) && &list[0] == &nodes[0]
}

func (r *PodIndex) syncAll(nodes []fwk.NodeInfo) {
	known := min(len(nodes), len(r.listed))
	moved := len(nodes) != len(r.listed)
	for i, info := range nodes[:known] {
		p := &r.listed[i]
		// Detached copies have generations below zero that say nothing about their content.
		if g := info.GetGeneration(); g != p.generation || g <= 0 || info != p.info {
			moved = r.readNode(p, info) || moved
		}
	}
	r.listed = r.listed[:known]
	for _, info := range nodes[known:] {
		p := listEntry{slot: NoSlot}
		r.readNode(&p, info)
		r.listed = append(r.listed, p)
	}
	if moved {
		r.freeUnlisted()
	}
	r.ofSnapshot = r.listsSnapshot(nodes)
	r.read.Reset()
}

// read updates a list entry and its slot, and reports whether the entry is now another node.
func (r *PodIndex) readNode(p *listEntry, info fwk.NodeInfo) (moved bool) {
	node := info.Node()
	at, known := r.slotOf[node]
	switch {
	case known:
		moved = at != p.slot
	case p.slot >= 0 && r.slots[p.slot].node.Name == node.Name:
		at = p.slot
		delete(r.slotOf, r.slots[at].node)
		r.assignSlot(at, node)
	default:
		moved, at = true, r.newSlot()
		r.assignSlot(at, node)
	}
	generation := info.GetGeneration()
	*p = listEntry{info: info, generation: generation, slot: at}
	if s := &r.slots[at]; !known || s.generation != generation || generation <= 0 || s.info != info {
		s.generation, s.info = generation, info
		r.readPods(s, info.GetPods())
		r.logChange(at)
	}
	return moved
}

// assignSlot gives a slot to a node.
func (r *PodIndex) assignSlot(at int32, node *v1.Node) {
	r.slots[at].node = node
	r.slotOf[node] = at
	for _, k := range r.keys {
		k.setNode(at, node)
	}
}

func (r *PodIndex) newSlot() int32 {
	if last := len(r.free) - 1; last >= 0 {
		at := r.free[last]
		r.free = r.free[:last]
		return at
	}
	r.slots = append(r.slots, slot{})
	return int32(len(r.slots) - 1)
}

// readPods classifies the node's pods. Pods that were there before keep their classes.
func (r *PodIndex) readPods(s *slot, pods []fwk.PodInfo) {
	now := slices.Grow(r.scratch[:0], len(pods))
	for i, info := range pods {
		pod := info.GetPod()
		if i >= len(s.pods) || s.pods[i].pod != pod {
			i = slices.IndexFunc(s.pods, func(p indexedPod) bool { return p.pod == pod })
		}
		if i >= 0 {
			now = append(now, s.pods[i])
			r.retain(s.pods[i])
		} else {
			now = append(now, r.classify(pod, info))
		}
	}
	r.releasePods(s.pods)
	old := s.pods
	s.pods, r.scratch = now, nil
	if forks := r.forks.Load(); s.unshared == forks {
		clear(old) // drop references to deleted pods
		r.scratch = old
	} else {
		s.unshared = forks
	}
}

func (r *PodIndex) classify(pod *v1.Pod, info fwk.PodInfo) indexedPod {
	r.buf = r.classifier.Labels(info, r.buf[:0])
	class, isNew := r.labelClasses.add(r.buf, info)
	if isNew {
		r.indexLabels(class, pod.Labels)
	}
	now := indexedPod{pod: pod, labelClass: class, termClass: -1}
	if r.classifier.Terms == nil {
		return now
	}
	var hasTerms bool
	if r.buf, hasTerms = r.classifier.Terms(info, r.buf[:0]); !hasTerms {
		return now
	}
	if now.termClass, isNew = r.termClasses.add(r.buf, info); isNew {
		keys := r.classifier.Keys(info)
		r.termClasses.all[now.termClass].keys = keys
		for _, key := range keys {
			r.keyUses[key]++
		}
	}
	return now
}

func (r *PodIndex) retain(p indexedPod) {
	r.labelClasses.retain(p.labelClass)
	if p.termClass >= 0 {
		r.termClasses.retain(p.termClass)
	}
}

func (r *PodIndex) releasePods(pods []indexedPod) {
	for _, p := range pods {
		r.labelClasses.release(p.labelClass)
		if p.termClass >= 0 {
			r.termClasses.release(p.termClass)
		}
	}
}

// UsesLabel reports whether the terms of any pod select by a label key.
func (r *PodIndex) UsesLabel(key string) bool { return r.keyUses[key] > 0 }

// renumber drops empty classes, so that memory follows the pods that exist now.
func (r *PodIndex) renumber() {
	if r.labelClasses.mostlyEmpty() {
		number := r.labelClasses.renumber()
		for i := range r.slots {
			for j, p := range r.ownPods(i) {
				r.slots[i].pods[j].labelClass = number[p.labelClass]
			}
		}
		clear(r.byLabel)
		for id, class := range r.labelClasses.all {
			r.indexLabels(int32(id), class.sample.GetPod().Labels)
		}
	}
	if r.termClasses.mostlyEmpty() {
		number := r.termClasses.renumber()
		for i := range r.slots {
			for j, p := range r.ownPods(i) {
				if p.termClass >= 0 {
					r.slots[i].pods[j].termClass = number[p.termClass]
				}
			}
		}
		clear(r.keyUses)
		for _, class := range r.termClasses.all {
			for _, key := range class.keys {
				r.keyUses[key]++
			}
		}
	}
}

// ownPods returns the pods of a slot, to be changed.
func (r *PodIndex) ownPods(at int) []indexedPod {
	s := &r.slots[at]
	if forks := r.forks.Load(); s.unshared != forks {
		s.pods, s.unshared = slices.Clone(s.pods), forks
	}
	return s.pods
}

// freeUnlisted frees the slots of nodes that are no longer listed.
func (r *PodIndex) freeUnlisted() {
	for _, p := range r.listed {
		r.slots[p.slot].revision = r.revision
	}
	for at := range r.slots {
		s := &r.slots[at]
		if s.node != nil && s.revision != r.revision {
			r.freeSlot(int32(at))
		}
	}
}

func (r *PodIndex) freeSlot(at int32) {
	s := &r.slots[at]
	r.releasePods(s.pods)
	delete(r.slotOf, s.node)
	*s = slot{}
	for _, k := range r.keys {
		k.setNode(at, nil)
	}
	r.free = append(r.free, at)
	r.logChange(at)
}

// logChange logs that a slot changed. DomainCounts for which the log is too short count all slots, which then costs no more.
func (r *PodIndex) logChange(at int32) { r.log.Add(at, 4*len(r.slots)+64) }

// NoSlot is the slot of a node that the index has not read.
const NoSlot int32 = -1

// SlotOf is the slot of a node, NoSlot unless the node is exactly as the last Sync read it.
func (r *PodIndex) SlotOf(node *v1.Node) int32 {
	if slot, ok := r.slotOf[node]; ok {
		return slot
	}
	return NoSlot
}

// IsCurrent reports whether a NodeInfo is the one that was read for the slot, unchanged.
func (r *PodIndex) IsCurrent(slot int32, info fwk.NodeInfo) bool {
	if slot == NoSlot {
		return false
	}
	s := &r.slots[slot]
	g := info.GetGeneration()
	return g > 0 && s.generation == g && s.info == info
}

// Revision counts the calls of Sync. While it is the same, so is the index.
func (r *PodIndex) Revision() uint64 { return r.revision }
