package collect

import (
	"orrery/core/usage"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/filter"
)

// Look is what is looked at.
type Look struct {
	Open views.PaneID
	// First is the first row of the open pane's list, Rows how many are on the screen at most, Columns how wide it is.
	First, Rows, Columns int
	// Pod is the pod whose journey or explanation is open, Node the node that is.
	Pod  world.Ref
	Node string
	// Filter narrows the open pane's list, and nil does not. Sort is one of the names that Sorts gives for the pane, empty
	// for the list's own order; Reverse turns the order round. What came of the filter is in the model's Narrowed.
	Filter  *filter.Filter
	Sort    string
	Reverse bool
	// WhatIf and Timeline are made by others, and passed on to the model.
	WhatIf   *views.WhatIf
	Timeline *views.Timeline
	// Usage is what was read of the node that is open; nil where nothing can be read.
	Usage *usage.Reading
}

// window is the rows of a list of total that a look shows.
func (l Look) window(total int) (first, end int) {
	first = min(max(l.First, 0), total)
	return first, min(first+max(l.Rows, 0), total)
}

// plain tells whether the list is to be shown as it is.
func (l Look) plain() bool { return l.Filter == nil && l.Sort == "" && !l.Reverse }
