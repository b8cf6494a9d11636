package cache

import (
	"iter"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// View is a read-only cache.
type View interface {
	NodeCount() int
	PodCount() int
	AssumedCount() int
	Generation() int64
	RecentlyChanged() iter.Seq[*NodeInfo]
	Node(name string) *NodeInfo
	NodeOrder() iter.Seq[string]
	OrderVersion() uint64
	GetPod(pod *v1.Pod) (*v1.Pod, error)
	Assumed() []AssumedPod
	Zones() []Zone
	ZoneSizes() []ZoneSize
	Dump() *Dump
}

// SnapshotView is a read-only snapshot.
type SnapshotView interface {
	fwk.SharedLister
	fwk.NodeInfoLister
	NumNodes() int
	Generation() int64
	Changed() []Change
	OrderVersion() uint64
}

var (
	_ View         = (*Cache)(nil)
	_ SnapshotView = (*Snapshot)(nil)
)
