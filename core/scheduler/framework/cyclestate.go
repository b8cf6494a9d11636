package framework

import (
	"slices"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// CycleState holds the data of plugins and framework about one pod in one scheduling cycle. It is not safe for concurrent
// use: a binding plugin that runs on another goroutine is its only user meanwhile.
//
// A cycle writes about a dozen keys and reads them for every node, so the entries are searched linearly. An index serves
// plugins that write a key per node.
type CycleState struct {
	entries       []stateEntry
	index         map[fwk.StateKey]int
	inlineEntries [10]stateEntry

	recordPluginMetrics bool
	skipFilter          skippedPlugins
	skipScore           skippedPlugins
	skipPreBind         skippedPlugins

	recorder Recorder

	// The Filter plugins of one profile that are not skipped, found once and not for every node.
	filters   []*entry[fwk.FilterPlugin]
	filtersOf *Profile
	// preFiltered is the pod for which the PreFilter plugins wrote this state, if they succeeded.
	preFiltered *v1.Pod
	signed      filterSignature
	// nominated are the verdicts that are kept beside nominated pods, once they were looked for.
	nominated      *reuse.Results
	foundNominated bool
}

type stateEntry struct {
	key  fwk.StateKey
	data fwk.StateData
}

// indexThreshold is the number of entries from which on an index is faster than a linear search.
const indexThreshold = 24

// NewCycleState is an empty state.
func NewCycleState() *CycleState {
	c := &CycleState{}
	c.entries = c.inlineEntries[:0]
	return c
}

// Reset empties the state and keeps its memory for another cycle.
func (c *CycleState) Reset() {
	clear(c.entries)
	*c = CycleState{entries: c.entries[:0]}
}

// SetRecorder attaches a recorder for the rest of this cycle; nil detaches it. See [Recorder].
func (c *CycleState) SetRecorder(r Recorder) { c.recorder = r }

// ShouldRecordPluginMetrics reports whether single plugin calls are timed in this cycle.
func (c *CycleState) ShouldRecordPluginMetrics() bool { return c != nil && c.recordPluginMetrics }

// SetRecordPluginMetrics sets whether single plugin calls are timed in this cycle.
func (c *CycleState) SetRecordPluginMetrics(record bool) { c.recordPluginMetrics = record }

// GetSkipFilterPlugins is the set of plugins whose PreFilter returned Skip. Change it with SetSkipFilterPlugins only.
func (c *CycleState) GetSkipFilterPlugins() sets.Set[string] { return c.skipFilter.asSet() }

// SetSkipFilterPlugins replaces the set of plugins whose Filter is not called.
func (c *CycleState) SetSkipFilterPlugins(plugins sets.Set[string]) {
	c.skipFilter.replace(plugins)
	c.filtersOf = nil
}

// GetSkipScorePlugins is the set of plugins whose PreScore returned Skip. Change it with SetSkipScorePlugins only.
func (c *CycleState) GetSkipScorePlugins() sets.Set[string] { return c.skipScore.asSet() }

// SetSkipScorePlugins replaces the set of plugins whose Score is not called.
func (c *CycleState) SetSkipScorePlugins(plugins sets.Set[string]) { c.skipScore.replace(plugins) }

// GetSkipPreBindPlugins is the set of plugins whose PreBindPreFlight returned Skip. Change it with
// SetSkipPreBindPlugins only.
func (c *CycleState) GetSkipPreBindPlugins() sets.Set[string] { return c.skipPreBind.asSet() }

// SetSkipPreBindPlugins replaces the set of plugins whose PreBind is not called.
func (c *CycleState) SetSkipPreBindPlugins(plugins sets.Set[string]) { c.skipPreBind.replace(plugins) }

// GetParallelPreBindPlugins is empty: which PreBind plugins run beside each other follows from what they are, see [StepwisePreBind].
func (c *CycleState) GetParallelPreBindPlugins() sets.Set[string] { return nil }

// SetParallelPreBindPlugins does nothing.
func (c *CycleState) SetParallelPreBindPlugins(sets.Set[string]) {}

// ShouldSkipAllPostFilterPlugins is false: only the cycle of a pod group leaves them out for its members.
func (c *CycleState) ShouldSkipAllPostFilterPlugins() bool { return false }

// IsPodGroupSchedulingCycle is false, and there is no state of a group or of a placement: each pod has a cycle of its own.
func (c *CycleState) IsPodGroupSchedulingCycle() bool { return false }

// GetPodGroupSchedulingCycle is nil.
func (c *CycleState) GetPodGroupSchedulingCycle() fwk.PodGroupCycleState { return nil }

// GetPlacementCycleState is nil.
func (c *CycleState) GetPlacementCycleState() fwk.PlacementCycleState { return nil }

// Read returns the data of a key, or fwk.ErrNotFound.
func (c *CycleState) Read(key fwk.StateKey) (fwk.StateData, error) {
	if i := c.find(key); i >= 0 {
		return c.entries[i].data, nil
	}
	return nil, fwk.ErrNotFound
}

// Write sets the data of a key.
func (c *CycleState) Write(key fwk.StateKey, data fwk.StateData) {
	if i := c.find(key); i >= 0 {
		c.entries[i].data = data
		return
	}
	c.entries = append(c.entries, stateEntry{key, data})
	switch {
	case c.index != nil:
		c.index[key] = len(c.entries) - 1
	case len(c.entries) == indexThreshold:
		c.buildIndex()
	}
}

// Delete deletes a key.
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

// Clone clones the state and its data; the clone has no recorder.
func (c *CycleState) Clone() fwk.CycleState {
	if c == nil {
		return nil
	}
	clone := NewCycleState()
	if len(c.entries) > len(clone.inlineEntries) {
		clone.entries = make([]stateEntry, 0, len(c.entries)+1)
	}
	c.CloneTo(clone)
	return clone
}

// CloneTo makes another state a clone of this one. It reuses the memory of that state, for repeated dry runs.
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

// sameString reports whether two keys are one string in memory, as for a plugin that reads and writes with one constant.
// Searching for that first halves the time of filtering; a second search finds keys that are merely equal.
func sameString(a, b fwk.StateKey) bool {
	return len(a) == len(b) && unsafe.StringData(string(a)) == unsafe.StringData(string(b))
}

func (c *CycleState) buildIndex() {
	c.index = make(map[fwk.StateKey]int, 2*len(c.entries))
	for i := range c.entries {
		c.index[c.entries[i].key] = i
	}
}

// PodsToActivateKey is the cycle state's key of its [PodsToActivate].
const PodsToActivateKey fwk.StateKey = "kubernetes.io/pods-to-activate"

// PodsToActivate are the pods that plugins want activated when this pod's scheduling cycle succeeds, and again when its
// binding does.
type PodsToActivate struct {
	// Map is keyed by namespace/name.
	Map map[string]*v1.Pod
}

// NewPodsToActivate is an empty list.
func NewPodsToActivate() *PodsToActivate { return &PodsToActivate{Map: map[string]*v1.Pod{}} }

// Clone shares the list, so that pods added to a clone of the state are activated.
func (p *PodsToActivate) Clone() fwk.StateData { return p }
