package cache

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
)

// Cache is the scheduler's view of the cluster: the bound pods, the assumed pods, which it has decided to bind, and the
// nodes with the sums over their pods.
type Cache struct {
	accounting Accounting

	entries    map[string]*entry // by node name, imaginary nodes included
	newest     *entry            // front of the list of entries
	generation int64

	nodeTree       *nodeTree
	nodeTreeShared bool // a fork reads the same tree
	images         imageTable

	pods    podTable        // bound and assumed
	assumed map[string]bool // UID of every assumed pod → its binding has finished
}

// New returns an empty cache with the default Accounting.
func New() *Cache { return NewWithAccounting(Accounting{}) }

// NewWithAccounting returns an empty cache with the given Accounting.
func NewWithAccounting(a Accounting) *Cache {
	return &Cache{
		accounting: a,
		entries:    map[string]*entry{},
		nodeTree:   newNodeTree(),
		images:     newImageTable(),
		assumed:    map[string]bool{},
	}
}

// NodeCount is the number of nodes, including imaginary nodes.
func (c *Cache) NodeCount() int { return len(c.entries) }

// PodCount is the number of bound and assumed pods, including those of deleted nodes.
func (c *Cache) PodCount() int { return c.pods.count }

// Generation is the generation of the latest change.
func (c *Cache) Generation() int64 { return c.generation }

// Dump is a full copy of a cache, for debugging.
type Dump struct {
	AssumedPods sets.Set[string] // UIDs
	Nodes       map[string]*NodeInfo
}

// Dump copies everything; it is not for hot paths.
func (c *Cache) Dump() *Dump {
	d := &Dump{AssumedPods: sets.KeySet(c.assumed), Nodes: make(map[string]*NodeInfo, len(c.entries))}
	for name, e := range c.entries {
		d.Nodes[name] = c.withImageStates(e).Copy()
	}
	return d
}

// AssumedPod is a placed pod that the cluster has not confirmed yet.
type AssumedPod struct {
	UID, Namespace, Name string
	Node                 string
	BindingFinished      bool // the API server has responded; only the pod's own event is missing
}

// Assumed lists the assumed pods by namespace, name and UID.
func (c *Cache) Assumed() []AssumedPod {
	list := make([]AssumedPod, 0, len(c.assumed))
	for _, uid := range slices.Sorted(maps.Keys(c.assumed)) {
		pod := c.pods.get(uid).pod
		list = append(list, AssumedPod{uid, pod.Namespace, pod.Name, pod.Spec.NodeName, c.assumed[uid]})
	}
	slices.SortStableFunc(list, func(a, b AssumedPod) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return list
}

// AssumedCount is the number of assumed pods.
func (c *Cache) AssumedCount() int { return len(c.assumed) }

// RecentlyChanged iterates over the nodes from the most to the least recently changed, including deleted nodes with
// pods, whose Node is nil. The NodeInfos are the cache's own: read them before the cache changes, or Copy them.
func (c *Cache) RecentlyChanged() iter.Seq[*NodeInfo] {
	return func(yield func(*NodeInfo) bool) {
		for e := c.newest; e != nil; e = e.older {
			if !yield(c.withImageStates(e)) {
				return
			}
		}
	}
}

// Node returns a node as it is now; nil if there is none of that name. The NodeInfo is the cache's own, see RecentlyChanged.
func (c *Cache) Node(name string) *NodeInfo {
	if e := c.entries[name]; e != nil && e.info.node != nil {
		return c.withImageStates(e)
	}
	return nil
}

// NodeOrder iterates over the names of the nodes in the order of a refreshed snapshot's list.
func (c *Cache) NodeOrder() iter.Seq[string] {
	return func(yield func(string) bool) {
		for node := range c.nodeTree.all() {
			if !yield(node.name) {
				return
			}
		}
	}
}

// OrderVersion increments whenever the order of the nodes changes.
func (c *Cache) OrderVersion() uint64 { return c.nodeTree.version }

// Zone is one zone of the node tree.
type Zone struct {
	Region, Name string   // both empty for nodes without either label
	Nodes        []string // in round-robin order
}

// Zones lists the zones in round-robin order.
func (c *Cache) Zones() []Zone {
	zones := make([]Zone, len(c.nodeTree.zones))
	for i, z := range c.nodeTree.zones {
		zones[i].Region, zones[i].Name, _ = strings.Cut(z.key, zoneKeySeparator)
		for _, m := range z.nodes {
			zones[i].Nodes = append(zones[i].Nodes, m.name)
		}
	}
	return zones
}

// ZoneSize is how many nodes a zone of the node tree has.
type ZoneSize struct {
	Region, Name string
	Nodes        int
}

// ZoneSizes returns the sizes of the zones, in the order of Zones.
func (c *Cache) ZoneSizes() []ZoneSize {
	sizes := make([]ZoneSize, len(c.nodeTree.zones))
	for i, z := range c.nodeTree.zones {
		sizes[i].Region, sizes[i].Name, _ = strings.Cut(z.key, zoneKeySeparator)
		sizes[i].Nodes = len(z.nodes)
	}
	return sizes
}
