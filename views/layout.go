package views

import "orrery/views/draw"

// The smallest usable screen, and the smallest on which every pane of the overview has a box.
const (
	MinWidth, MinHeight   = 60, 16
	wideWidth, wideHeight = 120, 25
)

// bands are the parts of the screen, from the top to the bottom.
type bands struct{ head, health, body, caption, timeline, foot draw.Rect }

// divide divides a screen: what a model does not have takes no room.
func divide(r draw.Rect, m *Model) bands {
	var b bands
	height := r.H
	b.head, r = r.Top(1)
	b.health, r = r.Top(1)
	b.foot, r = r.Bottom(1)
	if t := m.Timeline; t != nil {
		b.timeline, r = r.Bottom(1)
		if t.captioned() && height >= captionHeight { // under the health: what happens explains what is wrong
			b.caption, r = r.Top(1)
		}
	}
	b.body = r
	return b
}

// Body returns the part of a screen that is left for the panes.
func Body(r draw.Rect, m *Model) draw.Rect { return divide(r, m).body }

// Stacked reports whether the overview has no room for its panes side by side, so that they follow each other.
func Stacked(body draw.Rect) bool { return body.W < wideWidth || body.H < wideHeight }

// Spot is the place of a pane in the overview. A strip is one line without a border.
type Spot struct {
	Pane  PaneID
	Rect  draw.Rect
	Strip bool
}

// Empty are the panes of the overview that have nothing to say: they take a line where there is room for boxes.
type Empty struct{ Evictions, Leader bool }

// emptyPanes returns which panes have nothing to say.
func (m *Model) emptyPanes() Empty {
	hidden := func(id PaneID) bool { return m.Forbidden[id] != "" }
	return Empty{
		Evictions: !hidden(EvictionsPane) && m.Evictions != nil && m.Evictions.List.Total == 0,
		Leader:    !hidden(LeaderPane) && m.Leader != nil && m.Leader.Holder == "" && len(m.Leader.History)+len(m.Leader.Candidates)+len(m.Leader.Others) == 0,
	}
}

// LayoutOf is the layout of a model's overview.
func LayoutOf(r draw.Rect, m *Model) [5]Spot { return Layout(r, m.emptyPanes()) }

// Layout divides a rectangle among the five panes of the overview. The spots tile it.
func Layout(r draw.Rect, empty Empty) [5]Spot {
	switch {
	case !Stacked(r):
		return wide(r, empty)
	case r.W >= 80 && r.H >= 18:
		return compact(r)
	}
	return narrow(r)
}

// wide gives every pane with something to say a box: queue and snapshot above, zones, evictions and leader below.
func wide(r draw.Rect, empty Empty) [5]Spot {
	var evictions, leader draw.Rect
	if empty.Evictions {
		evictions, r = r.Bottom(1)
	}
	if empty.Leader {
		leader, r = r.Bottom(1)
	}
	share := 11 // of twenty
	if empty.Evictions && empty.Leader {
		share = 13
	}
	top, bottom := r.Top((r.H*share + 10) / 20)
	queue, snapshot := top.Left(max(r.W*46/100, 60))
	zones := bottom
	switch {
	case !empty.Evictions && !empty.Leader:
		var rest draw.Rect
		zones, rest = bottom.Left(r.W * 34 / 100)
		evictions, leader = rest.Left(rest.W * 60 / 100)
	case !empty.Evictions:
		zones, evictions = bottom.Left(r.W * 46 / 100)
	case !empty.Leader:
		zones, leader = bottom.Left(max(r.W*46/100, 60))
	}
	return [5]Spot{
		{Pane: QueuePane, Rect: queue},
		{Pane: SnapshotPane, Rect: snapshot},
		{Pane: ZonesPane, Rect: zones},
		{Pane: EvictionsPane, Rect: evictions, Strip: empty.Evictions},
		{Pane: LeaderPane, Rect: leader, Strip: empty.Leader},
	}
}

// compact gives queue, snapshot and evictions a box, and zones and leader a line.
func compact(r draw.Rect) [5]Spot {
	boxes, strips := r.Top(r.H - 2)
	queue, lower := boxes.Top((boxes.H + 1) / 2)
	snapshot, evictions := lower.Left(r.W / 2)
	zones, leader := strips.Top(1)
	return [5]Spot{
		{Pane: QueuePane, Rect: queue},
		{Pane: SnapshotPane, Rect: snapshot},
		{Pane: ZonesPane, Rect: zones, Strip: true},
		{Pane: EvictionsPane, Rect: evictions},
		{Pane: LeaderPane, Rect: leader, Strip: true},
	}
}

// narrow gives only the queue a box.
func narrow(r draw.Rect) [5]Spot {
	queue, rest := r.Top(r.H - 4)
	spots := [5]Spot{{Pane: QueuePane, Rect: queue}}
	for i, id := range []PaneID{SnapshotPane, ZonesPane, EvictionsPane, LeaderPane} {
		var line draw.Rect
		line, rest = rest.Top(1)
		spots[i+1] = Spot{Pane: id, Rect: line, Strip: true}
	}
	return spots
}
