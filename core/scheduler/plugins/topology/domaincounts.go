package topology

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Rules say what is counted. Their answers depend on their arguments alone.
type Rules interface {
	// WeighLabels calls AddWeight for each axis on which pods of this one's label class count. It is called once per class.
	WeighLabels(t *DomainCounts, pod fwk.PodInfo)
	// WeighTerms does so for this one's term class, in addition to the labels.
	WeighTerms(t *DomainCounts, pod fwk.PodInfo)
	// Includes reports whether the pods on a node count on the axis. The node has the axis' key if the axis needs one.
	Includes(axis int, node *v1.Node) bool
}

// AxisKind says how the nodes of an axis fall into domains.
type AxisKind uint8

const (
	// PerValue axes have a domain for each value of their key; nodes without the key are in none.
	PerValue AxisKind = iota
	// PerValueOrEmpty axes treat nodes without the key as nodes with the value "".
	PerValueOrEmpty
	// PerNode axes have a domain for each node: its slot. The key only decides which nodes are in the topology.
	PerNode
)

// Options narrow what DomainCounts look at.
type Options struct {
	// RequireAllKeys makes a node count only if it has the keys of all axes.
	RequireAllKeys bool
	// TermsOnly skips WeighLabels: no label class has any weight.
	TermsOnly bool
	// Labels, unless nil, skips WeighLabels for classes without any of them.
	Labels []Label
}

// DomainCounts keeps the sums of the weights that rules give to pods, per axis and domain.
type DomainCounts struct {
	index   *PodIndex
	rules   Rules
	options Options
	axes    []*axis

	labelWeights, termWeights classPatterns
	patterns                  [][]weight // the first has no weights
	pending                   []weight

	nodes *NodeClasses // nil until they are asked for

	replayed uint64 // how far the index' log was replayed
	counted  bool
	cells    []cell // of the slot that is being recounted
}

// classPatterns holds, by class, 1 + the index of a pattern; 0 means not weighed yet.
type classPatterns struct {
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
	kind       AxisKind
	key        *TopologyKey
	emptyValue int32 // the domain of "", on PerValueOrEmpty axes
	cells      []cell
	domains    domainSums
	hits       int64
}

// NewDomainCounts counts the pods of an index from the first Refresh on.
func NewDomainCounts(index *PodIndex, rules Rules, o Options) *DomainCounts {
	return &DomainCounts{index: index, rules: rules, options: o, patterns: [][]weight{nil}}
}

// Axis adds an axis and returns its index. Rules may add axes while they weigh.
func (t *DomainCounts) Axis(key string, kind AxisKind) int {
	a := &axis{kind: kind, key: t.index.acquireKey(key)}
	if kind == PerValueOrEmpty {
		a.emptyValue = a.key.keepEmpty()
	}
	t.axes = append(t.axes, a)
	return len(t.axes) - 1
}

// Close releases the topology keys. Nil counts have none.
func (t *DomainCounts) Close() {
	if t == nil {
		return
	}
	for _, a := range t.axes {
		if a.kind == PerValueOrEmpty {
			a.key.releaseEmpty(a.emptyValue)
		}
		t.index.releaseKey(a.key)
	}
}

// AddWeight is for Rules: every pod of the class adds an amount on the axis. An amount of zero still counts as a hit.
func (t *DomainCounts) AddWeight(axis int, amount int64) {
	t.pending = append(t.pending, weight{int32(axis), amount})
}

// Refresh brings the sums up to the index, and reports whether they may have changed.
func (t *DomainCounts) Refresh() bool {
	r := t.index
	if !t.counted || t.labelWeights.numbering != r.labelClasses.numbering || t.termWeights.numbering != r.termClasses.numbering {
		t.labelWeights = classPatterns{numbering: r.labelClasses.numbering}
		t.termWeights = classPatterns{numbering: r.termClasses.numbering}
		t.patterns = t.patterns[:1]
		t.assumeZero()
	}
	changed, now, known := r.log.Since(t.replayed)
	t.replayed = now
	switch {
	case !t.counted || !known || len(changed) > len(r.slots):
		for at := range r.slots {
			t.recount(int32(at))
		}
		t.counted = true
	case len(changed) == 0:
		return false
	default:
		for _, at := range changed {
			t.recount(at)
		}
	}
	return true
}

