package topology

import (
	"math"

	"orrery/core/reuse"
)

// Columns reads the domains and sums of many nodes at once. A node is found by the number of its place, not by its name or labels:
// the slots by number, the domains by slot and the sums by domain lie in arrays.
type Columns struct{ index *PodIndex }

// Columns returns the columns of the nodes of the last Sync. There are none if the index or the snapshot has changed since a
// revision, or if the snapshot does not number its nodes.
func (r *PodIndex) Columns(revision uint64) (c Columns, ok bool) {
	if !r.numbered || revision != r.Revision() {
		return Columns{}, false
	}
	changes, _, known := r.changes.ChangesSince(r.since)
	return Columns{r}, known && len(changes) == 0
}

// number fills the slot of each number.
func (r *PodIndex) number(places []reuse.Place) {
	for i, p := range r.listed {
		r.setNumber(places[i].Number, p.slot)
	}
	r.numbered = true
}

func (r *PodIndex) setNumber(number, slot int32) {
	for int(number) >= len(r.slotByNumber) {
		r.slotByNumber = append(r.slotByNumber, NoSlot)
	}
	r.slotByNumber[number] = slot
}

// Slot is the slot of a node.
func (c Columns) Slot(at reuse.Place) int32 { return c.index.slotByNumber[at.Number] }

// Lacking is the sum of a node that does not have the key of an axis.
const Lacking = math.MinInt64

// Sums sets sums to those in the domains of the nodes.
func (c Columns) Sums(v *AxisView, places []reuse.Place, sums []int64) {
	slots, domains, pieces := c.index.slotByNumber, v.Key.bySlot, v.pieces
	sums = sums[:len(places)]
	for i := range places {
		slot := slots[places[i].Number]
		domain := domains[slot]
		if domain < 0 {
			sums[i] = Lacking
			continue
		}
		if v.kind == PerNode {
			domain = slot
		}
		sums[i] = 0
		if at := uint(domain) / pieceSize; at < uint(len(pieces)) {
			sums[i] = pieces[at].sums[uint(domain)%pieceSize]
		}
	}
}

// Bounds are the sums that pass.
type Bounds struct{ Least, Most int64 }

// Reject sets the verdicts of those nodes that have none: lacking if a node does not have the key, outside if the sum in its
// domain is out of bounds. A verdict of 0 is none.
func (c Columns) Reject(v *AxisView, places []reuse.Place, verdicts []uint8, pass Bounds, lacking, outside uint8) {
	slots, domains, pieces := c.index.slotByNumber, v.Key.bySlot, v.pieces
	verdicts = verdicts[:len(places)]
	ifLacking, ifOutside := uint32(lacking), uint32(outside)
	for i := range places {
		domain := domains[slots[places[i].Number]]
		verdict := ifLacking
		if domain >= 0 {
			var sum int64
			if at := uint(domain) / pieceSize; at < uint(len(pieces)) {
				sum = pieces[at].sums[uint(domain)%pieceSize]
			}
			// No branch depends on the sum or the verdict of before: which nodes are rejected cannot be guessed.
			verdict = 0
			if sum > pass.Most {
				verdict = ifOutside
			}
			if sum < pass.Least {
				verdict = ifOutside
			}
		}
		if before := uint32(verdicts[i]); before != 0 {
			verdict = before
		}
		verdicts[i] = uint8(verdict)
	}
}

// AllHave reports whether every node has the key of an axis.
func (c Columns) AllHave(v *AxisView) bool {
	return v.Key.having == len(c.index.slots)-len(c.index.free)
}

// MostDomains is how many counting domains of an axis have nodes.
func (c Columns) MostDomains(v *AxisView) int {
	k := v.Key
	most := len(k.domains)
	if id, known := k.domains[""]; known && k.nodes[id] == k.kept && (v.kind != PerValueOrEmpty || c.AllHave(v)) {
		most--
	}
	return most
}
