package census

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Aspects says what rules may ask about pods. Pods that are described alike are of one class.
type Aspects struct {
	// Look spells out what selectors can see of a pod.
	Look func(pod fwk.PodInfo, to Signature) Signature
	// Mind spells out what a pod asks of others; asks is false for pods that ask nothing. It may be nil.
	Mind func(pod fwk.PodInfo, to Signature) (description Signature, asks bool)
	// Keys lists the labels of others that a pod's mind depends on.
	Keys func(pod fwk.PodInfo) []string
}

// Roster numbers the nodes of a snapshot with slots and remembers what it read of each.
type Roster struct {
	// places is the list of the last Sync, in its order: reading along it, an unchanged node costs a few comparisons.
	places  []place
	slots   []slot
	free    []int32
	slotOf  map[*v1.Node]int32
	aspects Aspects
	looks   classes
	minds   classes
	asked   map[string]int // by label key: how many classes of minds depend on it
	wearing map[Label][]int32
	text    Signature
	keys    []*Key

	// log holds the slots that changed, oldest first; its first entry has the number logStart.
	log      []int32
	logStart uint64
	round    uint64

	reading []resident // the pods read last, and the room for those of the next node
}

// place remembers a NodeInfo by address too: a snapshot of another cluster, or another time, may use the same numbers.
type place struct {
	info       fwk.NodeInfo
	generation int64
	slot       int32
}

// slot is what is known of one node. A free slot has no node and no pods.
type slot struct {
	node       *v1.Node
	info       fwk.NodeInfo
	generation int64
	round      uint64
	pods       []resident
}

// resident is a pod on a node, by its classes; the mind is negative if it has none.
type resident struct {
	pod        *v1.Pod
	look, mind int32
}

// NewRoster returns a roster that has read nothing yet.
func NewRoster(aspects Aspects) *Roster {
	return &Roster{
		slotOf: map[*v1.Node]int32{}, aspects: aspects, asked: map[string]int{}, wearing: map[Label][]int32{},
		looks: classes{byText: map[string]int32{}}, minds: classes{byText: map[string]int32{}},
	}
}

// Sync reads the list of all nodes. Nodes that are as they were at the last Sync are passed over.
func (r *Roster) Sync(nodes []fwk.NodeInfo) {
	r.round++
	known := min(len(nodes), len(r.places))
	moved := len(nodes) != len(r.places)
	for i, info := range nodes[:known] {
		p := &r.places[i]
		// Detached copies have generations below zero that say nothing about their content.
		if g := info.GetGeneration(); g != p.generation || g <= 0 || info != p.info {
			moved = r.read(p, info) || moved
		}
	}
	r.places = r.places[:known]
	for _, info := range nodes[known:] {
		p := place{slot: -1}
		r.read(&p, info)
		r.places = append(r.places, p)
	}
	if moved {
		r.dropUnlisted()
	}
	r.renumber()
	r.trimLog()
}

// read brings a place and its slot up to what the node is now, and reports whether the place shows another node.
func (r *Roster) read(p *place, info fwk.NodeInfo) (moved bool) {
	node := info.Node()
	at, known := r.slotOf[node]
	switch {
	case known:
		moved = at != p.slot
	case p.slot >= 0 && r.slots[p.slot].node.Name == node.Name:
		at = p.slot
		delete(r.slotOf, r.slots[at].node)
		r.settle(at, node)
	default:
		moved, at = true, r.newSlot()
		r.settle(at, node)
	}
	generation := info.GetGeneration()
	*p = place{info: info, generation: generation, slot: at}
	if s := &r.slots[at]; !known || s.generation != generation || generation <= 0 || s.info != info {
		s.generation, s.info = generation, info
		r.readPods(s, info.GetPods())
		r.log = append(r.log, at)
	}
	return moved
}

// settle gives a slot to a node.
func (r *Roster) settle(at int32, node *v1.Node) {
	r.slots[at].node = node
	r.slotOf[node] = at
	for _, k := range r.keys {
		k.place(at, node)
	}
}

func (r *Roster) newSlot() int32 {
	if last := len(r.free) - 1; last >= 0 {
		at := r.free[last]
		r.free = r.free[:last]
		return at
	}
	r.slots = append(r.slots, slot{})
	return int32(len(r.slots) - 1)
}

