package views_test

import (
	"path/filepath"
	"strings"
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

// TestOverview_NodeInTroubleStandsOnce: a node in trouble that has just changed is in one of the two lists.
func TestOverview_NodeInTroubleStandsOnce(t *testing.T) {
	m := sample(312, 240)
	n := &m.Snapshot.Recent[0]
	n.Name, n.Key, n.Flags = "twice-1", "twice-1", views.NotReady|views.Changed
	m.Snapshot.Troubled = []views.NodeRow{*n}
	for _, s := range []size{{140, 40}, {220, 60}} {
		if plain := screen(m, sampleState(views.Overview), s, draw.Braille).Plain(); strings.Count(plain, "twice-1") != 1 {
			t.Errorf("at %s the node is there %d times:\n%s", s, strings.Count(plain, "twice-1"), plain)
		}
	}
}
