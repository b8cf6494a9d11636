package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// waterfall draws each plugin's score for the winner and the runner-up, and the difference.
func waterfall(a draw.Area, y int, e *Explanation) int {
	drawHeading(a, y, "score")
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	y++
	const number = 7
	name := max(a.W-3*(number+1), 10)
	bar := 0
	if name > 44 {
		bar = min(name-28, 30)
	}
	line := func(y int, plugin string, style themes.Style, won, next int64) {
		row := a.Row(y)
		row.Fit(0, 0, name-bar-1, style, plugin)
		row.CountRight(name, 0, number, text, won)
		row.CountRight(name+number+1, 0, number, dim, next)
		ahead, sign := themes.Good, "+"
		if won < next {
			ahead, sign = themes.Bad, ""
		}
		if won != next {
			row.TextRight(name+2*number+2, 0, number, themes.Style(ahead), sign+string(draw.AppendCount(nil, won-next)))
		}
		if bar > 0 {
			row.Bar(name-bar, 0, bar-1, themes.Style(themes.Accent), float64(won)/float64(max(e.Winner.Score, 1)))
		}
	}
	head := a.Row(y)
	head.FitPath(0, 0, name-1, dim, "★ "+e.Winner.Node+" before "+e.RunnerUp.Node)
	head.TextRight(name, 0, number, dim, "winner")
	head.TextRight(name+number+1, 0, number, dim, "next")
	head.TextRight(name+2*number+2, 0, number, dim, "ahead")
	y++
	for i := range min(len(e.Scores), a.H-y-1) {
		p := &e.Scores[i]
		line(y, p.Plugin, text, p.Winner, p.RunnerUp)
		y++
	}
	line(y, "total", text.With(themes.Bold), e.Winner.Score, e.RunnerUp.Score)
	return y + 1
}
