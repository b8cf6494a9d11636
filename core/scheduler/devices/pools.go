package devices

import (
	"cmp"
	"slices"
	"unique"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/scheduler/changelog"
	"orrery/core/scheduler/devices/allocate"
)

// pool has the slices of a pool, by name, with the taints of rules.
type pool struct {
	id      allocate.PoolID
	slices  []*resourcev1.ResourceSlice
	ready   []*allocate.Slice // nil until an allocator needs them
	changed uint64            // when its slices, or its devices that are taken, last changed
	poolFacts
}

// nodePools are the pools that name a node.
type nodePools struct {
	number  uint32  // of the node
	pools   []*pool // by driver and name
	changed uint64  // when a pool was last added or removed
}

// poolIndex finds the pools by node, and tells when what a node reaches last changed. A change has the number of its turn.
type poolIndex struct {
	now    uint64
	byID   map[allocate.PoolID]*pool
	byNode map[string]*nodePools
	nodes  uint32 // numbers of nodes that were given
	wide   widePools
	// counters are the pools with shared counters, by name; entangled has the names that keep a node's verdict from being its
	// own.
	counters  map[unique.Handle[string]][]*pool
	entangled map[unique.Handle[string]]bool
	// log has the nodes of which what they reach changed, but for those that reach what any node may.
	log changelog.Log[string]
}

// loggedNodes is how many changes of nodes are remembered for readers that were away.
//
//orrery:limit scheduler; changes of the devices that nodes reach, remembered for verdicts on classes of nodes; all nodes are looked at by those that need earlier ones
const loggedNodes = 4096

// pools returns the index, which is made when it is first asked for.
func (s *State) pools() *poolIndex {
	if s.index == nil {
		s.index = newPoolIndex(s.Slices())
	}
	return s.index
}

func newPoolIndex(all []*resourcev1.ResourceSlice) *poolIndex {
	x := &poolIndex{
		byID: map[allocate.PoolID]*pool{}, byNode: map[string]*nodePools{}, wide: newWidePools(),
		counters: map[unique.Handle[string]][]*pool{}, entangled: map[unique.Handle[string]]bool{},
	}
	var inOrder []*pool
	for _, slice := range all {
		id := allocate.PoolOf(slice)
		p := x.byID[id]
		if p == nil {
			p = &pool{id: id}
			x.byID[id] = p
			inOrder = append(inOrder, p)
		}
		p.slices = append(p.slices, slice)
	}
	for _, p := range inOrder {
		x.slicesChanged(p)
	}
	return x
}

// replace takes in a version of a slice instead of another; either may be nil.
func (x *poolIndex) replace(was, is *resourcev1.ResourceSlice) {
	if was != nil && (is == nil || allocate.PoolOf(was) != allocate.PoolOf(is)) {
		if p := x.byID[allocate.PoolOf(was)]; p != nil {
			p.slices = slices.DeleteFunc(p.slices, func(s *resourcev1.ResourceSlice) bool { return s.Name == was.Name })
			x.slicesChanged(p)
		}
	}
	if is == nil {
		return
	}
	p := x.byID[allocate.PoolOf(is)]
	if p == nil {
		p = &pool{id: allocate.PoolOf(is)}
		x.byID[p.id] = p
	}
	at, found := slices.BinarySearchFunc(p.slices, is.Name, func(s *resourcev1.ResourceSlice, name string) int { return cmp.Compare(s.Name, name) })
	if found {
		p.slices[at] = is
	} else {
		p.slices = slices.Insert(p.slices, at, is)
	}
	x.slicesChanged(p)
}

// slicesChanged reads a pool's slices anew.
func (x *poolIndex) slicesChanged(p *pool) {
	before := p.poolFacts
	p.poolFacts, p.ready = factsOf(p.slices), nil
	x.touch(p, before.wide)
	for _, node := range before.nodes {
		if _, still := slices.BinarySearch(p.nodes, node); !still {
			x.unlist(p, node)
		}
	}
	for _, node := range p.nodes {
		if _, already := slices.BinarySearch(before.nodes, node); !already {
			x.list(p, node)
		}
	}
	if x.wide.slicesChanged(p, before.wide) {
		x.log.Reset()
	}
	if before.counters || p.counters {
		x.countersChanged(p)
	}
	if len(p.slices) == 0 {
		delete(x.byID, p.id)
	}
}

// prepared returns the pool's slices as an allocator needs them.
func (p *pool) prepared() []*allocate.Slice {
	if p.ready == nil {
		p.ready = allocate.PrepareAll(p.slices)
	}
	return p.ready
}

// touch tells that a pool changed, which is or was wide.
func (x *poolIndex) touch(p *pool, wide bool) {
	x.now++
	p.changed = x.now
	if !wide && !p.wide {
		for _, node := range p.nodes {
			x.log.Add(node, loggedNodes)
		}
		return
	}
	x.wide.changed = x.now
	if len(x.byNode) > 0 { // they reach this pool beside their own
		x.log.Reset()
	}
}

// taken tells that a device was taken or is free again, or that a part of it was or is.
func (x *poolIndex) taken(id allocate.DeviceID) {
	if p := x.byID[id.PoolID]; p != nil {
		x.touch(p, false)
	}
}

func (x *poolIndex) list(p *pool, node string) {
	own := x.byNode[node]
	if own == nil {
		own = x.addNode(node)
	}
	at, _ := slices.BinarySearchFunc(own.pools, p.id, func(other *pool, id allocate.PoolID) int { return other.id.Compare(id) })
	own.pools, own.changed = slices.Insert(own.pools, at, p), x.now
	x.log.Add(node, loggedNodes)
}

func (x *poolIndex) addNode(name string) *nodePools {
	x.nodes++
	own := &nodePools{number: x.nodes}
	x.byNode[name] = own
	return own
}

func (x *poolIndex) unlist(p *pool, node string) {
	own := x.byNode[node]
	own.pools, own.changed = slices.DeleteFunc(own.pools, func(other *pool) bool { return other == p }), x.now
	x.log.Add(node, loggedNodes)
	if len(own.pools) == 0 {
		delete(x.byNode, node)
	}
}

// countersChanged finds out whether the name of a pool with counters is entangled.
func (x *poolIndex) countersChanged(p *pool) {
	name := p.id.Pool
	same := slices.DeleteFunc(x.counters[name], func(other *pool) bool { return other == p })
	if p.counters {
		same = append(same, p)
	}
	if x.counters[name] = same; len(same) == 0 {
		delete(x.counters, name)
	}
	if delete(x.entangled, name); entangled(same) {
		x.entangled[name] = true
	}
}
