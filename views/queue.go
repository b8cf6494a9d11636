package views

import (
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

var queueKinds = [...]struct {
	state PodState
	fill  rune
	count func(QueueCounts) int
}{
	{InFlight, '█', func(c QueueCounts) int { return c.InFlight }},
	{Active, '▓', func(c QueueCounts) int { return c.Active }},
	{Backoff, '▒', func(c QueueCounts) int { return c.Backoff }},
	{Unschedulable, '░', func(c QueueCounts) int { return c.Unschedulable }},
	{Gated, '·', func(c QueueCounts) int { return c.Gated }},
}

var podColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 9, Grow: 1, Most: 15, Rank: 0},
	{Long: "pod", Short: "pod", Min: 17, Grow: 6, Most: 52, Rank: 0},
	{Long: "priority", Short: "prio", Min: 6, Grow: 1, Most: 8, Rank: 5, Right: true},
	{Long: "tries", Short: "try", Min: 3, Grow: 1, Most: 5, Rank: 4, Right: true},
	{Long: "waits", Short: "waits", Min: 5, Rank: 2, Right: true},
	{Long: "what keeps it", Short: "what keeps it", Min: 22, Grow: 8, Rank: 1},
	{Long: "brought back by", Short: "by", Min: 24, Grow: 2, Most: 40, Rank: 6, From: 110},
	{Long: "turned down by", Short: "plugin", Min: 18, Grow: 1, Most: 28, Rank: 7, From: 160},
}

func queueRight(m *Model) string {
	if m.Queue == nil {
		return ""
	}
	return count(m.Queue.Counts.Waiting(), "waiting")
}

func drawQueue(a draw.Area, s *scene) {
	q := s.Queue
	if q == nil {
		absent(a, "the queue has not been read yet")
		return
	}
	y := queueCounts(a, q.Counts)
	if a.H > y+3 {
		queueShares(a, y, q.Counts)
		y++
	}
	if a.H > y+6 {
		y++
	}
	_, rest := a.Top(y)
	if s.full {
		queueList(a.In(rest), s)
		return
	}
	queueHeads(a.In(rest), s)
}

// queueCounts says how many pods wait where, in columns that stand under each other when one row is too short.
func queueCounts(a draw.Area, c QueueCounts) int {
	for _, word := range [...]func(PodState) string{PodState.Word, PodState.Short} {
		r := run{a: a}
		for _, k := range queueKinds {
			n := k.count(c)
			r.number(countStyle(k.state, n), string(k.state.Glyph())+" ", n, word(k.state))
		}
		if !r.full {
			return 1
		}
		blankRow(a, 0)
	}
	perRow := min(max(a.W/18, 1), len(queueKinds))
	w := a.W / perRow
	for i, k := range queueKinds {
		x, row := i%perRow*w, a.Row(i/perRow)
		n := k.count(c)
		style := countStyle(k.state, n)
		row.Set(x, 0, style, k.state.Glyph())
		end := row.Count(x+2, 0, style, int64(n))
		word := k.state.Word()
		if end+1+len(word) >= x+w {
			word = k.state.Short()
		}
		row.Fit(end+1, 0, x+w-end-1, themes.Style(themes.Dim), word)
	}
	return (len(queueKinds) + perRow - 1) / perRow
}

// countStyle is quiet about places where nobody is.
func countStyle(s PodState, n int) themes.Style {
	if n == 0 {
		return themes.Style(themes.Dim)
	}
	return s.Token().With(themes.Bold)
}

func queueShares(a draw.Area, y int, c QueueCounts) {
	var parts [len(queueKinds)]draw.Part
	for i, k := range queueKinds {
		parts[i] = draw.Part{Count: k.count(c), Style: themes.Style(k.state.Token()), Fill: k.fill}
	}
	a.Shares(0, y, a.W, parts[:])
}

// movesRoom is how many rows the latest moves have in a height in which rows want to stand too: a third of it at most, or
// what the rows leave. It is given up some at a time, so that not every pod that comes or goes moves all of them.
func movesRoom(moves, height, rows int) int {
	if moves == 0 {
		return 0
	}
	some := min(max(height/4, 1), 4)
	rows = max(rows+some-1, some) / some * some
	return max((height-8)/3, min(height-rows-3, mostMoves), 0)
}

// mostMoves is how many moves there are to be shown at most.
const mostMoves = 40

// queueHeads shows the beginning of every part, each with as many rows as can be spared: who is stuck gets the most.
func queueHeads(a draw.Area, s *scene) {
	q := s.Queue
	take := [4]int{}
	parts := [4][]PodRow{q.Next, q.Soon, q.Stuck, q.Held}
	all := 0
	for _, rows := range parts {
		all += len(rows)
	}
	moves := movesRoom(len(q.Moves), a.H, all)
	if moves > 0 {
		bottom, rest := a.Bottom(moves + 1)
		drawMoves(a.In(bottom), q.Moves, s)
		a.Rect, _ = rest.Top(rest.H - 1)
	}
	if all == 0 {
		nobodyWaits(a)
		return
	}
	places := draw.Arrange(podColumns, a.W)
	if a.H >= 6 {
		a.Header(podColumns, &places)
		_, rest := a.Top(1)
		a = a.In(rest)
	}
	left := a.H
	for given := true; given && left > 0; {
		given = false
		for i, most := range [4]int{1, 1, 2, 1} {
			n := min(most, len(parts[i])-take[i], left)
			if n > 0 {
				take[i] += n
				left -= n
				given = true
			}
		}
	}
	y := 0
	for i, rows := range parts {
		for j := range take[i] {
			podRow(a.Row(y), &rows[j], &places, s)
			y++
		}
	}
}

