package views

// Source provides the rows of lists.
type Source interface {
	// Pods are the queue's, AllPods the cluster's.
	Pods() Rows[PodRow]
	AllPods() Rows[ClusterPod]
	// Nodes are as they are, SnapshotNodes as the last scheduling cycle saw them.
	Nodes() Rows[NodeRow]
	SnapshotNodes() Rows[NodeRow]
	Evictions() Rows[Eviction]
	Decisions() Rows[DecisionRow]
	Plugins() Rows[PluginRow]
	// Matrix is of the open pod; NodePods and PressurePods are of the open node.
	Matrix() Rows[MatrixRow]
	NodePods() Rows[NodePod]
	PressurePods() Rows[PressurePod]
	Marks() Rows[Mark]
	Claims() Rows[ClaimRow]
	Volumes() Rows[VolumeRow]
	Devices() Rows[DeviceRow]
	DeviceClaims() Rows[DeviceClaimRow]
	Gangs() Rows[GangRow]
	// CompareRows are of the open comparison.
	CompareRows() Rows[CompareRow]
	// Differences are those of a shadow.
	Differences() Rows[Difference]
}

// Rows are the rows of a list.
type Rows[R any] struct {
	// Stamp changes whenever the list may have changed.
	Stamp uint64
	Total int
	// Window returns n rows from index first on, in the list's own order.
	Window func(first, n int) []R
	// All appends every row in the list's own order.
	All func([]R) []R
	// Lazy replaces All if rows are many and costly to make.
	Lazy *LazyRows[R]
}

// LazyRows makes rows one at a time from their objects.
type LazyRows[R any] struct {
	// All appends the objects, and Compare is the list's own order of them.
	All     func([]any) []any
	Compare func(a, b any) int
	// Brief makes as much of a row as filters and orders need, Whole all of it.
	Brief, Whole func(any) R
}

// RowsOf returns rows that exist already.
func RowsOf[R any](stamp uint64, rows []R) Rows[R] {
	return Rows[R]{
		Stamp: stamp, Total: len(rows),
		Window: func(first, n int) []R { return rows[first : first+n] },
		All:    func(into []R) []R { return append(into, rows...) },
	}
}

// RowsAt returns n rows that are made one by one.
func RowsAt[R any](stamp uint64, n int, at func(i int) R) Rows[R] {
	some := func(into []R, first, n int) []R {
		for i := range n {
			into = append(into, at(first+i))
		}
		return into
	}
	return Rows[R]{
		Stamp: stamp, Total: n,
		Window: func(first, n int) []R { return some(make([]R, 0, n), first, n) },
		All:    func(into []R) []R { return some(into, 0, n) },
	}
}
