package draw

// Column defines the width and headings of a table's column.
type Column struct {
	// Long and Short are the headings; the short one is used if the long one does not fit.
	Long, Short string
	// Min is the least useful width; Grow its share of the spare room, zero for none. Max bounds the width, zero for no
	// bound.
	Min, Grow, Max int
	// Rank is the column's importance: if not all columns fit, those of the highest rank are dropped first.
	Rank int
	// ShowFrom is the least width of a table that shows the column at all, for facts that are shown elsewhere too.
	ShowFrom int
	// Right means that the column holds numbers.
	Right bool
}

// maxColumns limits the columns of a table.
const maxColumns = 16

// Slot is the position of a column. A dropped column has no width.
type Slot struct{ X, W int }

// Slots are the positions of a table's columns.
type Slots [maxColumns]Slot

// Arrange positions columns in a width, with a gap of one column between them. It drops columns that do not fit: a
// number is never cut.
func Arrange(columns []Column, width int) Slots {
	var places Slots
	need := -1
	for i, c := range columns {
		if width < c.ShowFrom {
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

// share distributes the spare room among the columns in proportion to Grow, one screen column at a time.
func share(columns []Column, places *Slots, left int) {
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
			if c.Max > 0 {
				more = min(more, c.Max-places[i].W)
			}
			places[i].W += more
			given += more
		}
		left -= given
	}
}

func grows(c Column, p Slot) bool { return p.W > 0 && c.Grow > 0 && (c.Max == 0 || p.W < c.Max) }
