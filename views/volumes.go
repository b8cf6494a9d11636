package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var volumesPane = ListPane[VolumeRow]{
	Pane: Pane{
		ID: VolumesPane, named: rowNames{Many: "volumes"}, Title: "Volumes", Help: "persistent volumes, the troubled ones first", Opens: JourneyPane,
		Describes: "PersistentVolume", AllNamespaces: true, minW: 50, minH: 5, borderFact: storageRight,
	},
	Columns: volumeColumns, Row: volumeRow, Empty: "there are no volumes", Absent: "storage has not been read yet", Head: volumesHead,
	Detail: func(v *VolumeRow) (string, string) {
		return v.Name, joinDetails(v.State.Word(), labelled("attached to", v.Attached), labelled("size", v.Size), labelled("class", v.Class), v.Place, labelled("claim", v.Claim),
			labelled("reclaim policy", v.Policy))
	},
	Rows: Source.Volumes,
	In:   in(func(m *Model) *Storage { return m.Storage }, func(p *Storage) *List[VolumeRow] { return &p.VolumeList }),
	Match: func(f *filter.Row, v *VolumeRow) {
		f.Name, f.Labels, f.Words = v.Key, v.Labels, [4]string{v.State.style().searched(), v.Class, v.Claim, v.Place}
	},
	Sorts: []Sort[VolumeRow]{
		by("name", func(v *VolumeRow) string { return v.Key }),
		by("class", func(v *VolumeRow) string { return v.Class }),
		byMost("size", func(v *VolumeRow) int64 { return v.Bytes }),
		by("claim", func(v *VolumeRow) string { return v.Claim }),
	},
	Key: func(v *VolumeRow) string { return v.Key },
	Pod: func(v *VolumeRow) string { return v.PodKey },
}

var volumeColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 9, Grow: 1, Max: 13, Rank: 0},
	{Long: "volume", Short: "volume", Min: 14, Grow: 4, Max: 44, Rank: 0},
	{Long: "since", Short: "since", Min: 5, Rank: 5, Right: true},
	{Long: "size", Short: "size", Min: 6, Rank: 2, Right: true},
	{Long: "class", Short: "class", Min: 8, Grow: 1, Max: 18, Rank: 4},
	{Long: "where", Short: "where", Min: 10, Grow: 1, Max: 24, Rank: 3},
	{Long: "claim", Short: "claim", Min: 14, Grow: 4, Max: 40, Rank: 1},
	{Long: "reclaim", Short: "reclaim", Min: 7, Rank: 6},
	{Long: "attached to", Short: "attached to", Min: 18, Grow: 8, Rank: 1},
}

// volumesHead draws the counts.
func volumesHead(a draw.Area, s *drawCtx) draw.Area {
	stateCounts(a.Row(0), "volumes", volumeStyles[:], s.Storage.Volumes[:]).fact(themes.Style(themes.Text), s.Storage.Size, "in all")
	_, rest := a.Top(2)
	return a.In(rest)
}

func volumeRow(row draw.Area, v *VolumeRow, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawLook(row, places[0].X, places[0].W, v.State.style())
	row.FitHost(places[1].X, 0, places[1].W, text, v.Name)
	drawSince(row, places[2], v.Since, s.now)
	row.TextRight(places[3].X, 0, places[3].W, text, v.Size)
	row.Fit(places[4].X, 0, places[4].W, dim, v.Class)
	row.Fit(places[5].X, 0, places[5].W, dim, whereText(v.Place))
	s.podName(row, places[6], text, v.Claim)
	row.Fit(places[7].X, 0, places[7].W, dim, v.Policy)
	attached := dim
	if v.State == VolumeStuck {
		attached = themes.Style(themes.Bad)
	}
	row.Fit(places[8].X, 0, places[8].W, attached, v.Attached)
}
