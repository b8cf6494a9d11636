package collect

import (
	"cmp"

	"orrery/views"
	"orrery/views/filter"
)

// marks are the marks of a timeline that a filter leaves, in the order that was asked for. The timeline itself keeps all of
// them.
func (c *Collector) marks(t *views.Timeline, look Look) *views.Timeline {
	if t == nil || look.plain() {
		return t
	}
	compare := func(a, b int) int { return a - b }
	switch look.Sort {
	case "kind":
		compare = func(a, b int) int { return cmp.Or(cmp.Compare(t.Marks[a].Kind, t.Marks[b].Kind), a-b) }
	case "text":
		compare = func(a, b int) int { return cmp.Or(cmp.Compare(t.Marks[a].Label, t.Marks[b].Label), a-b) }
	}
	places, first, left := c.marksNarrowed.rows(look, list[int]{
		stamp: uint64(len(t.Marks)),
		all: func(into []int) []int {
			for i := range t.Marks {
				into = append(into, i)
			}
			return into
		},
		subject: func(s *filter.Subject, i *int) {
			m := &t.Marks[*i]
			s.Name, s.Words = m.Label, [4]string{m.Kind, m.At.Format("15:04:05")}
		},
		compare: compare,
	})
	c.narrowed = left
	narrowed := *t
	narrowed.Listed = &views.List[views.Mark]{First: first, Total: left.Matches, Rows: make([]views.Mark, len(places))}
	for i, at := range places {
		narrowed.Listed.Rows[i] = t.Marks[at]
	}
	return &narrowed
}
