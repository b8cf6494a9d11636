package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

var nodePodColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 9, Grow: 1, Most: 15, Rank: 0},
	{Long: "pod", Short: "pod", Min: 16, Grow: 5, Most: 60, Rank: 0},
	{Long: "priority", Short: "prio", Min: 8, Rank: 3, Right: true},
	{Long: "cpu", Short: "cpu", Min: 8, Rank: 1, Right: true},
	{Long: "memory", Short: "mem", Min: 8, Rank: 2, Right: true},
	{Long: "has", Short: "has", Min: 10, Grow: 1, Most: 20, Rank: 4},
}

// drawNode is one node: how full it is, what is particular about it, and the pods on it.
func drawNode(a draw.Area, s *scene) {
	n := s.Node
	if n == nil {
		absent(a, "choose a node, and press enter")
		return
	}
	x := a.FitHost(0, 0, a.W/2, themes.Title.With(themes.Bold), n.Row.Name)
	r := run{a: a.Row(0), x: x}
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
		amount(a.Row(y), draw.Place{X: 20, W: min(a.W-20, 70)}, resource.Amount)
		y++
	}
	y = facts(a, y+1, max((a.H-y)/3, 1), n.Facts)
	_, rest := a.Top(y + 1)
	if rest.W >= 110 && len(n.Images) > 0 {
		var images draw.Rect
		images, rest = rest.Right(rest.W * 2 / 5)
		rest, _ = rest.Left(rest.W - 3)
		drawImages(a.In(images), n.Images)
	}
	table(a.In(rest), s, nodePodColumns, &n.Pods, "no pod is on it", nodePodRow)
}

func nodePodRow(row draw.Area, p *NodePod, places *draw.Columns, _ *scene) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	mark(row, places[0].X, places[0].W, p.State)
	pod(row, places[1], text, p.Name)
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

// drawImages are the images on the node, and on how many nodes each is.
func drawImages(a draw.Area, images []NodeImage) {
	heading(a, 0, counted(len(images), "image"))
	dim := themes.Style(themes.Dim)
	for i := range min(len(images), a.H-1) {
		image, row := &images[i], a.Row(i+1)
		row.FitPath(0, 0, a.W-22, themes.Style(themes.Text), image.Name)
		row.TextRight(a.W-21, 0, 6, dim, image.Size)
		if image.Nodes > 0 {
			row.TextRight(a.W-14, 0, 14, dim, "on "+nodes(image.Nodes))
		}
	}
}
