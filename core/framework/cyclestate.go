package framework

import (
	"slices"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// CycleState is what the plugins write down about one pod in one scheduling cycle, and what the framework writes down
// beside them. It is not safe for concurrent use: a binding plugin that runs elsewhere has it to itself meanwhile.
//
// A cycle writes about a dozen keys and reads them for every node, so the entries are searched from first to last. A
// plugin that writes a key per node is served by an index.
type CycleState struct {
	entries []stateEntry
	index   map[fwk.StateKey]int
	room    [10]stateEntry

	recordPluginMetrics bool
	skipFilter          skips
	skipScore           skips
	skipPreBind         skips

	recorder Recorder

	// The Filter plugins of one profile that are left after skipping. They are worked out once, not for every node.
	filters   []*slot[fwk.FilterPlugin]
	filtersOf *Profile
}

type stateEntry struct {
	key  fwk.StateKey
	data fwk.StateData
}

// indexFrom is the number of entries from which on an index is quicker than looking.
const indexFrom = 24

// NewCycleState is an empty state.
func NewCycleState() *CycleState {
	c := &CycleState{}
	c.entries = c.room[:0]
	return c
}

// SetRecorder attaches a recorder to the rest of this cycle; nil takes it away. See [Recorder].
func (c *CycleState) SetRecorder(r Recorder) { c.recorder = r }

// ShouldRecordPluginMetrics tells whether single plugin calls are to be timed in this cycle.
func (c *CycleState) ShouldRecordPluginMetrics() bool { return c != nil && c.recordPluginMetrics }

// SetRecordPluginMetrics decides whether single plugin calls are to be timed in this cycle.
func (c *CycleState) SetRecordPluginMetrics(record bool) { c.recordPluginMetrics = record }

// GetSkipFilterPlugins is the set of plugins whose PreFilter said Skip. Change it with SetSkipFilterPlugins only.
func (c *CycleState) GetSkipFilterPlugins() sets.Set[string] { return c.skipFilter.asSet() }

// SetSkipFilterPlugins replaces the set of plugins whose Filter is not asked.
func (c *CycleState) SetSkipFilterPlugins(plugins sets.Set[string]) {
	c.skipFilter.replace(plugins)
	c.filtersOf = nil
}

// GetSkipScorePlugins is the set of plugins whose PreScore said Skip. Change it with SetSkipScorePlugins only.
func (c *CycleState) GetSkipScorePlugins() sets.Set[string] { return c.skipScore.asSet() }

// SetSkipScorePlugins replaces the set of plugins whose Score is not asked.
func (c *CycleState) SetSkipScorePlugins(plugins sets.Set[string]) { c.skipScore.replace(plugins) }

// GetSkipPreBindPlugins is the set of plugins whose PreBindPreFlight said Skip. Change it with
// SetSkipPreBindPlugins only.
func (c *CycleState) GetSkipPreBindPlugins() sets.Set[string] { return c.skipPreBind.asSet() }

// SetSkipPreBindPlugins replaces the set of plugins whose PreBind is not called.
func (c *CycleState) SetSkipPreBindPlugins(plugins sets.Set[string]) { c.skipPreBind.replace(plugins) }

// Read finds what was written under a key, or fwk.ErrNotFound.
func (c *CycleState) Read(key fwk.StateKey) (fwk.StateData, error) {
	if i := c.find(key); i >= 0 {
		return c.entries[i].data, nil
	}
	return nil, fwk.ErrNotFound
}

// Write keeps data under a key, in place of what was there.
func (c *CycleState) Write(key fwk.StateKey, data fwk.StateData) {
	if i := c.find(key); i >= 0 {
		c.entries[i].data = data
		return
	}
	c.entries = append(c.entries, stateEntry{key, data})
	switch {
	case c.index != nil:
		c.index[key] = len(c.entries) - 1
	case len(c.entries) == indexFrom:
		c.buildIndex()
	}
}

// Delete forgets a key.
func (c *CycleState) Delete(key fwk.StateKey) {
	i := c.find(key)
	if i < 0 {
		return
	}
	c.entries = slices.Delete(c.entries, i, i+1)
	if c.index != nil {
		c.buildIndex()
	}
}

// Clone is a state whose data are clones; no recorder is attached to it.
func (c *CycleState) Clone() fwk.CycleState {
	if c == nil {
		return nil
	}
	clone := NewCycleState()
	if len(c.entries) > len(clone.room) {
		clone.entries = make([]stateEntry, 0, len(c.entries)+1)
	}
	c.CloneTo(clone)
	return clone
}

// CloneTo makes another state, whatever is in it, a clone of this one. It is for those who try out one thing after the
// other.
func (c *CycleState) CloneTo(other *CycleState) {
	other.entries = other.entries[:0]
	for _, e := range c.entries {
		other.entries = append(other.entries, stateEntry{e.key, e.data.Clone()})
	}
	other.index = nil
	if c.index != nil {
		other.buildIndex()
	}
	other.recorder = nil
	other.recordPluginMetrics = c.recordPluginMetrics
	other.skipFilter, other.skipScore, other.skipPreBind = c.skipFilter, c.skipScore, c.skipPreBind
	other.filters, other.filtersOf = c.filters, c.filtersOf
}

func (c *CycleState) find(key fwk.StateKey) int {
	if c.index != nil {
		if i, ok := c.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range c.entries {
		if sameString(c.entries[i].key, key) {
			return i
		}
	}
	for i := range c.entries {
		if c.entries[i].key == key {
			return i
		}
	}
	return -1
}

// sameString tells whether two keys are one string in memory, as the constant is under which a plugin writes and reads.
// Looking for that first halves the time of filtering; keys that are merely equal are found by the second look.
func sameString(a, b fwk.StateKey) bool {
	return len(a) == len(b) && unsafe.StringData(string(a)) == unsafe.StringData(string(b))
}

func (c *CycleState) buildIndex() {
	c.index = make(map[fwk.StateKey]int, 2*len(c.entries))
	for i := range c.entries {
		c.index[c.entries[i].key] = i
	}
}

// skips is a set of a few plugin names, as a list for the framework; the set that the plugin API wants is made when
// somebody asks for it.
type skips struct {
	names []string
	set   sets.Set[string]
	known bool
}

func (s *skips) asSet() sets.Set[string] {
	if s.set == nil && s.known {
		s.set = sets.New(s.names...)
	}
	return s.set
}

func (s *skips) replace(set sets.Set[string]) {
	*s = skips{names: sets.List(set), set: set, known: set != nil}
}

func (s *skips) has(name string) bool { return slices.Contains(s.names, name) }

// skipSet is what skips becomes for a state of another make.
func skipSet(names []string) sets.Set[string] { return sets.New(names...) }

// PodsToActivateKey is where a cycle's state holds its [PodsToActivate].
const PodsToActivateKey fwk.StateKey = "kubernetes.io/pods-to-activate"

// PodsToActivate is where plugins ask for other pods to be tried again, at the end of this pod's scheduling cycle and
// once more at the end of its binding, should both succeed.
type PodsToActivate struct {
	// Map is keyed by namespace/name.
	Map map[string]*v1.Pod
}

// NewPodsToActivate is an empty list of wishes.
func NewPodsToActivate() *PodsToActivate { return &PodsToActivate{Map: map[string]*v1.Pod{}} }

// Clone shares the list: a wish made on a copy of the state is a wish.
func (p *PodsToActivate) Clone() fwk.StateData { return p }
