package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

// NodesPane lists the nodes as kubectl does.
const NodesPane PaneID = "nodes"

var nodesPane = ListPane[NodeRow]{
	Pane: Pane{ID: NodesPane, Title: "Nodes", Help: "all nodes: status, zone, what is allocated, taints", Opens: NodePane, minW: 50, minH: 4, named: rowNames{Many: "nodes"}},
	Columns: []draw.Column{
		{Long: "node", Short: "node", Min: 14, Grow: 4, Max: 44, Rank: 0},
		{Long: "status", Short: "status", Min: 10, Grow: 1, Max: 28, Rank: 0},
		{Long: "zone", Short: "zone", Min: 8, Grow: 1, Max: 18, Rank: 3},
		{Long: "pods", Short: "pods", Min: 7, Rank: 2, Right: true},
		{Long: "cpu", Short: "cpu", Min: 5, Rank: 1, Right: true},
		{Long: "memory", Short: "mem", Min: 6, Rank: 1, Right: true},
		{Long: "taints", Short: "taints", Min: 12, Grow: 5, Rank: 4},
	},
	Row: nodesRow, Empty: "there are no nodes",
	Detail: func(n *NodeRow) (string, string) {
		return n.Name, joinDetails(nodeStatus(n), labelled("zone", n.Zone), "cpu "+n.CPU.Used+" of "+n.CPU.Most, "memory "+n.Memory.Used+" of "+n.Memory.Most,
			labelled("taints", n.Taints))
	},
	Rows: Source.Nodes,
	Match: func(f *filter.Row, n *NodeRow) {
		f.Name, f.Labels, f.Words = n.Key, n.Labels, [4]string{n.Zone, nodeStatus(n) + " " + string(statusSign(n)), n.Taints}
	},
	Sorts: append([]Sort[NodeRow]{by("status", nodeStatus)}, nodeSorts...),
	Key:   nodeKey, Node: nodeKey,
}

// nodeStatus returns a node's status as kubectl prints it.
func nodeStatus(n *NodeRow) string {
	status := "Ready"
	if n.Flags&NotReady != 0 {
		status = "NotReady"
	}
	if n.Flags&Cordoned != 0 {
		status += ",SchedulingDisabled"
	}
	if n.Flags&Pressed != 0 {
		status += ",Pressure"
	}
	return status
}

func statusLook(n *NodeRow) (rune, themes.Token) {
	switch {
	case n.Flags&NotReady != 0:
		return '✗', themes.Bad
	case n.Flags&(Cordoned|Pressed) != 0:
		return '⊘', themes.Warn
	}
	return '✓', themes.Good
}

func statusSign(n *NodeRow) rune {
	sign, _ := statusLook(n)
	return sign
}

func nodesRow(row draw.Area, n *NodeRow, at *draw.Slots, _ *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	glyph, token := statusLook(n)
	row.FitHost(at[0].X, 0, at[0].W, text, n.Name)
	row.Set(at[1].X, 0, themes.Style(token), glyph)
	row.Fit(at[1].X+2, 0, at[1].W-2, themes.Style(token), nodeStatus(n))
	row.Fit(at[2].X, 0, at[2].W, dim, n.Zone)
	row.TextRight(at[3].X, 0, at[3].W, text, n.Pods.Used+"/"+n.Pods.Most)
	row.PercentRight(at[4].X, 0, at[4].W, themes.Style(themes.Heat(n.CPU.Fraction)), n.CPU.Fraction)
	row.PercentRight(at[5].X, 0, at[5].W, themes.Style(themes.Heat(n.Memory.Fraction)), n.Memory.Fraction)
	row.Fit(at[6].X, 0, at[6].W, dim, n.Taints)
}
