package census

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Rules say what a tally counts. Their answers depend on their arguments only.
type Rules interface {
	// WeighLook calls t.Add for each axis on which pods that look like this one weigh. It is asked once per class.
	WeighLook(t *Tally, pod fwk.PodInfo)
	// WeighMind does so for pods of this one's mind, on top of what they weigh by their look.
	WeighMind(t *Tally, pod fwk.PodInfo)
	// Counted says whether what runs on the node counts on the axis. The node has the axis' key, or the axis does not ask for it.
	Counted(axis int, node *v1.Node) bool
}

// AxisKind says how the nodes of an axis fall into domains.
type AxisKind uint8

const (
	// Keyed axes have a domain for each value of their key; nodes without the key are in none.
	Keyed AxisKind = iota
	// Lenient axes take nodes without the key for nodes with the value "".
	Lenient
	// OwnNode axes have a domain for each node: its slot. The key only says which nodes belong to the topology.
	OwnNode
)

// Tally keeps the sums of one question: what pods weigh, per axis and domain.
type Tally struct {
	roster *Roster
	rules  Rules
	axes   []*axis
	// allKeys makes a node count only if it has the keys of all axes.
	allKeys bool
	// mindsOnly spares a look at the looks of pods, which weigh nothing.
	mindsOnly bool

	expected  []Label
	expecting bool

	looks, minds verdicts
	patterns     [][]weight // pattern 0 is to weigh nothing
	adding       []weight

	at      uint64 // how far the log was replayed
	counted bool
	version uint64
	now     []cell
}

// verdicts holds, by class, 1 + the index of a pattern; 0 is not asked yet.
type verdicts struct {
	of        []uint32
	numbering uint32
}

type weight struct {
	axis   int32
	amount int64
}

// cell is what one slot adds to one axis.
type cell struct {
	amount int64
	hits   int32
	domain int32
}

type axis struct {
	kind    AxisKind
	key     *Key
	blank   int32 // the domain of "", on lenient axes
	cells   []cell
	sums    []int64
	members []int32
	hits    int64
	lent    bool
}

// NewTally starts a tally of the roster's pods.
func NewTally(r *Roster, rules Rules, allKeys, mindsOnly bool) *Tally {
	return &Tally{roster: r, rules: rules, allKeys: allKeys, mindsOnly: mindsOnly, patterns: [][]weight{nil}}
}

// Axis adds an axis and returns its index. Rules may add axes while they weigh.
func (t *Tally) Axis(key string, kind AxisKind) int {
	a := &axis{kind: kind, key: t.roster.key(key)}
	if kind == Lenient {
		a.blank = a.key.take("")
	}
	t.axes = append(t.axes, a)
	return len(t.axes) - 1
}

// Close gives back what the tally uses; it must not be used afterwards.
func (t *Tally) Close() {
	for _, a := range t.axes {
		if a.kind == Lenient {
			a.key.leave(a.blank)
		}
		t.roster.release(a.key)
	}
}

// Add is for Rules: a pod of the class weighs this much on the axis. An amount of zero is a hit all the same.
func (t *Tally) Add(axis int, amount int64) {
	t.adding = append(t.adding, weight{int32(axis), amount})
}

// Refresh brings the sums to what the roster read last. Version changes if anything may have changed.
func (t *Tally) Refresh() {
	r := t.roster
	if !t.counted || t.looks.numbering != r.looks.numbering || t.minds.numbering != r.minds.numbering {
		t.looks = verdicts{numbering: r.looks.numbering}
		t.minds = verdicts{numbering: r.minds.numbering}
		t.patterns = t.patterns[:1]
		t.presume()
	}
	behind := r.logEnd() - t.at
	switch {
	case !t.counted || t.at < r.logStart || behind > uint64(len(r.slots)):
		for at := range r.slots {
			t.recount(int32(at))
		}
		t.counted = true
	case behind == 0:
		return
	default:
		for _, at := range r.log[t.at-r.logStart:] {
			t.recount(at)
		}
	}
	t.at = r.logEnd()
	t.version++
}

// Version changes with the sums.
func (t *Tally) Version() uint64 { return t.version }

