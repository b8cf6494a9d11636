package views

import (
	"cmp"
	"time"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

// PodsPane lists all pods, pending and bound, as kubectl does.
const PodsPane PaneID = "pods"

// ClusterPod is one pod of the cluster.
type ClusterPod struct {
	Name, Key   string
	State       PodState
	Priority    int32
	CPU, Memory string
	Created     time.Time
	// Node is the node that the pod is on or was placed on, Reason why it is on none.
	Node, NodeKey, Reason string
	// The remaining fields are for filters and orders. The last two are not printable, and only brief rows have them.
	MilliCPU, MemoryBytes int64
	Labels                map[string]string
	Gang                  string
	Namespace, PodName    string
}

var podsPane = ListPane[ClusterPod]{
	Pane: Pane{
		ID: PodsPane, Title: "Pods", Help: "all pods: where they are, or why they are on no node", Opens: JourneyPane, minW: 50, minH: 4,
		borderFact: podsRight, named: rowNames{Many: "pods"},
	},
	Columns: []draw.Column{
		{Long: "state", Short: "state", Min: 9, Grow: 1, Max: 15, Rank: 0},
		{Long: "pod", Short: "pod", Min: 17, Grow: 5, Max: 60, Rank: 0},
		{Long: "priority", Short: "prio", Min: 8, Rank: 5, Right: true},
		{Long: "cpu", Short: "cpu", Min: 6, Rank: 3, Right: true},
		{Long: "memory", Short: "mem", Min: 6, Rank: 4, Right: true},
		{Long: "age", Short: "age", Min: 4, Rank: 2, Right: true},
		{Long: "node, or reason", Short: "node or reason", Min: 20, Grow: 6, Rank: 1},
	},
	Row: clusterPodRow, Empty: "there are no pods",
	Detail: func(p *ClusterPod) (string, string) {
		return p.Name, joinDetails(p.State.Word(), labelled("on", p.Node), p.Reason, labelled("requests cpu", p.CPU), labelled("memory", p.Memory))
	},
	Rows: Source.AllPods,
	Match: func(f *filter.Row, p *ClusterPod) {
		f.Namespace, f.Name = p.Namespace, p.PodName
		f.Labels, f.Gang, f.Words = p.Labels, p.Gang, [4]string{podStateSearched[p.State], p.NodeKey, p.Reason}
	},
	Sorts: []Sort[ClusterPod]{
		{"state", func(a, b *ClusterPod) int { return cmp.Compare(podStateOrder[a.State], podStateOrder[b.State]) }},
		by("node", func(p *ClusterPod) string { return p.NodeKey }),
		byMost("priority", func(p *ClusterPod) int32 { return p.Priority }),
		byMost("cpu", func(p *ClusterPod) int64 { return p.MilliCPU }),
		byMost("memory", func(p *ClusterPod) int64 { return p.MemoryBytes }),
		byMost("age", func(p *ClusterPod) int64 { return -p.Created.UnixMicro() }),
	},
	Key:  func(p *ClusterPod) string { return p.Key },
	Pod:  func(p *ClusterPod) string { return p.Key },
	Node: func(p *ClusterPod) string { return p.NodeKey },
}

// podStateOrder is the order by state: the states in which a pod is stuck come first.
var podStateOrder = [podStates]int{
	Unschedulable: 0, Backoff: 1, Gated: 2, Nominated: 3, Active: 4, Decided: 5, InFlight: 6, Created: 7, Evicted: 8, Terminating: 9, Bound: 10, Deleted: 11,
}

func podsRight(m *Model) string {
	list, _ := m.List.(*List[ClusterPod])
	switch {
	case list == nil:
		return ""
	case m.Filtered != nil:
		return matching(m.Filtered) + counted(m.Filtered.Of, "pod")
	}
	return counted(list.Total, "pod")
}

func clusterPodRow(row draw.Area, p *ClusterPod, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawState(row, places[0].X, places[0].W, p.State)
	s.watchedName(row, places[1], text, p.Name, p.Key)
	row.CountRight(places[2].X, 0, places[2].W, dim, int64(p.Priority))
	row.TextRight(places[3].X, 0, places[3].W, text, p.CPU)
	row.TextRight(places[4].X, 0, places[4].W, text, p.Memory)
	drawSince(row, places[5], p.Created, s.now)
	at := places[6]
	if p.Node == "" {
		drawReason(row, at.X, at.W, dim, p.Reason)
		return
	}
	x := row.FitHost(at.X, 0, at.W, text, p.Node)
	row.Fit(x+2, 0, at.X+at.W-x-2, dim, p.Reason)
}
