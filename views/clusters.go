package views

import (
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

var clustersPane = ListPane[ClusterRow]{
	Pane: Pane{
		ID: ClustersPane, Title: "Clusters", AllNamespaces: true, minW: 50, minH: 5,
		borderFact: clustersRight, named: rowNames{Many: "clusters"},
	},
	Columns: clusterColumns, Row: clusterRow, Empty: "no cluster is watched", Absent: "one cluster is watched here", Head: clustersHead, Detail: clusterDetail,
	In:  in(func(m *Model) *Clusters { return m.Clusters }, func(c *Clusters) *List[ClusterRow] { return &c.List }),
	Key: func(r *ClusterRow) string { return r.Key },
}

var clusterColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 11, Max: 13, Grow: 1, Rank: 0},
	{Long: "cluster", Short: "cluster", Min: 14, Grow: 3, Max: 40, Rank: 0},
	{Long: "health", Short: "health", Min: 32, Grow: 12, Max: 110, Rank: 1},
	{Long: "pending", Short: "pend", Min: 7, Rank: 0, Right: true},
	{Long: "by cause", Short: "by cause", Min: 20, Grow: 5, Max: 70, Rank: 3},
	{Long: "agrees", Short: "agrees", Min: 6, Rank: 2, Right: true},
	{Long: "leader", Short: "leader", Min: 12, Grow: 2, Max: 30, Rank: 4},
	{Long: "release", Short: "rel", Min: 7, Rank: 5, Right: true},
}

func clusterRow(row draw.Area, r *ClusterRow, at *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawLook(row, at[0].X, at[0].W, &clusterStyles[r.State])
	row.FitPath(at[1].X, 0, at[1].W, themes.Text.With(themes.Bold), r.Name)
	if !r.State.news() {
		text = dim // what is shown is the last known
	}
	row.Fit(at[2].X, 0, at[2].W, text, r.health(s.now))
	if !r.Read {
		return
	}
	pending := dim
	if r.Pending > 0 {
		pending = text
	}
	row.CountRight(at[3].X, 0, at[3].W, pending, int64(r.Pending))
	row.Fit(at[4].X, 0, at[4].W, text, r.causes())
	if r.Compared > 0 {
		row.TextRight(at[5].X, 0, at[5].W, text, percentText(r.AgreementRate))
	}
	if r.Leader != "" {
		row.FitHost(at[6].X, 0, at[6].W, text, r.Leader)
	} else {
		row.Fit(at[6].X, 0, at[6].W, dim, "none")
	}
	row.TextRight(at[7].X, 0, at[7].W, dim, r.Kubernetes)
}

// health is the cluster's health in words. Without news it says since when.
func (r *ClusterRow) health(now time.Time) string {
	note := r.Note
	if r.More > 0 {
		note += ", and " + counted(r.More, "more trouble")
	}
	if r.Since.IsZero() {
		return note
	}
	span := "for " + wholeSpan(max(now.Sub(r.Since), 0))
	if note == "" {
		return span
	}
	return span + ": " + note
}

// causes lists why pods are pending, the commonest first.
func (r *ClusterRow) causes() string {
	var list []string
	for _, c := range r.Causes {
		list = append(list, count(int(c.Count), briefReason(c.Name)))
	}
	return strings.Join(list, ", ")
}

// clusterDetail is the selected cluster in full.
func clusterDetail(r *ClusterRow) (title, text string) {
	if !r.Read {
		return r.Name, joinDetails(r.State.Word(), r.Note)
	}
	causes := r.causes()
	if r.Counted > 0 && r.Counted < r.Pending {
		causes += " (of the " + count(r.Counted, "pending for the longest") + ")"
	}
	agreement := ""
	if r.Compared > 0 {
		agreement = "agrees " + percentText(r.AgreementRate) + " of " + count(int(r.Compared), "decisions")
	}
	release := "decides as " + r.Kubernetes
	if r.NewerServer != "" {
		release += ", but the API server is newer: " + r.NewerServer
	}
	leader := "no leader"
	if r.Leader != "" {
		leader = "leader " + r.Leader
	}
	return r.Name, joinDetails(r.State.Word(), r.Note, labelled(counted(r.Pending, "pod")+" pending:", causes), agreement, leader, release, countNodes(r.Nodes))
}

func clustersRight(m *Model) string {
	if m.Clusters == nil {
		return ""
	}
	return counted(m.Clusters.List.Total, "cluster")
}

// clustersHead draws how many clusters there are in each state.
func clustersHead(a draw.Area, s *drawCtx) draw.Area {
	const roomy = 10
	if a.H < roomy {
		return a
	}
	y := wrappedCounts(a, 0, 2, "clusters", clusterStyles[:], s.Clusters.Count[:])
	_, rest := a.Top(y + 1)
	return a.In(rest)
}

// drawClustersHealth draws whether all is well in all clusters, or which is the worst.
func drawClustersHealth(a draw.Area, s *drawCtx) {
	c := s.Clusters
	worst := -1
	for i := range c.List.Rows {
		if worst < 0 || c.List.Rows[i].State < c.List.Rows[worst].State {
			worst = i
		}
	}
	if worst < 0 {
		unknownHealth(a, "no cluster is watched")
		return
	}
	r := &c.List.Rows[worst]
	look := &clusterStyles[r.State]
	x := a.Text(1, 0, look.token.With(themes.Bold), string(look.glyph)+" ")
	if r.State == ClusterHealthy {
		x = a.Text(x, 0, look.token.With(themes.Bold), "healthy")
		a.Text(x+3, 0, themes.Style(themes.Dim), counted(c.List.Total, "cluster"))
		return
	}
	x = a.Text(x, 0, look.token.With(themes.Bold), count(c.Count[r.State], "of ")+counted(c.List.Total, "cluster")+" "+look.word)
	x = a.Fit(x, 0, a.W-x-1, themes.Style(look.token), ": "+r.Name+" ")
	a.Fit(x, 0, a.W-x-1, themes.Style(themes.Text), r.health(s.now))
}
