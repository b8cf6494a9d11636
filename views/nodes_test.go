package views_test

import (
	"path/filepath"
	"testing"

	"orrery/views"
	"orrery/views/draw"
	"orrery/views/filter"
)

// onlyNodes is a source of the sample's nodes.
type onlyNodes struct{ views.Source }

func (onlyNodes) Nodes() views.Rows[views.NodeRow] {
	return views.RowsOf(1, sample(312, 240).Snapshot.List.Rows)
}

// nodesModel is the sample with the nodes that match a query.
func nodesModel(q filter.Query) *views.Model {
	m := sample(312, 240)
	views.PaneOf(views.NodesPane).Collect(m, onlyNodes{}, q, map[views.PaneID]any{})
	return m
}

func TestNodes_Goldens(t *testing.T) {
	for _, s := range goldenSizes {
		t.Run(s.String(), func(t *testing.T) {
			golden(t, filepath.Join("nodes", s.String()), screen(nodesModel(filter.Query{Rows: 60}), sampleState(views.NodesPane), s, draw.Braille).Plain())
		})
	}
}

func TestNodes_FiltersAndSortsByStatus(t *testing.T) {
	f, err := filter.Parse("schedulingdisabled")
	if err != nil {
		t.Fatal(err)
	}
	m := nodesModel(filter.Query{Rows: 60, Filter: f})
	if m.Filtered.Matches == 0 || m.Filtered.Matches == m.Filtered.Of {
		t.Errorf("%d of %d nodes are cordoned", m.Filtered.Matches, m.Filtered.Of)
	}
	rows := views.PaneOf(views.NodesPane).Rows(nodesModel(filter.Query{Rows: 60, Sort: "status", Reverse: true}))
	if rows.Total == 0 || rows.Node == nil || rows.Pod != nil {
		t.Errorf("sorted by status the rows are %+v", rows)
	}
}
