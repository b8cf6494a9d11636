package views

import (
	"cmp"
	"strings"
	"time"

	"orrery/core/objects/saturating"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var queuePane = ListPane[PodRow]{
	Pane: Pane{
		ID: QueuePane, Title: "Queue", Help: "pending pods: who waits where, and why", Digit: '2', Opens: JourneyPane,
		minW: 30, minH: 3, body: drawQueue, drawLine: stripQueue, borderFact: queueRight,
		named: rowNames{"pods", "pending"},
	},
	Columns: podColumns, Row: podRow, Empty: "no pending pods",
	Detail: func(p *PodRow) (string, string) {
		return p.Name, joinDetails(p.State.Word(), p.Reason, labelled("nominated to", p.Nominated), labelled("rejected by", p.Plugin), labelled("requeues on", p.RequeuesOn))
	},
	Rows: Source.Pods,
	In:   in(func(m *Model) *Queue { return m.Queue }, func(p *Queue) *List[PodRow] { return &p.Pods }),
	Match: func(f *filter.Row, p *PodRow) {
		f.Namespace, f.Name, f.Gang, f.Labels = p.Namespace, p.PodName, p.Gang, p.Labels
		f.Words = [4]string{podStateSearched[p.State], p.Message, p.Node}
		if n := len(p.Rejectors); n > 0 {
			f.Words[2], f.Words[3] = p.Rejectors[0], p.Rejectors[n-1]
			if n > 2 {
				f.Words[2] = strings.Join(p.Rejectors[:n-1], " ")
			}
		}
	},
	Sorts: []Sort[PodRow]{
		{"name", func(a, b *PodRow) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.PodName, b.PodName))
		}},
		byMost("priority", func(p *PodRow) int32 { return p.Priority }),
		byMost("attempts", func(p *PodRow) int { return p.Attempts }),
		by("pending", func(p *PodRow) int64 { return p.Pending.UnixMicro() }),
	},
	Key: func(p *PodRow) string { return p.Key },
	Pod: func(p *PodRow) string { return p.Key },
}

type queueKind struct {
	state PodState
	fill  rune
	count func(QueueCounts) int
}

var queueKinds = [...]queueKind{
	{Decided, '■', func(c QueueCounts) int { return c.Decided }},
	{InFlight, '█', func(c QueueCounts) int { return c.InFlight }},
	{Active, '▓', func(c QueueCounts) int { return c.Active }},
	{Backoff, '▒', func(c QueueCounts) int { return c.Backoff }},
	{Unschedulable, '░', func(c QueueCounts) int { return c.Unschedulable }},
	{Gated, '·', func(c QueueCounts) int { return c.Gated }},
}

var podColumns = []draw.Column{
	stateColumn:      {Long: "state", Short: "state", Min: 9, Grow: 1, Max: 15, Rank: 0},
	inStateColumn:    {Long: "for", Short: "for", Min: 4, Rank: 3, Right: true},
	podColumn:        {Long: "pod", Short: "pod", Min: 17, Grow: 6, Max: 52, Rank: 0},
	priorityColumn:   {Long: "priority", Short: "prio", Min: 6, Grow: 1, Max: 13, Rank: 6, Right: true},
	attemptsColumn:   {Long: "attempts", Short: "att", Min: 3, Grow: 1, Max: 8, Rank: 5, Right: true},
	pendingColumn:    {Long: "pending", Short: "pending", Min: 7, Rank: 2, Right: true},
	nextTryColumn:    {Long: "next try", Short: "next", Min: 5, Grow: 1, Max: 16, Rank: 4},
	reasonColumn:     {Long: "reason", Short: "reason", Min: 20, Grow: 8, Rank: 1},
	requeuesOnColumn: {Long: "requeues on", Short: "requeues on", Min: 24, Grow: 2, Max: 40, Rank: 7, ShowFrom: 110},
	rejectedByColumn: {Long: "rejected by", Short: "plugin", Min: 18, Grow: 1, Max: 28, Rank: 8, ShowFrom: 160},
}

// The columns of a pod's row. The second is the time in the state, the sixth since when the pod has no node.
const (
	stateColumn = iota
	inStateColumn
	podColumn
	priorityColumn
	attemptsColumn
	pendingColumn
	nextTryColumn
	reasonColumn
	requeuesOnColumn
	rejectedByColumn
)

