package collect

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/operator/usage"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/draw"
	"orrery/views/filter"
)

// Query selects the content of a model.
type Query struct {
	Open views.PaneID
	// First is the first row of the open pane's list, Rows how many are on the screen at most. Columns is how wide the screen is, and
	// Lines how high; zero if there is none.
	First, Rows, Columns, Lines int
	// Pod is the pod whose journey or explanation is open, Node the node that is.
	Pod  world.PodRef
	Node string
	// Namespace is the only one whose pods the overview and the panes of the queue and of evictions count; empty for all.
	Namespace string
	// Filter filters the open pane's list, if not nil. Sort is one of the pane's orders, empty for the list's own order;
	// Reverse reverses it. The model's Filtered has the result.
	Filter  *filter.Filter
	Sort    string
	Reverse bool
	// WhatIf, Pending, Comparison and Timeline are passed on to the model.
	WhatIf     *views.WhatIf
	Pending    *views.Pending
	Comparison *views.Comparison
	Timeline   *views.Timeline
	// Offsets writes times as offsets from the start of the timeline, if there is one, in place of the time of day.
	Offsets bool
	// Past is where the engine's past can be had; nil if it cannot. AsNow asks for the explanation of a placed pod as it would be
	// placed now.
	Past  Past
	AsNow bool
	// Preview is what is to be seen beside the open pane's list.
	Preview Preview
	// Usage is the last reading of the open node; nil if nothing can be read.
	Usage *usage.Reading
}

// clock writes a time as the lists have it.
func (l *Query) clock(at time.Time) string {
	if l.Offsets && l.Timeline != nil {
		return string(draw.AppendOffset(nil, at.Sub(l.Timeline.Start), 0))
	}
	return at.UTC().Format("15:04:05")
}

// list returns the query of the open pane's list.
func (l Query) list() filter.Query {
	return filter.Query{First: l.First, Rows: l.Rows, Filter: l.Filter, Sort: l.Sort, Reverse: l.Reverse}
}

// Past is an engine's past.
type Past interface {
	// BeforePlacement returns the engine as it was just before a pod was placed, and when that was; nil if that is not recorded.
	BeforePlacement(pod types.UID) (*engine.Engine, time.Time, error)
}
