package views

import (
	"time"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

// Comparison is two nodes or two pods side by side, as they were at a time.
type Comparison struct {
	Kind, A, B string
	// At says when, and Differ how many rows differ.
	At     time.Time
	Differ int
	List   List[CompareRow]
}

// CompareRow is a fact of both. Same means that it does not tell them apart; a heading has only a Name.
type CompareRow struct {
	Name, A, B    string
	Same, Heading bool
}

var comparePane = ListPane[CompareRow]{
	Pane:    Pane{ID: ComparePane, Title: "Compare", minW: 50, minH: 6, named: rowNames{Many: "rows"}},
	Columns: compareColumns, Row: compareRow, Absent: "= on a node or a pod holds it; = on another compares the two", Head: compareHead,
	Detail: func(r *CompareRow) (string, string) {
		if r.Heading {
			return "", ""
		}
		return r.Name, joinDetails(labelled("⇠", r.A), labelled("⇢", r.B))
	},
	Rows: Source.CompareRows,
	In:   in(func(m *Model) *Comparison { return m.Comparison }, func(p *Comparison) *List[CompareRow] { return &p.List }),
	Match: func(f *filter.Row, r *CompareRow) {
		f.Name, f.Words = r.Name, [4]string{r.A, r.B, "differs"}
		switch {
		case r.Heading:
			f.Words[2] = ""
		case r.Same:
			f.Words[2] = "same"
		}
	},
}

var compareColumns = []draw.Column{
	{Long: "", Short: "", Min: 20, Grow: 2, Max: 44, Rank: 0},
	{Long: "⇠", Short: "⇠", Min: 13, Grow: 4, Rank: 0},
	{Long: "⇢", Short: "⇢", Min: 13, Grow: 4, Rank: 0},
}

// compareHead draws which two are compared, and when.
func compareHead(a draw.Area, s *drawCtx) draw.Area {
	c := s.Comparison
	title, dim := themes.Title.With(themes.Bold), themes.Style(themes.Dim)
	x := a.Text(0, 0, themes.Accent.With(themes.Bold), "⇄ "+c.Kind+"  ")
	name := max((a.W-x-3)/2, 8)
	x = a.FitHost(x, 0, name, title, c.A)
	x = a.Text(x, 0, dim, " ⇠ ⇢ ")
	a.FitHost(x, 0, a.W-x, title, c.B)
	r := rowWriter{a: a.Row(1)}
	r.number(themes.Style(themes.Text), "", c.Differ, "differ")
	r.fact(dim, "as of", s.clockText(c.At))
	_, rest := a.Top(3)
	return a.In(rest)
}

func compareRow(row draw.Area, r *CompareRow, places *draw.Slots, _ *drawCtx) {
	if r.Heading {
		x := row.Fit(places[0].X, 0, places[0].W, themes.Title.With(themes.Bold), r.Name)
		row.Repeat(x+1, 0, row.W-x-1, themes.Style(themes.Border), '─')
		return
	}
	style, name := themes.Text.With(themes.Bold), themes.Style(themes.Text)
	if r.Same {
		style, name = themes.Style(themes.Dim), themes.Style(themes.Dim)
	} else {
		row.Set(places[0].X, 0, themes.Style(themes.Focus), '≠')
	}
	row.Fit(places[0].X+2, 0, places[0].W-2, name, r.Name)
	for i, text := range [...]string{r.A, r.B} {
		of := style
		if text == "" {
			text, of = "–", themes.Style(themes.Dim)
		}
		row.Fit(places[1+i].X, 0, places[1+i].W, of, text)
	}
}
