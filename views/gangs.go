package views

import (
	"strconv"
	"strings"
	"time"

	"orrery/core/objects/saturating"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var gangsPane = ListPane[GangRow]{
	Pane: Pane{
		ID: GangsPane, Title: "Groups", Help: "pods that are scheduled together: a row and a bar for each group, the troubled ones first", Opens: PodsPane,
		Describes: "Workload", minW: 50, minH: 5, borderFact: gangsRight, named: rowNames{Many: "groups"},
	},
	Columns: gangColumns, Without: withoutPodGroups, Row: gangRow, Empty: noGangs, Absent: "groups have not been read yet", Head: gangsHead, Detail: gangDetail,
	Rows: Source.Gangs,
	In:   in(func(m *Model) *Gangs { return m.Gangs }, func(p *Gangs) *List[GangRow] { return &p.List }),
	Match: func(f *filter.Row, g *GangRow) {
		f.Namespace, f.Name, _ = strings.Cut(g.Key, "/")
		f.Labels, f.Gang, f.Words = g.Labels, g.Scope, [4]string{g.State.style().searched(), g.stageWords(), g.PodKey, g.Path}
	},
	Sorts: []Sort[GangRow]{
		by("name", func(g *GangRow) string { return g.Key }),
		by("part of", func(g *GangRow) string { return g.Path + "\x00" + g.Key }),
		byMost("priority", func(g *GangRow) int32 { return g.Priority }),
		byMost("pods", func(g *GangRow) int { return g.pods() }),
		by("deadline", func(g *GangRow) int64 { return g.giveUpOrder() }),
		byMost("age", func(g *GangRow) int64 { return -g.Created.UnixMicro() }),
	},
	Key:    func(g *GangRow) string { return g.Key },
	Object: func(g *GangRow) string { return g.WorkloadKey },
	Pod:    func(g *GangRow) string { return g.PodKey },
	Scope:  func(g *GangRow) string { return "-g " + g.Scope },
}

const noGangs = "no pod group exists"

// stageWords are the stages of a gang's pods, for filters.
func (g *GangRow) stageWords() string {
	words := ""
	for stage, n := range g.Count {
		if n > 0 {
			words += gangStageStyles[stage].searched() + " "
		}
	}
	return words
}

// giveUpOrder has the gang first that gives its places up first, and those that hold none last.
func (g *GangRow) giveUpOrder() int64 {
	if g.Count[GangPodOnPermit] == 0 {
		return maxOrder
	}
	return g.Deadline.UnixMicro()
}

const maxOrder = 1<<63 - 1

var gangColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 9, Grow: 2, Max: 15, Rank: 0},
	{Long: "group", Short: "group", Min: 14, Grow: 4, Max: 44, Rank: 0},
	{Long: "pods", Short: "pods", Min: 10, Grow: 4, Max: 40, Rank: 0},
	{Long: "placed", Short: "placed", Min: 7, Rank: 1},
	{Long: "deadline", Short: "deadline", Min: 8, Grow: 2, Max: 20, Rank: 2},
	{Long: "priority", Short: "prio", Min: 8, Rank: 6, Right: true},
	{Long: "age", Short: "age", Min: 5, Rank: 5, Right: true},
	{Long: "part of", Short: "part of", Min: 12, Grow: 3, Max: 36, Rank: 7},
	{Long: "topology", Short: "topology", Min: 12, Grow: 6, Max: 40, Rank: 4},
	{Long: "waits for", Short: "waits for", Min: 18, Grow: 14, Rank: 3},
}

func gangRow(row draw.Area, g *GangRow, at *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawLook(row, at[0].X, at[0].W, g.State.style())
	s.podName(row, at[1], text, g.Name)
	drawGangBar(row, at[2], g)
	drawShare(row, at[3], g.Placed(), g.Least)
	drawGangDeadline(row, at[4], g, s.now)
	row.CountRight(at[5].X, 0, at[5].W, dim, int64(g.Priority))
	drawSince(row, at[6], g.Created, s.now)
	row.Fit(at[7].X, 0, at[7].W, dim, g.Path)
	row.Fit(at[8].X, 0, at[8].W, dim, g.topologyWords())
	drawGangWait(row, at[9], g)
}

