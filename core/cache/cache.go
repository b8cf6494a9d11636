package cache

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
)

// Cache is what the scheduler believes the cluster to be: the pods that are bound, the pods it has decided to bind
// (assumed), and the nodes with the sums over their pods.
type Cache struct {
	accounting Accounting

	entries    map[string]*entry // by node name, ghosts included
	newest     *entry            // front of the list of entries
	generation int64

	tree       *tree
	treeShared bool // a fork reads the same tree
	images     imageTable

	pods    podTable        // bound and assumed
	assumed map[string]bool // UID of every assumed pod → its binding has finished
}

// New is an empty cache that adds up requests as Kubernetes 1.35 does by default.
func New() *Cache { return NewWith(Accounting{}) }

// NewWith is an empty cache with other rules for adding up requests.
func NewWith(a Accounting) *Cache {
	return &Cache{
		accounting: a,
		entries:    map[string]*entry{},
		tree:       newTree(),
		images:     newImageTable(),
		assumed:    map[string]bool{},
	}
}

// NodeCount is how many nodes the cache has an entry for, ghosts included.
func (c *Cache) NodeCount() int { return len(c.entries) }

// PodCount is how many pods are bound or assumed, those of deleted nodes included.
func (c *Cache) PodCount() int { return c.pods.count }

// Generation is the stamp of the latest change.
func (c *Cache) Generation() int64 { return c.generation }

// Dump is a full copy for whoever debugs the cache.
type Dump struct {
	AssumedPods sets.Set[string] // UIDs
	Nodes       map[string]*NodeInfo
}

// Dump copies everything; it is not for hot paths.
func (c *Cache) Dump() *Dump {
	d := &Dump{AssumedPods: sets.KeySet(c.assumed), Nodes: make(map[string]*NodeInfo, len(c.entries))}
	for name, e := range c.entries {
		d.Nodes[name] = c.current(e).Copy()
	}
	return d
}

// AssumedPod is a decision that the cluster has not confirmed yet.
type AssumedPod struct {
	UID, Namespace, Name string
	Node                 string
	BindingFinished      bool // the API server has answered; only the pod's own event is still missing
}

// Assumed are the assumed pods by namespace, name and UID.
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

// AssumedCount is how many pods are assumed.
func (c *Cache) AssumedCount() int { return len(c.assumed) }

// Recent goes through the nodes from the most to the least recently changed; a node that is gone but still has pods
// is among them, with a nil Node. The NodeInfos are the cache's own: read them before the cache changes, or Copy them.
func (c *Cache) Recent() iter.Seq[*NodeInfo] {
	return func(yield func(*NodeInfo) bool) {
		for e := c.newest; e != nil; e = e.older {
			if !yield(c.current(e)) {
				return
			}
		}
	}
}

// Zone is one group of the round robin.
type Zone struct {
	Region, Name string   // both empty for nodes without either label
	Nodes        []string // in the order in which the round robin takes them
}

// Zones are the zones in the order in which the round robin visits them.
func (c *Cache) Zones() []Zone {
	zones := make([]Zone, len(c.tree.zones))
	for i, z := range c.tree.zones {
		zones[i].Region, zones[i].Name, _ = strings.Cut(z.key, zoneKeySeparator)
		for _, m := range z.nodes {
			zones[i].Nodes = append(zones[i].Nodes, m.name)
		}
	}
	return zones
}
