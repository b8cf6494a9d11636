package tui

import (
	"slices"

	"orrery/views"
	"orrery/views/draw"
)

// worth is what makes a key worth more in a situation than its place in the table: it takes the rank, and the word if there is
// one. The first that holds for a key counts.
type worth struct {
	name string
	when func(*Screen) bool
	rank int
	word string
}

// never is the rank of a key that is not hinted at.
const never = -1

// worths are ordered by situation. A paused recording does nothing until it is played on; a filter or a zoom is what one wants to
// be rid of; a fix asks to be tried; and where a pod waits, one wants to know why before all that could be opened.
var worths = []worth{
	{"pause", (*Screen).atEnd, 1, "play again"},
	{"pause", (*Screen).paused, 1, "play"},
	{"open", func(s *Screen) bool { return s.selectedFix() != nil }, 0, "try it"},
	{"open", func(s *Screen) bool { return s.top().playsWhatIf() }, 1, "its pods"},
	{"orrery", func(s *Screen) bool { return s.top().showsWhatIf() && !s.top().playsWhatIf() }, 1, "play it"},
	{"open", func(s *Screen) bool { return s.top().pane == views.TimelinePane }, 0, "go there"},
	{"open", (*Screen).onClusters, 1, "go in"},
	{"back", func(s *Screen) bool { return s.onOverview() && s.row.key == "" && s.canLeaveCluster() }, 2, "clusters"},
	{"open", func(s *Screen) bool { return s.onOverview() && s.selectedRow() == nil }, 1, "open pane"},
	{"back", func(s *Screen) bool { return s.zoom }, 1, "unzoom"},
	{"back", func(s *Screen) bool { return s.top().list.on() && s.top().page == nil }, 1, "clear filter"},
	{"back", func(s *Screen) bool { return s.top().search != nil }, 1, "end search"},
	{"filter", func(s *Screen) bool { return s.slash() == searchPrompt }, 3, "search"},
	{"filter", func(s *Screen) bool { return s.slash() == deafPrompt }, never, ""},
	{"filter", func(s *Screen) bool { return s.slash() == finderPrompt }, 3, "find"},
	{"find", func(s *Screen) bool { return s.slash() == finderPrompt }, never, ""},
	{"back", func(s *Screen) bool { return len(s.top().marked) > 0 }, 1, "let go"},
	{"whatif", func(s *Screen) bool { return len(s.top().marked) > 0 }, 0, "what-if of all"},
	{"evict", func(s *Screen) bool { return !s.podHasNode() }, never, ""},
	{"cordon", func(s *Screen) bool { return s.top().pane == views.PodsPane }, 8, ""},
	{"drain", func(s *Screen) bool { return s.top().pane == views.PodsPane }, 8, ""},
	{"match", func(s *Screen) bool { return s.top().search != nil }, 1, "next match"},
	{"explain", (*Screen).podWaits, 0, ""},
	{"pressure", (*Screen).onPressedNode, 0, ""},
	{"health", (*Screen).atTrouble, 15, ""},
}

// worthOf returns a key's rank and word now; the key with the lowest rank is shown first and disappears last.
func (s *Screen) worthOf(b *binding) (rank int, word string) {
	for i := range worths {
		if w := &worths[i]; w.name == b.name && w.when(s) {
			if w.word != "" {
				return w.rank, w.word
			}
			return w.rank, b.short
		}
	}
	return b.hint, b.short
}

// hints returns the hints that fit whole into a width, those that are worth the most first.
func (s *Screen) hints(width int) []draw.Hint {
	type rankedHint struct {
		rank int
		hint draw.Hint
	}
	var all []rankedHint
	for i := range bindings {
		if b := &bindings[i]; b.hint > 0 && b.worksOn(s.keyPane()) && b.disabledReason(s) == "" {
			rank, word := s.worthOf(b)
			if rank == never {
				continue
			}
			all = append(all, rankedHint{rank, draw.Hint{Key: b.label, Action: word}})
		}
	}
	slices.SortStableFunc(all, func(a, b rankedHint) int { return a.rank - b.rank })
	const gap, fewest = 3, 3
	need := 0
	hints := make([]draw.Hint, 0, len(all)+1)
	for i, t := range all {
		need += draw.Width(t.hint.Key) + 1 + len(t.hint.Action) + gap
		if i >= fewest && need+len(" ? help") > width {
			break
		}
		hints = append(hints, t.hint)
	}
	if s.keyPane() == views.HelpPane {
		return append(hints, draw.Hint{Key: "?", Action: "a tour"})
	}
	return append(hints, draw.Hint{Key: "?", Action: "help"})
}

// paused reports whether the recording stands still, and atEnd whether it does so at its end.
func (s *Screen) paused() bool { return s.cannotPlay() == "" && !s.frame.Playing }

func (s *Screen) atEnd() bool {
	return s.paused() && !s.frame.Model.Timeline.At.Before(s.frame.Model.Timeline.End)
}

// podWaits reports whether the selected pod has no node: then one wants to know why.
func (s *Screen) podWaits() bool {
	t := s.top()
	switch {
	case s.frame == nil:
		return false
	case s.onOverview():
		r := s.selectedRow()
		return r != nil && r.In == views.QueuePane && r.Opens == views.JourneyPane
	case t.pane == views.JourneyPane:
		j := s.frame.Model.Journey
		return j != nil && (j.State == views.Unschedulable || j.State == views.Backoff)
	}
	return t.pane == views.QueuePane && s.total() > 0
}

// podHasNode reports whether the screen shows that the selected pod is on a node: only then it can be evicted.
func (s *Screen) podHasNode() bool {
	switch t := s.top(); {
	case s.frame == nil:
		return false
	case t.pane == views.JourneyPane:
		j := s.frame.Model.Journey
		return j != nil && j.State == views.Bound
	case t.pane == views.NodePane, t.pane == views.PressurePane:
		return true
	case t.pane == views.PodsPane:
		l := s.list()
		return l.Node != nil && l.Node(t.cursor.Selected) != ""
	}
	return false
}

// onPressedNode reports whether the open node is under pressure.
func (s *Screen) onPressedNode() bool {
	return s.top().pane == views.NodePane && s.frame != nil && s.frame.Model.Node != nil && s.frame.Model.Node.Row.Flags&views.Pressed != 0
}

// atTrouble reports whether the worst trouble is what is open already.
func (s *Screen) atTrouble() bool {
	w := s.worst()
	return w != nil && s.top().pane == w.Pane
}
