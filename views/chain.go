package views

import (
	"orrery/core/answers/answer"
	"orrery/themes"
	"orrery/views/draw"
)

// drawChain draws the chain from a pod's claims to its volumes or devices above a row, and returns the row after it.
func drawChain(a draw.Area, y, last int, links []answer.Link) int {
	for i := range links {
		if y >= last {
			break
		}
		l := &links[i]
		x, sign, token := 0, '·', themes.Good
		switch {
		case l.Depth > 0 && l.Bad:
			x, sign, token = 2, '→', themes.Bad
		case l.Depth > 0:
			x, sign, token = 2, '→', themes.Dim
		case l.Bad:
			sign, token = '✗', themes.Bad
		}
		a.Set(x, y, themes.Style(token), sign)
		y = a.Wrap(x+2, y, a.W-x-2, min(3, last-y), themes.Style(themes.Text), l.Says)
	}
	return y
}