// drawGangBar draws a gang's pods as the parts of a bar.
func drawGangBar(row draw.Area, at draw.Slot, g *GangRow) {
	var parts [gangStages]draw.Part
	for stage, n := range g.Count {
		look := &gangStageStyles[stage]
		parts[stage] = draw.Part{Count: n, Style: themes.Style(look.token), Fill: look.glyph}
	}
	row.StackedBar(at.X, 0, at.W, parts[:])
}

// drawGangDeadline draws the time that a gang's pods wait still, or how long ago it was over.
func drawGangDeadline(row draw.Area, at draw.Slot, g *GangRow, now time.Time) {
	if at.W == 0 || g.Deadline.IsZero() {
		return
	}
	left, style := g.Deadline.Sub(now), themes.Style(themes.Backoff)
	switch {
	case g.State == GangTimedOut:
		row.Fit(at.X, 0, at.W, themes.Style(themes.Bad), string(draw.AppendAge(nil, max(-left, 0)))+" ago")
		return
	case g.State > GangTimedOut && g.State < GangPlaced && left > 0:
	default:
		return
	}
	if g.Count[GangPodOnPermit] == 0 {
		style = themes.Style(themes.Dim)
	}
	const span = 5
	bar := at.W - span - 1
	row.Countdown(at.X, 0, bar, style, float64(left)/float64(max(g.Timeout, 1)))
	row.SpanRight(at.X+bar+1, 0, span, style, saturating.Add(left, time.Second-1).Truncate(time.Second))
}

// drawGangWait draws what a gang waits for: in words, and in the scheduler's for the pod that keeps it back.
func drawGangWait(row draw.Area, at draw.Slot, g *GangRow) {
	style := themes.Style(themes.Text)
	if g.State >= GangQueued {
		style = themes.Style(themes.Dim)
	}
	end := at.X + at.W
	x := row.Fit(at.X, 0, at.W, style, g.Note)
	const worth = 8
	if g.Reason != "" && end-x-2 >= worth {
		x = row.Text(x, 0, style, ": ")
		drawReason(row, x, end-x, themes.Style(themes.Dim), g.Reason)
	}
}

// gangDetail is the selected gang in full.
func gangDetail(g *GangRow) (title, text string) {
	placed := count(g.Placed(), "of at least ") + counted(g.Least, "pod") + " placed"
	if g.State == GangBasic || g.State == GangWithoutWorkload {
		placed = count(g.Placed(), "placed")
	}
	var stages []string
	for stage, n := range g.Count {
		if n > 0 {
			stages = append(stages, count(n, GangStage(stage).Word()))
		}
	}
	deadline := ""
	if !g.Deadline.IsZero() && g.State < GangPlaced {
		verb := "gives its places up at "
		if g.State == GangTimedOut {
			verb = "gave its places up at "
		}
		deadline = verb + g.Deadline.UTC().Format(time.TimeOnly)
	}
	why := g.Note
	if g.Reason != "" {
		why += ", " + strings.TrimPrefix(g.Pod, "default/") + ": " + g.Reason
	}
	return g.Name, joinDetails(g.State.Word(), placed, strings.Join(stages, ", "), deadline, labelled("waits for", why), "priority "+strconv.Itoa(int(g.Priority)),
		podGroupDetail(g))
}

func gangsRight(m *Model) string {
	if m.Gangs == nil {
		return ""
	}
	words := counted(m.Gangs.all(), "group")
	return readSoFar(m.Gangs.Reading, words)
}

// gangsHead draws the counts of gangs and of their pods, which explain the bars.
func gangsHead(a draw.Area, s *drawCtx) draw.Area {
	g := s.Gangs
	const roomy, airy = 10, 16
	rows := 1
	if a.H >= airy {
		rows = 2
	}
	y := wrappedCounts(a, 0, rows, "groups", gangStyles[:], g.Count[:])
	if a.H >= roomy {
		stateCounts(a.Row(y), "pods", gangStageStyles[:], g.Pods[:])
		y++
	}
	if why := g.oneByOne(); why != "" && a.H >= roomy {
		a.Fit(0, y, a.W, themes.Style(themes.Warn), why)
		y++
	}
	if a.H >= airy {
		y++
	}
	_, rest := a.Top(y)
	return a.In(rest)
}
