package views

import (
	"strings"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var nodePane = ListPane[NodePod]{
	Pane:    Pane{ID: NodePane, Title: "Node", About: AboutNode, Opens: JourneyPane, minW: 50, minH: 6, named: rowNames{"pods", "on this node"}},
	Columns: nodePodColumns, Row: nodePodRow, Empty: "no pods on this node", Absent: "select a node and press enter", Head: nodeHead,
	Rows: Source.NodePods,
	In:   in(func(m *Model) *NodeDetail { return m.Node }, func(p *NodeDetail) *List[NodePod] { return &p.Pods }),
	Match: func(f *filter.Row, p *NodePod) {
		f.Namespace, f.Name, _ = strings.Cut(p.Key, "/")
		f.Labels, f.Words[0] = p.Labels, podStateSearched[p.State]
	},
	Sorts: []Sort[NodePod]{
		by("name", func(p *NodePod) string { return p.Key }),
		byMost("priority", func(p *NodePod) int32 { return p.Priority }),
		byMost("cpu", func(p *NodePod) int64 { return p.MilliCPU }),
		byMost("memory", func(p *NodePod) int64 { return p.MemoryBytes }),
	},
	Key: func(p *NodePod) string { return p.Key },
	Pod: func(p *NodePod) string { return p.Key },
}

var nodePodColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 9, Grow: 1, Max: 15, Rank: 0},
	{Long: "pod", Short: "pod", Min: 16, Grow: 5, Max: 60, Rank: 0},
	{Long: "priority", Short: "prio", Min: 8, Grow: 1, Max: 13, Rank: 3, Right: true},
	{Long: "cpu", Short: "cpu", Min: 8, Rank: 1, Right: true},
	{Long: "memory", Short: "mem", Min: 8, Rank: 2, Right: true},
	{Long: "affinity, claims", Short: "has", Min: 10, Grow: 1, Max: 20, Rank: 4},
}

// nodeHead draws the node: its resources and facts, and its images beside the pods.
func nodeHead(a draw.Area, s *drawCtx) draw.Area {
	n := s.Node
	x := a.FitHost(0, 0, a.W/2, themes.Title.With(themes.Bold), n.Row.Name)
	r := rowWriter{a: a.Row(0), x: x}
	for _, m := range nodeMarks {
		if n.Row.Flags&m.flag != 0 {
			r.fact(themes.Style(m.token), string(m.glyph), m.word)
		}
	}
	r.fact(themes.Style(themes.Dim), "zone", n.Row.Zone)
	r.fact(themes.Style(themes.Dim), "gen", string(draw.AppendCount(nil, n.Row.Generation)))
	y := 2
	for i := range min(len(n.Resources), max(a.H/3, 1)) {
		resource := &n.Resources[i]
		a.Fit(0, y, 19, themes.Style(themes.Dim), resource.Name)
		drawAmount(a.Row(y), draw.Slot{X: 20, W: min(a.W-20, 100)}, resource.Amount)
		y++
	}
	y = drawFacts(a, y+1, max((a.H-y)/3, 1), n.Facts)
	_, rest := a.Top(y + 1)
	if rest.W >= 110 && !s.preview && len(n.Owners)+len(n.Images) > 0 {
		var side draw.Rect
		side, rest = rest.Right(rest.W * 2 / 5)
		rest, _ = rest.Left(rest.W - 3)
		if len(n.Owners) > 0 {
			var owners draw.Rect
			owners, side = side.Top(min(len(n.Owners)+1, max(side.H*2/3, side.H-len(n.Images)-2)))
			drawOwners(a.In(owners), n.Owners)
			_, side = side.Top(1)
		}
		if len(n.Images) > 0 {
			drawImages(a.In(side), n.Images)
		}
	}
	return a.In(rest)
}

func nodePodRow(row draw.Area, p *NodePod, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawState(row, places[0].X, places[0].W, p.State)
	s.podName(row, places[1], text, p.Name)
	row.CountRight(places[2].X, 0, places[2].W, dim, int64(p.Priority))
	row.TextRight(places[3].X, 0, places[3].W, text, p.CPU)
	row.TextRight(places[4].X, 0, places[4].W, text, p.Memory)
	x, end := places[5].X, places[5].X+places[5].W
	if p.Affine {
		x = row.Fit(x, 0, end-x, dim, "affinity") + 1
	}
	if p.Claims > 0 {
		row.Fit(x, 0, end-x, dim, counted(p.Claims, "claim"))
	}
}

// drawImages draws the images on the node, and how many nodes have each.
func drawImages(a draw.Area, images []NodeImage) {
	drawHeading(a, 0, counted(len(images), "image"))
	dim := themes.Style(themes.Dim)
	for i := range min(len(images), a.H-1) {
		image, row := &images[i], a.Row(i+1)
		row.FitPath(0, 0, a.W-22, themes.Style(themes.Text), image.Name)
		row.TextRight(a.W-21, 0, 6, dim, image.Size)
		if image.Nodes > 0 {
			row.TextRight(a.W-14, 0, 14, dim, "on "+countNodes(image.Nodes))
		}
	}
}
