package collect

import (
	"iter"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/engine"
)

// nodeSource has the nodes of a table in the order of a search.
type nodeSource interface {
	generation() int64
	orderVersion() uint64
	nodes() iter.Seq[fwk.NodeInfo]
	// node returns one of the nodes. It may be read until the engine has another input.
	node(name string) fwk.NodeInfo
}

// presentNodes are the nodes of an engine's cache: with every pod and every change that the cluster has told of.
type presentNodes struct{ e *engine.Engine }

func (p presentNodes) generation() int64             { return p.e.Cache().Generation() }
func (p presentNodes) orderVersion() uint64          { return p.e.Cache().OrderVersion() }
func (p presentNodes) node(name string) fwk.NodeInfo { return p.e.Cache().Node(name) }

func (p presentNodes) nodes() iter.Seq[fwk.NodeInfo] {
	return func(yield func(fwk.NodeInfo) bool) {
		for name := range p.e.Cache().NodeOrder() {
			if info := p.e.Cache().Node(name); info != nil && !yield(info) {
				return
			}
		}
	}
}

// snapshotNodes are the nodes of an engine's snapshot: as the last scheduling cycle saw them.
type snapshotNodes struct{ e *engine.Engine }

func (s snapshotNodes) generation() int64             { return s.e.Snapshot().Generation() }
func (s snapshotNodes) orderVersion() uint64          { return s.e.Snapshot().OrderVersion() }
func (s snapshotNodes) nodes() iter.Seq[fwk.NodeInfo] { return s.e.Nodes() }

func (s snapshotNodes) node(name string) fwk.NodeInfo {
	info, _ := s.e.Snapshot().NodeInfos().Get(name) // a table asks for nodes of the list only
	return info
}
