package draw

// Column says how wide a column of a table wants to be.
type Column struct {
	// Long and Short are its headings; the short one is used when the long one does not fit.
	Long, Short string
	// Min is the least width it is of use at; Grow its share of the room that is left, zero for none. Most bounds what
	// it grows to, zero for no bound.
	Min, Grow, Most int
	// Rank says how much it matters: of columns that do not all fit, those of the highest rank go first.
	Rank int
	// From is the least width of a table that shows it at all: what is said elsewhere too is only for those who have room.
	From int
	// Right says that it holds numbers.
	Right bool
}

// mostColumns is more than any table has.
const mostColumns = 16

// Place is where a column came to stand. One that was left out has no width.
type Place struct{ X, W int }

// Columns are the places of a table's columns.
type Columns [mostColumns]Place

// Arrange gives columns their places in a width, with a gap of one column between them. Columns that do not fit are
// left out whole: a number is never cut.
func Arrange(columns []Column, width int) Columns {
	var places Columns
	need := -1
	for i, c := range columns {
		if width < c.From {
			continue
		}
		places[i].W = c.Min
		need += c.Min + 1
	}
	for need > width {
		worst := -1
		for i, c := range columns {
			if places[i].W > 0 && (worst < 0 || c.Rank >= columns[worst].Rank) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		need -= places[worst].W + 1
		places[worst].W = 0
	}
	share(columns, &places, width-need)
	x := 0
	for i := range columns {
		if places[i].W > 0 {
			places[i].X = x
			x += places[i].W + 1
		}
	}
	return places
}

// share hands out the room that is left, a column at a time in proportion to what each grows by.
func share(columns []Column, places *Columns, left int) {
	for left > 0 {
		given, total := 0, 0
		for i, c := range columns {
			if grows(c, places[i]) {
				total += c.Grow
			}
		}
		if total == 0 {
			return
		}
		for i, c := range columns {
			if !grows(c, places[i]) || given >= left {
				continue
			}
			more := min(max(left*c.Grow/total, 1), left-given)
			if c.Most > 0 {
				more = min(more, c.Most-places[i].W)
			}
			places[i].W += more
			given += more
		}
		left -= given
	}
}

func grows(c Column, p Place) bool {
	return p.W > 0 && c.Grow > 0 && (c.Most == 0 || p.W < c.Most)
}
