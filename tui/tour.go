package tui

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// tour is a walk in a few steps through what the screen answers, each at a moment of the recording at which there is something to see.
type tour struct {
	step int
	// asked means that the step's moment was asked for, and due that its frame is the next one: what the step opens depends on it.
	asked, due bool
}

// tourStep is one step: what is asked, what the screen answers, and the keys that lead there.
type tourStep struct {
	question, answer, keys string
	// moment returns the mark at which the step is; nil for where the step before was.
	moment func(*views.Timeline) *views.Mark
	open   func(*Screen) tea.Cmd
}

// tourSteps are in the order in which an operator asks.
var tourSteps = [...]tourStep{
	{
		question: "Is it healthy?", keys: "1", moment: firstTrouble, open: func(s *Screen) tea.Cmd { s.openPane(views.Overview); return nil },
		answer: "The second line says what is wrong, the worst first, and under it a recording tells its story.",
	},
	{
		question: "What is stuck, and why?", keys: "! e", open: (*Screen).tourTrouble,
		answer: "! goes to the worst trouble from anywhere. Of a pod it says the one cause first, then on how many nodes it holds, then each plugin on each node.",
	},
	{
		question: "What would help?", keys: "enter w", open: (*Screen).tourFix,
		answer: "Each fix was tried on a copy of the scheduler. enter on one shows all that it would change, and w tries any other change; nothing here touches a cluster.",
	},
	{
		question: "Who had to go?", keys: "5 { }", moment: firstDeparture, open: func(s *Screen) tea.Cmd { s.openPane(views.EvictionsPane); return nil },
		answer: "Evictions, by whom, why, and counting down. { and } go from one mark of the timeline to the next; [ and ] from one decision to the next.",
	},
	{
		question: "And the whole of it?", keys: "0", moment: lastNote, open: func(s *Screen) tea.Cmd { s.openPane(views.OrreryPane); return nil },
		answer: "Zones are orbits and nodes bodies, as full as they are drawn. Pods come from the left; the hand is the search. ctrl+k finds everything else, and ? lists the keys.",
	},
}

// firstTrouble is the first mark of a problem, or the first note.
func firstTrouble(t *views.Timeline) *views.Mark {
	return markWhere(t, func(m *views.Mark) bool { return m.Bad }, func(m *views.Mark) bool { return m.Annotated })
}

// firstDeparture is the first preemption or eviction.
func firstDeparture(t *views.Timeline) *views.Mark {
	return markWhere(t, func(m *views.Mark) bool { return m.Glyph == '⚑' || m.Glyph == '▼' }, func(m *views.Mark) bool { return m.Annotated })
}

// lastNote is the last note of the story.
func lastNote(t *views.Timeline) *views.Mark {
	for i := range slices.Backward(t.Marks) {
		if t.Marks[i].Annotated {
			return &t.Marks[i]
		}
	}
	return nil
}

// markWhere returns the first mark that is the one, else the first that is the other.
func markWhere(t *views.Timeline, one, other func(*views.Mark) bool) *views.Mark {
	for _, is := range [...]func(*views.Mark) bool{one, other} {
		for i := range t.Marks {
			if is(&t.Marks[i]) {
				return &t.Marks[i]
			}
		}
	}
	return nil
}

// startTour begins the tour, or goes on where it was left.
func (s *Screen) startTour() tea.Cmd {
	s.leave(true)
	s.tour = &tour{step: s.tourLeft % len(tourSteps)}
	return s.tourTo(s.tour.step)
}

// tourArrived says that the moment of the tour's step was gone to: the next frame shows it.
type tourArrived struct{}

// tourTo goes to the moment of a step, and then opens what it is about. A recording stands still meanwhile.
func (s *Screen) tourTo(step int) tea.Cmd {
	s.tour.step, s.tourLeft = step, step
	is := &tourSteps[step]
	var at time.Time
	if s.frame != nil && s.frame.Model.Timeline != nil && is.moment != nil {
		if mark := is.moment(s.frame.Model.Timeline); mark != nil {
			at = mark.At
		}
	}
	if at.IsZero() {
		return is.open(s)
	}
	s.tour.asked = true
	s.submit(func(p *loop) {
		if b := p.playback; b != nil {
			if b.Playing() {
				b.Toggle()
			}
			p.reportError(b.SeekTo(at))
		}
		p.send(tourArrived{})
	})
	return nil
}

// tourOpens opens what the step is about, once the frame of its moment is there.
func (s *Screen) tourOpens() tea.Cmd {
	if s.tour == nil || !s.tour.due {
		return nil
	}
	s.tour.due = false
	return tourSteps[s.tour.step].open(s)
}

// tourTrouble explains the worst trouble, if there is one.
func (s *Screen) tourTrouble() tea.Cmd {
	if s.worst() == nil {
		s.openPane(views.DecisionsPane)
		return nil
	}
	if s.goToTrouble(); s.top().pane != views.ExplainPane && s.cannotExplain() == "" {
		s.explain()
	}
	return nil
}

// tourFix tries the first fix of the open explanation, if it has one.
func (s *Screen) tourFix() tea.Cmd {
	if fix := s.selectedFix(); fix != nil {
		return s.tryFix(fix)
	}
	return nil
}

// pressInTour handles a key while the tour is on, and reports whether it has done its work: enter goes on and esc ends the tour, as does any
// other key, which then does what it always does.
func (s *Screen) pressInTour(key string) (cmd tea.Cmd, done bool) {
	if s.tour == nil || s.prompt != nil || s.menu != nil || s.finder != nil || s.confirm != nil {
		return nil, false
	}
	switch next := s.tour.step + 1; {
	case (key == "enter" || key == "?") && next < len(tourSteps):
		return s.tourTo(next), true
	case key == "enter", key == "?", key == "esc":
		s.tour, s.tourLeft = nil, 0
		s.setStatus("the tour is over; ctrl+o goes back to where it began, and ?? begins it again")
		return nil, true
	}
	s.tour, s.tourLeft = nil, min(s.tour.step+1, len(tourSteps)-1)
	return nil, false
}

// drawTour draws the step's card at the bottom of an area.
func (s *Screen) drawTour(a draw.Area) {
	const most, height = 84, 7
	step := &tourSteps[s.tour.step]
	w, h := min(most, a.W), min(height, a.H)
	at := a.In(draw.Rect{X: a.X + a.W - w, Y: a.Y + a.H - h, W: w, H: h})
	at.Fill(themes.Style(themes.Text), ' ')
	of := strconv.Itoa(s.tour.step+1) + " of " + strconv.Itoa(len(tourSteps))
	at = at.Box(draw.Frame{Title: "A tour, " + of, Focused: true}).Padded()
	x := at.Text(0, 0, themes.Title.With(themes.Bold), step.question)
	at.Text(x+2, 0, themes.Accent.With(themes.Bold), step.keys)
	at.Wrap(0, 1, at.W, 3, themes.Style(themes.Text), step.answer)
	foot, _ := at.Bottom(1)
	at.In(foot).Hints([]draw.Hint{{Key: "enter", Action: "next"}, {Key: "esc", Action: "end"}, {Key: "any other key", Action: "try it; ?? goes on here"}})
}
