package views

import (
	"strconv"
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var storagePane = ListPane[ClaimRow]{
	Pane: Pane{
		ID: StoragePane, named: rowNames{Many: "claims"}, Title: "Storage", Help: "claims, the troubled ones first, capacity left and attach limits", Opens: JourneyPane,
		Describes: "PersistentVolumeClaim", minW: 50, minH: 6, borderFact: storageRight,
	},
	Columns: claimColumns, Row: claimRow, Empty: "there are no claims", Absent: "storage has not been read yet", Head: storageHead,
	Detail: func(c *ClaimRow) (string, string) {
		pods := labelled("pod", c.Pod)
		if c.Pods > 1 {
			pods += " and " + strconv.Itoa(c.Pods-1) + " more"
		}
		return c.Name, joinDetails(c.State.Word(), c.Note, labelled("size", c.Size), labelled("class", c.Class), labelled("volume", c.Volume), c.Place, pods)
	},
	Rows: Source.Claims,
	In:   in(func(m *Model) *Storage { return m.Storage }, func(p *Storage) *List[ClaimRow] { return &p.ClaimList }),
	Match: func(f *filter.Row, c *ClaimRow) {
		f.Namespace, f.Name, _ = strings.Cut(c.Key, "/")
		f.Labels, f.Words = c.Labels, [4]string{c.State.style().searched(), c.Class, c.Volume, c.PodKey}
	},
	Sorts: []Sort[ClaimRow]{
		by("name", func(c *ClaimRow) string { return c.Key }),
		by("class", func(c *ClaimRow) string { return c.Class }),
		byMost("size", func(c *ClaimRow) int64 { return c.Bytes }),
		by("since", func(c *ClaimRow) int64 { return c.Since.UnixMicro() }),
	},
	Key: func(c *ClaimRow) string { return c.Key },
	Pod: func(c *ClaimRow) string { return c.PodKey },
}

var claimColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 9, Grow: 3, Max: 14, Rank: 0},
	{Long: "claim", Short: "claim", Min: 16, Grow: 4, Max: 44, Rank: 0},
	{Long: "since", Short: "since", Min: 5, Rank: 2, Right: true},
	{Long: "size", Short: "size", Min: 6, Rank: 3, Right: true},
	{Long: "class", Short: "class", Min: 8, Grow: 1, Max: 18, Rank: 5},
	{Long: "where", Short: "where", Min: 10, Grow: 1, Max: 22, Rank: 4},
	{Long: "pod", Short: "pod", Min: 14, Grow: 2, Max: 40, Rank: 6, ShowFrom: 120},
	{Long: "volume", Short: "volume", Min: 14, Grow: 2, Max: 42, Rank: 7, ShowFrom: 150},
	{Long: "waits for, or what is wrong", Short: "waits for", Min: 22, Grow: 9, Rank: 1},
}

func claimRow(row draw.Area, c *ClaimRow, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawLook(row, places[0].X, places[0].W, c.State.style())
	s.podName(row, places[1], text, c.Name)
	drawSince(row, places[2], c.Since, s.now)
	row.TextRight(places[3].X, 0, places[3].W, text, c.Size)
	row.Fit(places[4].X, 0, places[4].W, dim, c.Class)
	row.Fit(places[5].X, 0, places[5].W, dim, whereText(c.Place))
	s.podName(row, places[6], dim, c.Pod)
	row.Fit(places[7].X, 0, places[7].W, dim, c.Volume)
	note := text
	if c.State >= ClaimDelayed {
		note = dim
	}
	if c.State == ClaimNoNode { // the scheduler's words
		drawReason(row, places[8].X, places[8].W, note, c.Note)
		return
	}
	row.Fit(places[8].X, 0, places[8].W, note, c.Note)
}

func drawSince(row draw.Area, p draw.Slot, since, now time.Time) {
	if p.W > 0 && !since.IsZero() {
		row.AgeRight(p.X, 0, p.W, themes.Style(themes.Dim), max(now.Sub(since), 0))
	}
}

func storageRight(m *Model) string {
	if m.Storage == nil {
		return ""
	}
	claims, volumes := 0, 0
	for _, n := range m.Storage.Claims {
		claims += n
	}
	for _, n := range m.Storage.Volumes {
		volumes += n
	}
	words := counted(claims, "claim") + " · " + counted(volumes, "volume")
	return readSoFar(m.Storage.Reading, words)
}

// storageHead draws how many claims and volumes are in which state, what is left of capacity and of attachments.
func storageHead(a draw.Area, s *drawCtx) draw.Area {
	y := storageCounts(a, s.Storage)
	const roomy, airy = 16, 20
	if a.H >= roomy {
		y++
	}
	y = storageBars(a, y, s.Storage)
	if a.H >= airy {
		y++
	}
	_, rest := a.Top(y)
	return a.In(rest)
}

// storageCounts draws the counts of claims, and of volumes if there is room for a second row.
func storageCounts(a draw.Area, v *Storage) int {
	stateCounts(a.Row(0), "claims", claimStyles[:], v.Claims[:])
	const roomy = 12
	if a.H < roomy {
		return 1
	}
	r := stateCounts(a.Row(1), "volumes", volumeStyles[:], v.Volumes[:])
	r.fact(themes.Style(themes.Text), v.Size, "in all")
	return 2
}

// stateCounts draws the states that anything is in, with short words or without any if the long ones do not fit.
func stateCounts(row draw.Area, noun string, styles []glyphStyle, counts []int) *rowWriter {
	var r rowWriter
	for i, word := range [...]func(*glyphStyle) string{
		func(l *glyphStyle) string { return l.word }, func(l *glyphStyle) string { return l.short }, func(*glyphStyle) string { return "" },
	} {
		blankRow(row, 0)
		row.Fit(0, 0, 8, themes.Style(themes.Dim), noun)
		r = rowWriter{a: row, x: 6, plain: i == 2}
		for i, n := range counts {
			if n > 0 {
				r.number(styles[i].token.With(themes.Bold), string(styles[i].glyph)+" ", n, word(&styles[i]))
			}
		}
		if r.x == 6 {
			r.fact(themes.Style(themes.Dim), "none", "")
		}
		if !r.full {
			break
		}
	}
	return &r
}

// whereText is a place without its preposition.
func whereText(place string) string {
	return strings.TrimPrefix(strings.TrimPrefix(place, "in "), "on ")
}
