package framework

import (
	"iter"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// NodeToStatus holds the rejection of each node. Nodes without a status of their own share one.
//
// A search rejects thousands of nodes and few of them are looked up by name. So the statuses are a list in the order of
// their calls, and an index by name is made on the first lookup.
type NodeToStatus struct {
	entries    []nodeStatus
	byName     map[string]int32
	givenBySet int // entries given by Set before the first Append
	absent     *fwk.Status
}

// nodeStatus is a node's status. The search gives the node itself; its name is read when it is asked for.
type nodeStatus struct {
	node   string
	info   fwk.NodeInfo
	status *fwk.Status
}

func (s *nodeStatus) name() string {
	if s.info != nil {
		return s.info.Node().Name
	}
	return s.node
}

// NewNodeToStatus is an empty NodeToStatus with room for a number of nodes. Nodes that are not in it count as
// unschedulable and unresolvable, for no stated reason.
func NewNodeToStatus(room int) *NodeToStatus {
	return &NodeToStatus{
		entries: make([]nodeStatus, 0, room),
		absent:  noStatedReason,
	}
}

// noStatedReason is the status of a node without a stated reason.
var noStatedReason = fwk.NewStatus(fwk.UnschedulableAndUnresolvable)

// Reset empties m and keeps its memory.
func (m *NodeToStatus) Reset() {
	clear(m.entries)
	*m = NodeToStatus{entries: m.entries[:0], absent: noStatedReason}
}

// Clone copies m for another snapshot, whose NodeInfo of a node in returns.
func (m *NodeToStatus) Clone(in func(fwk.NodeInfo) fwk.NodeInfo) *NodeToStatus {
	clone := &NodeToStatus{entries: slices.Clone(m.entries), givenBySet: m.givenBySet, absent: m.absent}
	for i := range clone.entries {
		if info := clone.entries[i].info; info != nil {
			clone.entries[i].info = in(info)
		}
	}
	return clone
}

// Set sets the status of a node.
func (m *NodeToStatus) Set(node string, status *fwk.Status) {
	if i := m.find(node); i >= 0 {
		m.entries[i].status = status
		return
	}
	if m.givenBySet == len(m.entries) {
		m.givenBySet++
	}
	m.add(nodeStatus{node: node, status: status})
}

// Append is Set for a search that visits every node once: it looks for the node only among those with a status from before
// the search.
func (m *NodeToStatus) Append(node fwk.NodeInfo, status *fwk.Status) {
	if m.givenBySet == 0 && m.byName == nil {
		m.entries = append(m.entries, nodeStatus{info: node, status: status})
		return
	}
	for i := range m.givenBySet {
		if m.entries[i].node == node.Node().Name {
			m.entries[i].status = status
			return
		}
	}
	m.add(nodeStatus{info: node, status: status})
}

// Get is the status of a node: its own or the shared one.
func (m *NodeToStatus) Get(node string) *fwk.Status {
	if i := m.find(node); i >= 0 {
		return m.entries[i].status
	}
	return m.absent
}

// Len is the number of nodes with a status of their own.
func (m *NodeToStatus) Len() int { return len(m.entries) }

// AbsentNodesStatus is the status of all nodes without one of their own.
func (m *NodeToStatus) AbsentNodesStatus() *fwk.Status { return m.absent }

// SetAbsentNodesStatus replaces the status of all nodes without one of their own.
func (m *NodeToStatus) SetAbsentNodesStatus(status *fwk.Status) { m.absent = status }

// All goes through the nodes with a status of their own, in the order in which they got it.
func (m *NodeToStatus) All() iter.Seq2[string, *fwk.Status] {
	return func(yield func(string, *fwk.Status) bool) {
		for _, e := range m.entries {
			if !yield(e.name(), e.status) {
				return
			}
		}
	}
}

// NodesForStatusCode lists the nodes whose status, their own or the shared one, has a code. Their order is that of the
// lister when the shared status has the code too, else the order in which they got their statuses. The lister is the one
// that appended nodes came from.
func (m *NodeToStatus) NodesForStatusCode(nodes fwk.NodeInfoLister, code fwk.Code) ([]fwk.NodeInfo, error) {
	var found []fwk.NodeInfo
	if m.absent.Code() != code {
		found = make([]fwk.NodeInfo, 0, m.count(code))
		var same *fwk.Status // neighbours often have one status in common
		for i := range m.entries {
			e := &m.entries[i]
			if (same == nil || e.status != same) && e.status.Code() != code {
				continue
			}
			same = e.status
			if e.info != nil {
				found = append(found, e.info)
			} else if node, err := nodes.Get(e.node); err == nil {
				found = append(found, node)
			}
		}
		return found, nil
	}
	all, err := nodes.List()
	if err != nil || len(m.entries) == 0 {
		return all, err
	}
	for _, node := range all {
		if m.Get(node.Node().Name).Code() == code {
			found = append(found, node)
		}
	}
	return found, nil
}

func (m *NodeToStatus) add(e nodeStatus) {
	if m.byName != nil {
		m.byName[e.name()] = int32(len(m.entries))
	}
	m.entries = append(m.entries, e)
}

// count is how many nodes have a status of their own with a code.
func (m *NodeToStatus) count(code fwk.Code) int {
	n := 0
	var same *fwk.Status
	for i := range m.entries {
		if status := m.entries[i].status; same != nil && status == same || status.Code() == code {
			n, same = n+1, status
		}
	}
	return n
}

// Count adds up for how many of so many nodes each status was given, the shared one included. Neighbours often have one
// status in common, so runs are counted first.
func (m *NodeToStatus) Count(nodes int) map[*fwk.Status]int {
	counts := map[*fwk.Status]int{}
	for i := 0; i < len(m.entries); {
		first, status := i, m.entries[i].status
		for i < len(m.entries) && m.entries[i].status == status {
			i++
		}
		if status != nil {
			counts[status] += i - first
		}
	}
	if rest := nodes - len(m.entries); rest > 0 && m.absent != nil {
		counts[m.absent] += rest
	}
	return counts
}

// find looks through a short list, and makes an index of a long one.
func (m *NodeToStatus) find(node string) int {
	const short = 16
	if m.byName == nil && len(m.entries) <= short {
		for i := range m.entries {
			if m.entries[i].name() == node {
				return i
			}
		}
		return -1
	}
	if m.byName == nil {
		m.byName = make(map[string]int32, len(m.entries))
		for i := range m.entries {
			m.byName[m.entries[i].name()] = int32(i)
		}
	}
	if i, ok := m.byName[node]; ok {
		return int(i)
	}
	return -1
}
