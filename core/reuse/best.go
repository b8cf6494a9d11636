package reuse

// Best is the best sum of scores of a window, and how many feasible nodes have it. Scaled are the lowest and highest scaled
// score of each column.
type Best struct {
	Sum    int64
	Ties   int
	scaled []bounds
}

// Scaled are the lowest and the highest score of a column.
func (b Best) Scaled(column int) (least, most int64) {
	return b.scaled[column].least, b.scaled[column].most
}

// Best computes the scores of a window that are not known, and returns the best. It returns false if one is not for reuse. The
// bounds are the tree's, until the next call.
func (t *Tree) Best(w Window, compute Compute) (Best, bool) {
	for {
		block := t.staleIn(w, scores)
		if block < 0 {
			break
		}
		if !t.rate(block, compute) {
			return Best{}, false
		}
	}
	spans := t.spans(w)
	return t.best(spans[:]), true
}

func (t *Tree) best(spans []span) Best {
	var best int64
	var ties int32
	scaled := t.inWindow[:0]
	for range t.table.Scaled {
		scaled = append(scaled, noBounds)
	}
	t.inWindow = scaled
	for _, s := range spans {
		t.each(1, t.all(), s, func(i int) {
			best, ties = better(best, ties, t.nodes[i].best, t.nodes[i].ties)
			for column, all := range t.scaledOf(i) {
				scaled[column] = scaled[column].join(all)
			}
		}, func(position int) {
			cell := t.cell(position)
			if cell.Status != nil {
				return
			}
			best, ties = better(best, ties, cell.Sum, 1)
			t.joinScaled(scaled, position)
		})
	}
	return Best{best, int(ties), scaled}
}

// Tied is the position of a node with the best sum of a window, of which so many are before it.
func (t *Tree) Tied(w Window, best Best, before int) int {
	spans := t.spans(w)
	return t.tied(spans[:], best, before)
}

func (t *Tree) tied(spans []span, best Best, before int) int {
	for _, s := range spans {
		if at := t.tiedIn(1, t.all(), s, best.Sum, &before); at >= 0 {
			return at
		}
	}
	return -1
}

// tiedIn is the position of a cell with the sum, which is the best of the span.
func (t *Tree) tiedIn(i int, below, s span, best int64, before *int) int {
	from, to := max(below.from, s.from), min(below.to, s.to)
	n := &t.nodes[i]
	if from >= to || n.feasible == 0 || n.best < best {
		return -1
	}
	if i >= t.leaves {
		return t.tiedAt(span{from, to}, best, before)
	}
	if whole := from == below.from && (to == below.to || to == len(t.places)); whole && int(n.ties) <= *before {
		*before -= int(n.ties)
		return -1
	}
	middle := (below.from + below.to) / 2
	if at := t.tiedIn(2*i, span{below.from, middle}, s, best, before); at >= 0 {
		return at
	}
	return t.tiedIn(2*i+1, span{middle, below.to}, s, best, before)
}

func (t *Tree) tiedAt(s span, best int64, before *int) int {
	for at := s.from; at < s.to; at++ {
		if cell := t.cell(at); cell.Status != nil || cell.Sum != best {
			continue
		}
		if *before == 0 {
			return at
		}
		*before--
	}
	return -1
}

// RunnerUp is the position and the sum of the best node of a window besides the one at a position, the first of equal ones.
func (t *Tree) RunnerUp(w Window, won int) (position int, sum int64) {
	spans := t.spans(w)
	rest := make([]span, 0, 3)
	for _, s := range spans {
		if s.from <= won && won < s.to {
			rest = append(rest, span{s.from, won}, span{won + 1, s.to})
		} else {
			rest = append(rest, s)
		}
	}
	best := t.best(rest)
	return t.tied(rest, best, 0), best.Sum
}