// readPods reduces the node's pods to classes. Pods that were there before keep theirs.
func (r *Roster) readPods(s *slot, pods []fwk.PodInfo) {
	now := r.reading[:0]
	for i, info := range pods {
		pod := info.GetPod()
		if i >= len(s.pods) || s.pods[i].pod != pod {
			i = slices.IndexFunc(s.pods, func(p resident) bool { return p.pod == pod })
		}
		if i >= 0 {
			now = append(now, s.pods[i])
			r.stay(s.pods[i])
		} else {
			now = append(now, r.join(pod, info))
		}
	}
	r.leave(s.pods)
	clear(s.pods) // let go of pods that are gone
	r.reading, s.pods = s.pods, now
}

func (r *Roster) join(pod *v1.Pod, info fwk.PodInfo) resident {
	r.text = r.aspects.Look(info, r.text[:0])
	look, isNew := r.looks.join(r.text, info)
	if isNew {
		r.note(look, pod.Labels)
	}
	now := resident{pod: pod, look: look, mind: -1}
	if r.aspects.Mind == nil {
		return now
	}
	var asks bool
	if r.text, asks = r.aspects.Mind(info, r.text[:0]); !asks {
		return now
	}
	if now.mind, isNew = r.minds.join(r.text, info); isNew {
		keys := r.aspects.Keys(info)
		r.minds.all[now.mind].keys = keys
		for _, key := range keys {
			r.asked[key]++
		}
	}
	return now
}

func (r *Roster) stay(p resident) {
	r.looks.stay(p.look)
	if p.mind >= 0 {
		r.minds.stay(p.mind)
	}
}

func (r *Roster) leave(pods []resident) {
	for _, p := range pods {
		r.looks.leave(p.look)
		if p.mind >= 0 {
			r.minds.leave(p.mind)
		}
	}
}

// Asked reports whether the mind of any pod depends on a label.
func (r *Roster) Asked(key string) bool { return r.asked[key] > 0 }

// renumber keeps memory in proportion to the pods there are, not to all there were.
func (r *Roster) renumber() {
	if r.looks.crowded() {
		number := r.looks.renumber()
		for i := range r.slots {
			for j, p := range r.slots[i].pods {
				r.slots[i].pods[j].look = number[p.look]
			}
		}
		clear(r.wearing)
		for id, class := range r.looks.all {
			r.note(int32(id), class.sample.GetPod().Labels)
		}
	}
	if r.minds.crowded() {
		number := r.minds.renumber()
		for i := range r.slots {
			for j, p := range r.slots[i].pods {
				if p.mind >= 0 {
					r.slots[i].pods[j].mind = number[p.mind]
				}
			}
		}
		clear(r.asked)
		for _, class := range r.minds.all {
			for _, key := range class.keys {
				r.asked[key]++
			}
		}
	}
}

// dropUnlisted frees the slots of nodes that are not in the list any more.
func (r *Roster) dropUnlisted() {
	for _, p := range r.places {
		r.slots[p.slot].round = r.round
	}
	for at := range r.slots {
		s := &r.slots[at]
		if s.node == nil || s.round == r.round {
			continue
		}
		r.leave(s.pods)
		delete(r.slotOf, s.node)
		*s = slot{}
		for _, k := range r.keys {
			k.place(int32(at), nil)
		}
		r.free = append(r.free, int32(at))
		r.log = append(r.log, int32(at))
	}
}

// trimLog forgets the older half of a long log; a tally that needed it counts from nothing, which is then no dearer.
func (r *Roster) trimLog() {
	most := 4*len(r.slots) + 64
	if len(r.log) <= most {
		return
	}
	gone := len(r.log) - most/2
	r.log = append(r.log[:0], r.log[gone:]...)
	r.logStart += uint64(gone)
}

func (r *Roster) logEnd() uint64 { return r.logStart + uint64(len(r.log)) }

// Find is the slot of a node as it was at the last Sync; ok is false for a node that is not exactly one of those.
func (r *Roster) Find(node *v1.Node) (slot int32, ok bool) {
	slot, ok = r.slotOf[node]
	return slot, ok
}

// Holds reports whether a NodeInfo is, unchanged, the one that the roster read for the slot.
func (r *Roster) Holds(slot int32, info fwk.NodeInfo) bool {
	s := &r.slots[slot]
	g := info.GetGeneration()
	return g > 0 && s.generation == g && s.info == info
}

// Round numbers the calls of Sync: while it stands, so does everything read.
func (r *Roster) Round() uint64 { return r.round }