func queueRight(m *Model) string {
	if m.Queue == nil {
		return ""
	}
	words := count(m.Queue.Counts.Waiting(), "pending")
	if m.Gangs != nil && m.Gangs.waiting() > 0 {
		words += " · " + counted(m.Gangs.waiting(), "gang")
	}
	return words
}

func drawQueue(a draw.Area, s *drawCtx) {
	q := s.Queue
	if q == nil {
		drawAbsent(a, "the queue has not been read yet")
		return
	}
	y := queueCounts(a, q.Counts)
	if a.H > y+3 {
		shares := a
		if trend, rest := a.Rect.Right(trendWidth); rest.W >= trendWidth && len(q.Depth) > 0 {
			drawTrend(a.In(trend).Row(y), q.Depth)
			shares = a.In(rest)
		}
		queueShares(shares, y, q.Counts)
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

// queueCounts draws the number of pods in each state, in aligned columns if one row is too short.
func queueCounts(a draw.Area, c QueueCounts) int {
	kinds := kindsIn(c)
	for _, word := range [...]func(PodState) string{PodState.Word, PodState.Short} {
		r := rowWriter{a: a}
		for _, k := range kinds {
			n := k.count(c)
			r.number(countStyle(k.state, n), string(k.state.Glyph())+" ", n, word(k.state))
		}
		if !r.full {
			return 1
		}
		blankRow(a, 0)
	}
	perRow := min(max(a.W/18, 1), len(kinds))
	w := a.W / perRow
	for i, k := range kinds {
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
	return (len(kinds) + perRow - 1) / perRow
}

// kindsIn are the kinds that are counted on the screen. A scheduler that binds the pods itself has none that it has only decided.
func kindsIn(c QueueCounts) []queueKind {
	if c.Decided > 0 {
		return queueKinds[:]
	}
	return queueKinds[1:]
}

// countStyle returns the style of a count; zero is dim.
func countStyle(s PodState, n int) themes.Style {
	if n == 0 {
		return themes.Style(themes.Dim)
	}
	return s.Token().With(themes.Bold)
}

// trendWidth is the width of the curve of pending pods with its words.
const trendWidth = 38

// drawTrend draws how many pods were pending in the last seconds.
func drawTrend(row draw.Area, depth []float64) {
	const words = 17
	span := formatSpan(time.Duration(len(depth)) * time.Second)
	row.Fit(2, 0, words-2, themes.Style(themes.Dim), "pending, "+span)
	_, row.Rect = row.Rect.Left(words)
	most := 1.0
	for _, n := range depth {
		most = max(most, n)
	}
	row.Curve(themes.Style(themes.Bad), depth, most)
}

func queueShares(a draw.Area, y int, c QueueCounts) {
	var parts [len(queueKinds)]draw.Part
	for i, k := range queueKinds {
		parts[i] = draw.Part{Count: k.count(c), Style: themes.Style(k.state.Token()), Fill: k.fill}
	}
	a.StackedBar(0, y, a.W, parts[:])
}

// transitionRows returns how many rows the transitions get in a height that the pods share: a third, or more
// if the pods leave more. It changes in steps, so that not every pod that comes or goes moves the transitions.
func transitionRows(moves, height, rows int) int {
	if moves == 0 {
		return 0
	}
	some := min(max(height/4, 1), 4)
	rows = max(rows+some-1, some) / some * some
	return max((height-8)/3, min(height-rows-3, maxTransitions), 0)
}

// maxTransitions limits the rows of transitions.
const maxTransitions = 40

// queueHeads draws the head of every part of the queue with as many rows as fit, those in trouble first and most, and below
// them the latest decisions.
func queueHeads(a draw.Area, s *drawCtx) {
	q := s.Queue
	take := [4]int{}
	parts := [4][]PodRow{q.Stuck, q.Soon, q.Next, q.Held}
	all := 0
	for _, rows := range parts {
		all += len(rows)
	}
	a = queueFeed(a, s, all)
	if all == 0 {
		drawNoPendingPods(a)
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
		for i, most := range [4]int{2, 1, 1, 1} {
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
			p := &rows[j]
			podRow(s.overviewRow(a.Row(y), OverviewRow{Key: p.Key, Opens: JourneyPane, Pod: p.Key}), p, &places, s)
			y++
		}
	}
}

// queueFeed draws the latest decisions at the bottom of an area that as many pods share, and returns the rest. Where there is
// little room it draws the last one alone.
func queueFeed(a draw.Area, s *drawCtx, pods int) draw.Area {
	const least = 4
	if rows := transitionRows(len(s.Feed), a.H, pods); rows > 0 {
		bottom, rest := a.Bottom(rows + 1)
		drawFeed(a.In(bottom), s.Feed, s)
		a.Rect, _ = rest.Top(rest.H - 1)
		return a
	}
	if len(s.Feed) == 0 || a.H < least {
		return a
	}
	bottom, rest := a.Bottom(1)
	d := &s.Feed[0]
	row := s.overviewRow(a.In(bottom), feedTarget(d))
	row.Set(0, 0, themes.Focus.With(themes.Bold), '▸')
	_, row.Rect = row.Rect.Left(ringGutter)
	s.feedRow(row, d)
	return a.In(rest)
}

// drawNoPendingPods draws the text of an empty queue.
func drawNoPendingPods(a draw.Area) {
	x := a.Text(0, 0, themes.Style(themes.Good), "✓")
	a.Fit(x+1, 0, a.W-x-1, themes.Style(themes.Dim), "no pending pods")
}

// queueList draws the whole queue as a list.
func queueList(a draw.Area, s *drawCtx) {
	q := s.Queue
	a = s.pane.list.detail(a, s)
	const fewest = 3 // fewer are not worth a heading
	if moves := transitionRows(len(q.Transitions), a.H, q.Pods.Total); moves >= fewest {
		bottom, rest := a.Bottom(moves + 1)
		drawTransitions(a.In(bottom), q.Transitions, s)
		rest, _ = rest.Top(rest.H - 1)
		a = a.In(rest)
	}
	if q.Pods.Total == 0 && s.Filtered == nil {
		drawNoPendingPods(a)
		return
	}
	s.pane.list.table(a, s)
}

func podRow(row draw.Area, p *PodRow, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawState(row, places[stateColumn].X, places[stateColumn].W, p.State)
	drawSince(row, places[inStateColumn], p.Since, s.now)
	s.watchedName(row, places[podColumn], text, p.Name, p.Key)
	row.CountRight(places[priorityColumn].X, 0, places[priorityColumn].W, dim, int64(p.Priority))
	row.CountRight(places[attemptsColumn].X, 0, places[attemptsColumn].W, dim, int64(p.Attempts))
	drawSince(row, places[pendingColumn], p.Pending, s.now)
	if left := p.Until.Sub(s.now); p.State == Backoff && left > 0 {
		drawNextTry(row, places[nextTryColumn], left, p.Until.Sub(p.From))
	}
	why, x, w := places[reasonColumn], places[reasonColumn].X, places[reasonColumn].W
	if p.Nominated != "" && w > 12 {
		row.Set(x, 0, themes.Style(themes.Nominated), Nominated.Glyph())
		end := row.FitHost(x+2, 0, min(w/2, 24), themes.Style(themes.Nominated), p.Nominated) + 2
		x, w = end, x+w-end
	}
	if p.State == InFlight && !p.Until.IsZero() {
		for _, empty := range places[requeuesOnColumn : rejectedByColumn+1] { // these columns are about the queue
			w = max(w, empty.X+empty.W-x)
		}
		w = drawTimeLeft(row, x, w, max(p.Until.Sub(s.now), 0), p.Reason)
	}
	if w > 6 || why.W == w {
		drawReason(row, x, w, dim, p.Reason)
	}
	row.Fit(places[requeuesOnColumn].X, 0, places[requeuesOnColumn].W, dim, p.RequeuesOn)
	row.Fit(places[rejectedByColumn].X, 0, places[rejectedByColumn].W, dim, p.Plugin)
}

// drawNextTry draws how much of a back-off is left, as a time and, if there is room, as a bar that drains.
func drawNextTry(row draw.Area, p draw.Slot, left, whole time.Duration) {
	const age = 4
	if p.W == 0 {
		return
	}
	row.AgeRight(p.X, 0, age, themes.Style(themes.Backoff), saturating.Add(left, time.Second-1))
	if bar := p.W - age - 1; bar >= 4 {
		row.Countdown(p.X+age+1, 0, bar, themes.Style(themes.Backoff), float64(left)/float64(max(whole, 1)))
	}
}

// drawTimeLeft draws the time that a binding has left, behind what it waits for, and returns the width that is left for that.
func drawTimeLeft(row draw.Area, x, w int, left time.Duration, reason string) int {
	text := string(append(draw.AppendSpan([]byte(", "), left.Round(time.Second)), " left"...))
	room := min(draw.Width(reason), w-draw.Width(text))
	if room < 6 {
		return w
	}
	row.Text(x+room, 0, themes.Style(themes.InFlight), text)
	return room
}

// maxEarlier limits how many earlier states are shown.
const maxEarlier = 4

// drawTransitions draws the recent transitions, the newest first: from which state, to which state, and what caused them.
func drawTransitions(a draw.Area, moves []Transition, s *drawCtx) {
	drawHeading(a, 0, "recent transitions")
	for i := range min(a.H-1, len(moves)) {
		s.transitionRow(a.Row(i+1), &moves[i])
	}
}

func (s *drawCtx) transitionRow(row draw.Area, m *Transition) {
	dim := themes.Style(themes.Dim)
	const state = len("unsched")
	x := 0
	if row.W >= 66 {
		s.timeRight(row, 0, 10, dim, m.At)
		x = 11
	}
	name := min(max((row.W-x)*2/5, 14), 40)
	s.podName(row, draw.Slot{X: x, W: name}, themes.Style(themes.Text), m.Pod)
	x += name + 1
	if row.W >= 80 {
		x += maxEarlier
		for j, before := range m.Earlier[max(len(m.Earlier)-maxEarlier, 0):] {
			row.Set(x-min(len(m.Earlier), maxEarlier)+j, 0, dim, before.Glyph())
		}
	}
	row.Set(x, 0, themes.Style(m.From.Token()), m.From.Glyph())
	row.Set(x+2, 0, dim, '→')
	row.Set(x+4, 0, themes.Style(m.To.Token()), m.To.Glyph())
	row.Fit(x+6, 0, state, themes.Style(m.To.Token()), m.To.Short())
	transitionCause(row, x+6+state+2, m)
}

// transitionCause draws the pod's new node, with the scheduler that bound it if that is another one, or else the event
// that requeued it.
func transitionCause(row draw.Area, x int, m *Transition) {
	dim := themes.Style(themes.Dim)
	if m.Node != "" {
		x = row.FitHost(x, 0, row.W-x, themes.Style(themes.Text), m.Node)
		if text := overruledText(m, row.W-x-1); text != "" {
			row.Text(x+1, 0, dim, text)
		}
		return
	}
	x = row.Fit(x, 0, row.W-x, dim, m.Event)
	if m.Plugin != "" && row.W-x >= len(m.Plugin)+3 {
		row.Text(x+1, 0, dim, "· ")
		row.Fit(x+3, 0, row.W-x-3, dim, m.Plugin)
	}
}

// overruledText returns who bound a pod elsewhere, and where this scheduler had placed it, as fully as a width allows.
func overruledText(m *Transition, w int) string {
	if m.By == "" {
		return ""
	}
	by, ours := "by "+m.By, "ours: "+m.Ours
	texts := []string{by, ""}
	if m.Ours != "" {
		texts = []string{by + " (" + ours + ")", "(" + ours + ")", by, ""}
	}
	if m.Comparison != "" {
		most := ours + ", " + m.Comparison
		texts = append([]string{by + " (" + most + ")", "(" + most + ")", "(" + m.Comparison + ")"}, texts...)
	}
	for _, text := range texts {
		if draw.Width(text) <= w {
			return text
		}
	}
	return ""
}

func stripQueue(a draw.Area, s *drawCtx) {
	if s.Queue == nil {
		return
	}
	r := rowWriter{a: a}
	for _, k := range kindsIn(s.Queue.Counts) {
		r.number(themes.Style(k.state.Token()), "", k.count(s.Queue.Counts), k.state.Short())
	}
}
