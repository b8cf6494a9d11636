package collect

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/printable"
	"orrery/views"
	"orrery/views/filter"
)

var phases = [...]views.DeparturePhase{
	evict.Forecast: views.Forecasted, evict.Counting: views.Counting, evict.Held: views.HeldBack,
	evict.Leaving: views.BeingDeleted, evict.Left: views.Departed, evict.Cancelled: views.Stays,
}

// boardMemory keeps what the board said: it sorts itself anew when it is asked.
type boardMemory struct {
	board       *evict.Board
	stamp       uint64
	at          time.Time
	open, ended []evict.Departure
}

// A long board is read again no sooner than after so much of the engine's time.
const (
	longBoard   = 512
	boardPeriod = 200 * time.Millisecond
)

func (m *boardMemory) refresh(ch *Chronicle, now time.Time) {
	board := ch.Board()
	passed := now.Sub(m.at)
	if m.board == board && (m.stamp == ch.stamp || (len(m.open) > longBoard && passed >= 0 && passed < boardPeriod)) {
		return
	}
	*m = boardMemory{board: board, stamp: ch.stamp, at: now, open: board.Open(), ended: board.Ended()}
}

// evictions is the board: what is open, the earliest first, then what is over, the latest first.
func (c *Collector) evictions(e *engine.Engine, look Look) *views.Evictions {
	if c.run.Chronicle == nil {
		return nil
	}
	c.board.refresh(c.run.Chronicle, e.Now())
	m := &c.board
	v := &views.Evictions{}
	for i := range m.open {
		switch m.open[i].Phase {
		case evict.Forecast:
			v.Forecast++
		case evict.Held:
			v.Held++
		default:
			v.Leaving++
		}
		if m.open[i].Doubtful(e.Now()) {
			v.Overdue++
		}
	}
	v.Outcomes = outcomesOf(c.run.Chronicle.Board().Outcomes())
	total := len(m.open) + len(m.ended)
	first, end := look.window(total)
	switch {
	case look.Open == views.Overview:
		first, end = 0, min(total, heads)
	case !look.plain():
		v.List = c.departuresLeft(e, look)
		return v
	}
	v.List = views.List[views.Departure]{First: first, Total: total, Rows: make([]views.Departure, end-first)}
	for i := range v.List.Rows {
		v.List.Rows[i] = departure(m.nth(first+i), e.Now())
	}
	return v
}

// nth is the departure at a place of the board.
func (m *boardMemory) nth(i int) *evict.Departure {
	if i < len(m.open) {
		return &m.open[i]
	}
	return &m.ended[len(m.open)+len(m.ended)-1-i]
}

func (c *Collector) departuresLeft(e *engine.Engine, look Look) views.List[views.Departure] {
	m := &c.board
	by := func(of func(d *evict.Departure) string) func(a, b int) int {
		return func(a, b int) int { return cmp.Or(cmp.Compare(of(m.nth(a)), of(m.nth(b))), a-b) }
	}
	compare := func(a, b int) int { return a - b }
	switch look.Sort {
	case "pod":
		compare = by(func(d *evict.Departure) string { return d.Pod.Namespace + "/" + d.Pod.Name })
	case "node":
		compare = by(func(d *evict.Departure) string { return d.Node })
	case "cause":
		compare = by(func(d *evict.Departure) string { return string(d.Cause) })
	case "state":
		compare = func(a, b int) int { return cmp.Or(cmp.Compare(m.nth(a).Phase, m.nth(b).Phase), a-b) }
	}
	places, first, left := c.departuresNarrowed.rows(look, list[int]{
		stamp: m.stamp,
		all: func(into []int) []int {
			for i := range len(m.open) + len(m.ended) {
				into = append(into, i)
			}
			return into
		},
		subject: func(s *filter.Subject, i *int) {
			if *i >= len(m.open)+len(m.ended) {
				return // the board has become shorter on the way
			}
			d := m.nth(*i)
			s.Namespace, s.Name = d.Pod.Namespace, d.Pod.Name
			s.Words = [4]string{d.Phase.String(), string(d.Cause), d.Node, d.Why}
			if pod := e.Store().Pod(s.Namespace, s.Name); pod != nil {
				s.Labels = pod.Labels
			}
		},
		compare: compare,
	})
	c.narrowed = left
	l := views.List[views.Departure]{First: first, Total: left.Matches}
	for _, i := range places {
		if i < len(m.open)+len(m.ended) {
			l.Rows = append(l.Rows, departure(m.nth(i), e.Now()))
		}
	}
	return l
}

// amiss are the outcomes of predictions that were wrong, or that nobody acted on.
var amiss = [...]evict.Outcome{evict.Late, evict.Early, evict.Missed, evict.Contradicted}

// outcomesOf is what came of predictions: of those that came to something all that there are, and of the others, too, kept,
// late and missed.
func outcomesOf(all evict.Outcomes) []views.Tally {
	if !all.Any() {
		return nil
	}
	var list []views.Tally
	for o := evict.Kept; int(o) < len(all); o++ {
		if n := all.Of(o); n > 0 || o == evict.Kept || o == evict.Late || o == evict.Missed {
			list = append(list, views.Tally{Name: o.String(), Count: int64(n), Bad: n > 0 && slices.Contains(amiss[:], o)})
		}
	}
	return list
}

func departure(d *evict.Departure, now time.Time) views.Departure {
	name, key := podNames(d.Pod)
	return views.Departure{
		Pod: name, Key: key, Node: printable.Text(d.Node), NodeKey: d.Node, Cause: string(d.Cause), By: printable.Text(d.By), Why: whyLeaves(d),
		Phase: phases[d.Phase], Predicted: d.Predicted, Noticed: d.Noticed, Deadline: d.Deadline, Ended: d.Ended,
		Budget: printable.Text(d.Budget), Allowed: d.Allowed,
		Check: d.Check(now), Brief: d.Brief(now), Doubtful: d.Doubtful(now), Amiss: slices.Contains(amiss[:], d.Foretold.Outcome),
	}
}

// whyLeaves is why a pod leaves, without saying anew what the cause says, and what everybody's is.
func whyLeaves(d *evict.Departure) string {
	why := printable.Text(withoutDomain(d.Why))
	why = strings.TrimPrefix(why, "Eviction API: ")
	if taint, time, found := strings.Cut(why, ":NoExecute is tolerated for "); found {
		return taint + ", tolerated for " + time
	}
	if rest, found := strings.CutPrefix(why, "room for default/"); found {
		return "room for " + rest
	}
	return why
}