// recount replaces what a slot adds to the sums.
func (t *DomainCounts) recount(at int32) {
	s := &t.index.slots[at]
	for i := range s.pods {
		t.weighClasses(&s.pods[i]) // first, since it may add axes
	}
	t.locateSlot(at, s.node)
	for i := range s.pods {
		p := &s.pods[i]
		if !t.options.TermsOnly {
			t.addPattern(t.labelWeights.of[p.labelClass])
		}
		if p.termClass >= 0 {
			t.addPattern(t.termWeights.of[p.termClass])
		}
	}
	for i, a := range t.axes {
		a.extend(len(t.index.slots))
		a.put(at, t.cells[i])
	}
}

// addPattern adds a pattern to the slot's cells. A cell without a domain stays empty.
func (t *DomainCounts) addPattern(number uint32) {
	for _, w := range t.patterns[number-1] {
		if c := &t.cells[w.axis]; c.domain != noDomain {
			c.amount += w.amount
			c.hits++
		}
	}
}

// weighClasses has the rules weigh a pod's classes, once each.
func (t *DomainCounts) weighClasses(p *indexedPod) {
	if !t.options.TermsOnly && t.labelWeights.unknown(p.labelClass, &t.index.labelClasses) {
		t.rules.WeighLabels(t, t.index.labelClasses.all[p.labelClass].sample)
		t.labelWeights.of[p.labelClass] = t.storePattern()
	}
	if p.termClass >= 0 && t.termWeights.unknown(p.termClass, &t.index.termClasses) {
		t.rules.WeighTerms(t, t.index.termClasses.all[p.termClass].sample)
		t.termWeights.of[p.termClass] = t.storePattern()
	}
}

func (v *classPatterns) unknown(class int32, c *classes) bool {
	if int(class) >= len(v.of) {
		v.of = append(v.of, make([]uint32, len(c.all)-len(v.of))...)
	}
	return v.of[class] == 0
}

// storePattern stores the weights that the rules added, and returns their number.
func (t *DomainCounts) storePattern() uint32 {
	if len(t.pending) == 0 {
		return 1
	}
	t.patterns = append(t.patterns, slices.Clone(t.pending))
	t.pending = t.pending[:0]
	return uint32(len(t.patterns))
}

// locateSlot starts an empty cell for the slot's domain on each axis.
func (t *DomainCounts) locateSlot(at int32, node *v1.Node) {
	t.cells = t.cells[:0]
	excluded := node == nil
	for i := 0; t.options.RequireAllKeys && !excluded && i < len(t.axes); i++ {
		excluded = t.axes[i].key.bySlot[at] == noDomain
	}
	for i, a := range t.axes {
		domain := noDomain
		if !excluded {
			domain = a.domain(at)
		}
		if domain != noDomain && !t.rules.Includes(i, node) {
			domain = noDomain
		}
		t.cells = append(t.cells, cell{domain: domain})
	}
}

func (a *axis) domain(at int32) int32 {
	domain := a.key.bySlot[at]
	switch {
	case a.kind == PerNode:
		return at
	case a.kind == PerValueOrEmpty && domain == noDomain:
		return a.emptyValue
	default:
		return domain
	}
}

// extend adds empty cells for new slots.
func (a *axis) extend(slots int) {
	if known := len(a.cells); known < slots {
		a.cells = append(a.cells, make([]cell, slots-known)...)
		for i := known; i < slots; i++ {
			a.cells[i].domain = noDomain
		}
	}
}

// put replaces a slot's cell and updates the sums.
func (a *axis) put(at int32, now cell) {
	before := a.cells[at]
	if before == now {
		return
	}
	a.cells[at] = now
	if before.domain != noDomain {
		a.domains.add(before.domain, -before.amount, -1)
		a.hits -= int64(before.hits)
	}
	if now.domain != noDomain {
		a.domains.add(now.domain, now.amount, 1)
		a.hits += int64(now.hits)
	}
}
