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
	entry  *Entry[*Results]
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
	r.store.reused++
	return known.value
}

// Keep keeps a value and its size, in place of what was kept for the node. It keeps none for a node that was
// changed outside of a cache.
func (r *Results) Keep(node fwk.NodeInfo, nominated []*v1.Pod, value any, bytes int) {
	generation := node.GetGeneration()
	if generation <= 0 || !r.store.Has(r.entry) {
		return
	}
	known := r.byNode[node]
	if known == nil {
		known = &result{}
		r.byNode[node] = known
	}
	bytes += resultBytes + 8*len(nominated)
	r.store.computed++
	more := bytes - known.bytes
	*known = result{generation, slices.Clone(nominated), value, bytes}
	r.store.Resize(r.entry, r.entry.size+more)
}

// ResultStore has the results of all signatures of one profile.
type ResultStore struct{ counted[*Results] }

// NewResultStore makes a store that takes about limit bytes; the results in use may take more.
func NewResultStore(limit int) *ResultStore { return &ResultStore{newCounted[*Results](limit)} }

// Find returns the results for a signature, in a cluster with that many nodes. Results of nodes that left are dropped with all others
// of the signature, once there are more of them than of nodes.
func (s *ResultStore) Find(signature Signature, nodes int) *Results {
	found := s.Get(signature)
	if found == nil {
		found = s.Add(signature, &Results{store: s})
		found.Value.entry = found
	}
	r := found.Value
	if r.byNode == nil || len(r.byNode) > 2*nodes {
		r.byNode = map[fwk.NodeInfo]*result{}
		s.Resize(found, resultsBytes+len(found.key))
	}
	return r
}