// nobodyWaits is what an empty queue says.
func nobodyWaits(a draw.Area) {
	x := a.Text(0, 0, themes.Style(themes.Good), "✓")
	a.Fit(x+1, 0, a.W-x-1, themes.Style(themes.Dim), "nobody waits")
}

// queueList is the whole queue to walk through.
func queueList(a draw.Area, s *scene) {
	q := s.Queue
	a = podDetail(a, s, selected(s, &q.Pods))
	const fewest = 3 // less is not worth its heading
	if moves := movesRoom(len(q.Moves), a.H, q.Pods.Total); moves >= fewest {
		bottom, rest := a.Bottom(moves + 1)
		drawMoves(a.In(bottom), q.Moves, s)
		rest, _ = rest.Top(rest.H - 1)
		a = a.In(rest)
	}
	if q.Pods.Total == 0 && s.Narrowed == nil {
		nobodyWaits(a)
		return
	}
	table(a, s, podColumns, &q.Pods, "nobody waits", podRow)
}

func podRow(row draw.Area, p *PodRow, places *draw.Columns, s *scene) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	mark(row, places[0].X, places[0].W, p.State)
	pod(row, places[1], text, p.Name)
	row.CountRight(places[2].X, 0, places[2].W, dim, int64(p.Priority))
	row.CountRight(places[3].X, 0, places[3].W, dim, int64(p.Attempts))
	if !p.Since.IsZero() {
		row.AgeRight(places[4].X, 0, places[4].W, dim, s.now.Sub(p.Since))
	}
	why, x, w := places[5], places[5].X, places[5].W
	if left := p.Until.Sub(s.now); p.State == Backoff && w > 0 && left > 0 {
		drain := min(max(w/5, 4), 12)
		row.Drain(x, 0, drain, themes.Style(themes.Backoff), float64(left)/float64(max(p.Until.Sub(p.From), 1)))
		row.AgeRight(x+drain+1, 0, min(5, w-drain-1), themes.Style(themes.Backoff), left+time.Second-1)
		x, w = x+drain+8, w-drain-8
	}
	if p.Nominated != "" && w > 12 {
		row.Set(x, 0, themes.Style(themes.Nominated), Nominated.Glyph())
		end := row.FitHost(x+2, 0, min(w/2, 24), themes.Style(themes.Nominated), p.Nominated) + 2
		x, w = end, x+w-end
	}
	if w > 6 || why.W == w {
		reason(row, x, w, dim, p.Reason)
	}
	row.Fit(places[6].X, 0, places[6].W, dim, p.Awaits)
	row.Fit(places[7].X, 0, places[7].W, dim, p.Plugin)
}

// moveTrail is how many of the places where a pod was before are shown.
const moveTrail = 4

// drawMoves is the trail that pods leave: from where, to where, and what moved them.
func drawMoves(a draw.Area, moves []Move, s *scene) {
	heading(a, 0, "moved")
	ring := &s.places().moves
	for y, i := range ring.place(a.H-1, len(moves), func(i int) deed { return deed{name: moves[i].Pod} }) {
		if i >= 0 {
			moveRow(latest(a.Row(y+1), ring, y), &moves[i])
		}
	}
}

// latest is a row of a list of the latest, with the mark of the latest of all.
func latest(row draw.Area, r *ring, y int) draw.Area {
	if y == r.head {
		row.Set(0, 0, themes.Focus.With(themes.Bold), '▸')
	}
	_, row.Rect = row.Rect.Left(ringGutter)
	return row
}

func moveRow(row draw.Area, m *Move) {
	dim := themes.Style(themes.Dim)
	const state = len("unsched")
	x := 0
	if row.W >= 66 {
		row.ClockRight(0, 0, 10, dim, m.At)
		x = 11
	}
	name := min(max((row.W-x)*2/5, 14), 40)
	pod(row, draw.Place{X: x, W: name}, themes.Style(themes.Text), m.Pod)
	x += name + 1
	if row.W >= 80 {
		x += moveTrail
		for j, before := range m.Trail[max(len(m.Trail)-moveTrail, 0):] {
			row.Set(x-min(len(m.Trail), moveTrail)+j, 0, dim, before.Glyph())
		}
	}
	row.Set(x, 0, themes.Style(m.From.Token()), m.From.Glyph())
	row.Set(x+2, 0, dim, '→')
	row.Set(x+4, 0, themes.Style(m.To.Token()), m.To.Glyph())
	row.Fit(x+6, 0, state, themes.Style(m.To.Token()), m.To.Short())
	moveCause(row, x+6+state+2, m)
}

// moveCause is the node that a pod has gone to, or else what moved it.
func moveCause(row draw.Area, x int, m *Move) {
	dim := themes.Style(themes.Dim)
	if m.Node != "" {
		row.FitHost(x, 0, row.W-x, themes.Style(themes.Text), m.Node)
		return
	}
	x = row.Fit(x, 0, row.W-x, dim, m.Event)
	if m.Plugin != "" && row.W-x >= len(m.Plugin)+3 {
		row.Text(x+1, 0, dim, "· ")
		row.Fit(x+3, 0, row.W-x-3, dim, m.Plugin)
	}
}

func stripQueue(a draw.Area, s *scene) {
	if s.Queue == nil {
		return
	}
	r := run{a: a}
	for _, k := range queueKinds {
		r.number(themes.Style(k.state.Token()), "", k.count(s.Queue.Counts), k.state.Short())
	}
}
