package reuse

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Results are what is known of single nodes for one signature, where tables do not reach: on nodes with nominated pods, and
// without some of their pods. A result holds for a generation of its node, and for the same nominated pods.
type Results struct {
	store  *ResultStore
	key    string
	used   uint64 // when, counted in finds of the store
	bytes  int
	byNode map[fwk.NodeInfo]*result // a node of a snapshot keeps its address
}

type result struct {
	generation int64
	nominated  []*v1.Pod
	value      any
	bytes      int
}

// What a result takes beside its value and its nominated pods, and a signature beside its results, is about this.
const (
	resultBytes  = 160
	resultsBytes = 256
)

// Find returns what was kept for a node as it is, with these nominated pods; nil if there is nothing.
func (r *Results) Find(node fwk.NodeInfo, nominated []*v1.Pod) any {
	known := r.byNode[node]
	if known == nil || known.generation != node.GetGeneration() || !slices.Equal(known.nominated, nominated) {
		return nil
	}
	r.store.stats.Reused++
	return known.value
}

// Keep keeps a value, which takes so many bytes, in place of what was kept for the node. It keeps none for a node that was
// changed outside of a cache.
func (r *Results) Keep(node fwk.NodeInfo, nominated []*v1.Pod, value any, bytes int) {
	generation := node.GetGeneration()
	if generation <= 0 || r.store.tables[r.key] != r {
		return
	}
	known := r.byNode[node]
	if known == nil {
		known = &result{}
		r.byNode[node] = known
	}
	bytes += resultBytes + 8*len(nominated)
	r.store.stats.Computed++
	r.store.stats.Bytes += bytes - known.bytes
	r.bytes += bytes - known.bytes
	*known = result{generation, slices.Clone(nominated), value, bytes}
	r.store.makeRoom(r)
}

// ResultStore has the results of all signatures of one profile.
type ResultStore struct {
	limit  int // bytes
	finds  uint64
	tables map[string]*Results
	stats  Stats
}

// NewResultStore makes a store that takes about so many bytes at most; the results in use may take more.
func NewResultStore(limit int) *ResultStore {
	return &ResultStore{limit: limit, tables: map[string]*Results{}}
}

// Stats returns the counts.
func (s *ResultStore) Stats() Stats { return s.stats }

// Find returns the results for a signature, in a cluster of so many nodes. Results of nodes that left are dropped with all others
// of the signature, once there are more of them than of nodes.
func (s *ResultStore) Find(signature Signature, nodes int) *Results {
	r := s.tables[string(signature)]
	if r == nil {
		r = &Results{store: s, key: string(signature)}
		s.tables[r.key] = r
		s.stats.Tables++
		s.empty(r)
	}
	if len(r.byNode) > 2*nodes {
		s.empty(r)
	}
	s.finds++
	r.used = s.finds
	s.makeRoom(r)
	return r
}

func (s *ResultStore) empty(r *Results) {
	r.byNode = map[fwk.NodeInfo]*result{}
	s.stats.Bytes -= r.bytes
	r.bytes = resultsBytes + len(r.key)
	s.stats.Bytes += r.bytes
}

// makeRoom drops the results of signatures that were not used for the longest time.
func (s *ResultStore) makeRoom(inUse *Results) {
	for s.stats.Bytes > s.limit && len(s.tables) > 1 {
		oldest := inUse
		for _, r := range s.tables {
			if r.used < oldest.used {
				oldest = r
			}
		}
		if oldest == inUse {
			return
		}
		delete(s.tables, oldest.key)
		s.stats.Bytes -= oldest.bytes
		s.stats.Tables--
		s.stats.Evicted++
	}
}
