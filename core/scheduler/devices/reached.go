package devices

import (
	"cmp"
	"encoding/binary"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"orrery/core/scheduler/devices/allocate"
)

// ReachKey tells nodes apart by the slices that they reach. Nodes with the same key get the same allocations.
type ReachKey struct {
	node     uint32 // 0 if no slice names the node, and no allocation would
	selected uint32 // which node selectors of slices and devices match
}

// Reached is what of the pools a node reaches. As long as Changed stays the same, so does what an allocator finds there for
// the same requests and classes.
type Reached struct {
	Key     ReachKey
	Changed uint64
}

// Shared reports whether every node with the key reaches the same devices, and no other ones.
func (k ReachKey) Shared() bool { return k.node == 0 }

// Selected is the number of the node selectors that match, which tells apart nodes with shared keys.
func (k ReachKey) Selected() uint32 { return k.selected }

// ReachChanges returns the nodes of which what they reach changed since an earlier call returned since, and what to pass to the next
// call. A change of what nodes with a shared key reach is none. If known is false, as at the first call, with 0, any may have changed.
func (s *State) ReachChanges(since uint64) (nodes []string, now uint64, known bool) {
	return s.pools().log.Since(since)
}

// Reached returns what a node reaches.
func (s *State) Reached(node *v1.Node) Reached {
	x := s.pools()
	reached := Reached{Changed: x.wide.changed}
	reached.Key.selected = x.wide.selectionOf(node)
	own := x.byNode[node.Name]
	if own == nil && x.wide.read().binds {
		own = x.addNode(node.Name)
	}
	if own != nil {
		reached.Key.node, reached.Changed = own.number, max(reached.Changed, own.changed)
		for _, p := range own.pools {
			reached.Changed = max(reached.Changed, p.changed)
		}
	}
	return reached
}

// SlicesFor returns all slices of the pools that a node reaches, by name, as an allocator needs them.
func (s *State) SlicesFor(node string) []*allocate.Slice {
	x := s.pools()
	wide, own := x.wide.read().slices, x.byNode[node]
	if own == nil {
		return wide
	}
	all := slices.Clip(wide)
	for _, p := range own.pools {
		if !p.wide {
			all = append(all, p.prepared()...)
		}
	}
	slices.SortFunc(all, byName)
	return all
}

// PreparedSlices returns all slices by name, as an allocator needs them.
func (s *State) PreparedSlices() []*allocate.Slice {
	var all []*allocate.Slice
	for _, p := range s.pools().byID {
		all = append(all, p.prepared()...)
	}
	slices.SortFunc(all, byName)
	return all
}

// Entangled reports whether what an allocator with partitionable devices finds on a node may depend on the nodes that it
// looked at before.
func (s *State) Entangled() bool { return len(s.pools().entangled) > 0 }

func byName(a, b *allocate.Slice) int { return cmp.Compare(a.Name, b.Name) }

// widePools are the pools that nodes may reach without being named.
type widePools struct {
	pools    map[allocate.PoolID]*pool
	changed  uint64
	contents *wideContents // nil if it has to be read anew
}

// wideContents are the slices of wide pools by name, and the node selectors that they have. Which of these match is kept for
// each node.
type wideContents struct {
	slices    []*allocate.Slice
	binds     bool
	selectors []*nodeaffinity.NodeSelector // each once; none that is invalid, since the allocator fails then
	selected  map[string]selection         // by node
	numbers   map[string]uint32            // of selections, by the selectors that match
}

// selection is the number of the selectors that match a node.
type selection struct {
	node   *v1.Node
	number uint32
}

func newWidePools() widePools { return widePools{pools: map[allocate.PoolID]*pool{}} }

// slicesChanged takes in a pool that is or was wide, and reports whether it does.
func (w *widePools) slicesChanged(p *pool, before bool) bool {
	if before || p.wide {
		w.contents = nil
	}
	if delete(w.pools, p.id); p.wide {
		w.pools[p.id] = p
	}
	return before || p.wide
}

func (w *widePools) read() *wideContents {
	if w.contents != nil {
		return w.contents
	}
	c := &wideContents{selected: map[string]selection{}, numbers: map[string]uint32{}}
	for _, p := range w.pools {
		c.slices = append(c.slices, p.prepared()...)
		c.binds = c.binds || p.binds
	}
	slices.SortFunc(c.slices, byName)
	known := map[string]bool{}
	for _, slice := range c.slices {
		c.add(slice.Spec.NodeSelector, known)
		for i := range slice.Spec.Devices {
			c.add(slice.Spec.Devices[i].NodeSelector, known)
		}
	}
	w.contents = c
	return c
}

func (c *wideContents) add(selector *v1.NodeSelector, known map[string]bool) {
	if selector == nil || known[selector.String()] {
		return
	}
	known[selector.String()] = true
	if compiled, err := nodeaffinity.NewNodeSelector(selector); err == nil {
		c.selectors = append(c.selectors, compiled)
	}
}

func (w *widePools) selectionOf(node *v1.Node) uint32 {
	c := w.read()
	if len(c.selectors) == 0 {
		return 0
	}
	if known, ok := c.selected[node.Name]; ok && known.node == node {
		return known.number
	}
	var matches []byte
	for i, selector := range c.selectors {
		if selector.Match(node) {
			matches = binary.AppendUvarint(matches, uint64(i))
		}
	}
	number, known := c.numbers[string(matches)]
	if !known {
		number = uint32(len(c.numbers))
		c.numbers[string(matches)] = number
	}
	c.selected[node.Name] = selection{node, number}
	return number
}

// forgetNode drops what is kept about a node that was deleted.
func (x *poolIndex) forgetNode(name string) {
	if own := x.byNode[name]; own != nil && len(own.pools) == 0 {
		delete(x.byNode, name)
	}
	if c := x.wide.contents; c != nil {
		delete(c.selected, name)
	}
}