// recount replaces what a slot adds.
func (t *Tally) recount(at int32) {
	s := &t.roster.slots[at]
	for i := range s.pods {
		t.judge(&s.pods[i]) // before anything is summed, since it may add axes
	}
	t.stand(at, s.node)
	for i := range s.pods {
		p := &s.pods[i]
		if !t.mindsOnly {
			t.weigh(t.looks.of[p.look])
		}
		if p.mind >= 0 {
			t.weigh(t.minds.of[p.mind])
		}
	}
	for i, a := range t.axes {
		a.extend(len(t.roster.slots))
		a.put(at, t.now[i])
	}
}

// weigh adds a pattern to the slot's cells. Outside its domains a pod weighs nothing.
func (t *Tally) weigh(verdict uint32) {
	for _, w := range t.patterns[verdict-1] {
		if c := &t.now[w.axis]; c.domain != nowhere {
			c.amount += w.amount
			c.hits++
		}
	}
}

// judge makes sure that the verdicts on a pod's classes are known.
func (t *Tally) judge(p *resident) {
	if !t.mindsOnly && t.looks.unknown(p.look, &t.roster.looks) {
		t.rules.WeighLook(t, t.roster.looks.all[p.look].sample)
		t.looks.of[p.look] = t.pattern()
	}
	if p.mind >= 0 && t.minds.unknown(p.mind, &t.roster.minds) {
		t.rules.WeighMind(t, t.roster.minds.all[p.mind].sample)
		t.minds.of[p.mind] = t.pattern()
	}
}

func (v *verdicts) unknown(class int32, c *classes) bool {
	if int(class) >= len(v.of) {
		v.of = append(v.of, make([]uint32, len(c.all)-len(v.of))...)
	}
	return v.of[class] == 0
}

// pattern takes what the rules added and returns the verdict that stands for it.
func (t *Tally) pattern() uint32 {
	if len(t.adding) == 0 {
		return 1
	}
	t.patterns = append(t.patterns, slices.Clone(t.adding))
	t.adding = t.adding[:0]
	return uint32(len(t.patterns))
}

// stand finds the slot's domain on each axis, with nothing in it yet.
func (t *Tally) stand(at int32, node *v1.Node) {
	t.now = t.now[:0]
	out := node == nil
	for i := 0; t.allKeys && !out && i < len(t.axes); i++ {
		out = t.axes[i].key.of[at] == nowhere
	}
	for i, a := range t.axes {
		domain := nowhere
		if !out {
			domain = a.domain(at)
		}
		if domain != nowhere && !t.rules.Counted(i, node) {
			domain = nowhere
		}
		t.now = append(t.now, cell{domain: domain})
	}
}

func (a *axis) domain(at int32) int32 {
	domain := a.key.of[at]
	switch {
	case a.kind == OwnNode:
		return at
	case a.kind == Lenient && domain == nowhere:
		return a.blank
	default:
		return domain
	}
}

// extend makes room for new slots, which add nothing yet.
func (a *axis) extend(slots int) {
	if known := len(a.cells); known < slots {
		a.cells = append(a.cells, make([]cell, slots-known)...)
		for i := known; i < slots; i++ {
			a.cells[i].domain = nowhere
		}
	}
}

// put replaces a slot's cell and adjusts the sums by the difference.
func (a *axis) put(at int32, now cell) {
	before := a.cells[at]
	if before == now {
		return
	}
	a.cells[at] = now
	a.own()
	if before.domain != nowhere {
		a.sums[before.domain] -= before.amount
		a.members[before.domain]--
		a.hits -= int64(before.hits)
	}
	if now.domain != nowhere {
		if more := int(now.domain) + 1 - len(a.sums); more > 0 {
			a.sums, a.members = append(a.sums, make([]int64, more)...), append(a.members, make([]int32, more)...)
		}
		a.sums[now.domain] += now.amount
		a.members[now.domain]++
		a.hits += int64(now.hits)
	}
}

// own makes sure that nobody else reads the sums that are about to change.
func (a *axis) own() {
	if a.lent {
		a.sums, a.members, a.lent = slices.Clone(a.sums), slices.Clone(a.members), false
	}
}
