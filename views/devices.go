package views

import (
	"math"
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var devicesPane = ListPane[DeviceRow]{
	Pane: Pane{
		ID: DevicesPane, Title: "Devices", Help: "devices by driver and node, a cell each, and who holds them", Opens: ExplainPane, AllNamespaces: true,
		minW: 50, minH: 6, body: drawDevices, borderFact: devicesRight, named: rowNames{Many: "pools"},
	},
	Row: deviceRow, Empty: noDevices,
	Rows: Source.Devices,
	In:   in(func(m *Model) *Devices { return m.Devices }, func(p *Devices) *List[DeviceRow] { return &p.List }),
	Match: func(f *filter.Row, r *DeviceRow) {
		f.Name, f.Words = r.Place, [4]string{r.Driver + " " + r.Pool, r.Model, r.stateWords(), r.Pods}
	},
	Sorts: []Sort[DeviceRow]{
		by("place", func(r *DeviceRow) string { return r.Place }),
		by("model", func(r *DeviceRow) string { return r.Model }),
		byMost("free", func(r *DeviceRow) int { return r.Count[DeviceFree] }),
		byMost("in use", func(r *DeviceRow) int { return inUse(&r.Count) }),
		by("trouble", func(r *DeviceRow) DeviceState { return r.worst() }),
	},
	Key:        func(r *DeviceRow) string { return r.Key },
	Node:       func(r *DeviceRow) string { return r.NodeKey },
	Cells:      func(r *DeviceRow) int { return len(r.Devices) },
	CellPod:    func(r *DeviceRow, cell int) string { return r.at(cell).holder().PodKey },
	CellObject: deviceObject,
}

const noDevices = "no driver publishes devices"

// at returns the device of a cell, or the last one.
func (r *DeviceRow) at(cell int) *Device {
	if len(r.Devices) == 0 {
		return &Device{}
	}
	return &r.Devices[max(min(cell, len(r.Devices)-1), 0)]
}

// holder is the first claim that has a device.
func (d *Device) holder() DeviceHolder {
	if len(d.Holders) == 0 {
		return DeviceHolder{}
	}
	return d.Holders[0]
}

// deviceObject is what there is to describe of a device: the claim that has it, else its slice.
func deviceObject(r *DeviceRow, cell int) (kind, key string) {
	d := r.at(cell)
	if claim := d.holder().ClaimKey; claim != "" {
		return "ResourceClaim", claim
	}
	return "ResourceSlice", d.SliceKey
}

// inUse sums the states of devices that claims have.
func inUse(count *[deviceStates]int) int {
	sum := 0
	for state, n := range count {
		if DeviceState(state).InUse() {
			sum += n
		}
	}
	return sum
}

// worst is the worst state of a row's devices.
func (r *DeviceRow) worst() DeviceState {
	for state, n := range r.Count {
		if n > 0 {
			return DeviceState(state)
		}
	}
	return deviceStates
}

// stateWords are the states of a row's devices, for filters.
func (r *DeviceRow) stateWords() string {
	words := r.Note
	for state, n := range r.Count {
		if n > 0 {
			words += " " + deviceStyles[state].searched()
		}
	}
	return words
}

func devicesRight(m *Model) string {
	if m.Devices == nil {
		return ""
	}
	words := counted(m.Devices.all(), "device") + " in " + counted(m.Devices.Pools, "pool")
	return readSoFar(m.Devices.Reading, words)
}

// drawDevices draws how many devices and claims are in which state, what there is of each model, the devices as cells, and the
// selected one in full.
func drawDevices(a draw.Area, s *drawCtx) {
	v := s.Devices
	if v == nil {
		drawAbsent(a, "devices have not been read yet")
		return
	}
	y := deviceCounts(a, v)
	const roomy = 20
	if a.H >= roomy {
		y++
	}
	y = deviceModels(a, y, v)
	if a.H >= roomy && len(v.Models) > 0 {
		y++
	}
	_, rest := a.Top(y)
	below := drawDeviceDetail(a.In(rest), s)
	columns, step := deviceColumns(&v.List, below.W)
	table(below, s, columns, &v.List, noDevices, func(row draw.Area, r *DeviceRow, at *draw.Slots, s *drawCtx) {
		deviceRow(row, r, at, s)
		drawCells(row, r, at[deviceCells], step, s)
	})
}

// deviceCounts draws the counts of devices, and of claims if there is room for a second row.
func deviceCounts(a draw.Area, v *Devices) int {
	styles := deviceStyles
	styles[DeviceShared].glyph = shareSign(0.5, a.Glyphs())
	const roomy, airy = 12, 24
	rows := 1
	if a.H >= airy {
		rows = 2
	}
	y := wrappedCounts(a, 0, rows, "devices", styles[:], v.Count[:])
	if a.H >= roomy {
		y = wrappedCounts(a, y, rows, "claims", deviceClaimStyles[:], v.Claims[:])
	}
	return y
}

// wrappedCounts is stateCounts on as many rows as the words need, and at most rows. It returns the row after them.
func wrappedCounts(a draw.Area, y, rows int, noun string, styles []glyphStyle, counts []int) int {
	first := a.Row(y)
	if r := stateCounts(first, noun, styles, counts); !r.plain || rows == 1 {
		return y + 1
	}
	half := 0 // the states of the first row are about as many as those of the second
	for seen, state := 0, 0; state < len(counts); state++ {
		if counts[state] > 0 {
			seen++
		}
		if half = state + 1; 2*seen >= nonZero(counts) {
			break
		}
	}
	stateCounts(first, noun, styles[:half], counts[:half])
	stateCounts(a.Row(y+1), "", styles[half:], counts[half:])
	return y + 2
}

func nonZero(counts []int) int {
	n := 0
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return n
}

// deviceTable are the columns of the pane at their widest. That of the cells is as wide as the longest row needs.
var deviceTable = []draw.Column{
	{Long: "node", Short: "node", Min: 12, Grow: 3, Max: 34, Rank: 0},
	{Long: "driver", Short: "driver", Min: 10, Grow: 1, Max: 24, Rank: 6, ShowFrom: 150},
	{Long: "pool", Short: "pool", Min: 8, Grow: 1, Max: 24, Rank: 7, ShowFrom: 170},
	{Long: "model", Short: "model", Min: 6, Grow: 2, Max: 26, Rank: 2},
	{Long: "devices", Short: "devices", Rank: 0},
	{Long: "free", Short: "free", Min: 5, Rank: 1},
	{Long: "held by", Short: "held by", Min: 16, Grow: 9, Rank: 4},
}

const (
	devicePool  = 2
	deviceCells = 4
)

// deviceColumns returns the columns for some rows, no wider than they need, and the columns from one cell to the next.
func deviceColumns(list *List[DeviceRow], width int) (columns []draw.Column, step int) {
	devices, widest := len("devices"), [deviceCells]int{}
	for i := range list.Rows {
		r := &list.Rows[i]
		devices = max(devices, len(r.Devices))
		for j, text := range [deviceCells]string{r.Place + r.numbers(), r.Driver, r.otherPool(), r.Model} {
			widest[j] = max(widest[j], draw.Width(text)+1)
		}
	}
	const roomy = 100
	step = 1
	if devices <= RowDevices/2 || width >= roomy {
		step = 2
	}
	columns = append(columns, deviceTable...)
	for i, w := range widest {
		columns[i].Max = min(columns[i].Max, max(w, columns[i].Min))
	}
	if widest[devicePool] <= 1 {
		columns[devicePool].ShowFrom = math.MaxInt
	}
	columns[deviceCells].Min, columns[deviceCells].Max = devices*step, devices*step
	return columns, step
}

// otherPool is the pool, unless it is called as the node.
func (r *DeviceRow) otherPool() string {
	if r.Pool == r.Place {
		return ""
	}
	return r.Pool
}

// numbers are those of a row's devices at its place, if that has more than a row.
func (r *DeviceRow) numbers() string {
	if r.Of <= RowDevices {
		return ""
	}
	return " " + strconv.Itoa(r.From+1) + "–" + strconv.Itoa(r.From+len(r.Devices))
}

func deviceRow(row draw.Area, r *DeviceRow, at *draw.Slots, _ *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	numbers := r.numbers()
	w := min(draw.Width(numbers), at[0].W/2)
	x := row.FitHost(at[0].X, 0, at[0].W-w, text, r.Place)
	row.Fit(x, 0, at[0].X+at[0].W-x, dim, numbers)
	row.Fit(at[1].X, 0, at[1].W, dim, r.Driver)
	row.FitHost(at[2].X, 0, at[2].W, dim, r.otherPool())
	row.Fit(at[3].X, 0, at[3].W, text, r.Model)
	drawShare(row, at[5], r.Count[DeviceFree], len(r.Devices))
	x = at[6].X
	end := x + at[6].W
	if r.Note != "" {
		x = row.Fit(x, 0, end-x, themes.Style(themes.Warn), r.Note) + 2
	}
	row.Fit(x, 0, max(end-x, 0), dim, r.Holders)
}

// drawCells draws a row's devices. The cursor is on one of those of the selected row.
func drawCells(row draw.Area, r *DeviceRow, at draw.Slot, step int, s *drawCtx) {
	selected := s.full && s.Devices.List.At(s.ui.Cursor.Selected) == r
	for i := range r.Devices {
		x := at.X + i*step
		if x >= at.X+at.W {
			return
		}
		glyph, style := r.Devices[i].cell(row.Glyphs())
		if selected && i == min(s.ui.Cell, len(r.Devices)-1) {
			style = style.With(themes.Reverse | themes.Bold)
		}
		row.Set(x, 0, style, glyph)
	}
}

// cell returns a device's sign and style. That of a shared device is as high as its share, that of a partitioned one as full.
func (d *Device) cell(g draw.Glyphs) (rune, themes.Style) {
	look := d.State.style()
	glyph, style := look.glyph, themes.Style(look.token)
	switch d.State {
	case DeviceShared:
		glyph = shareSign(d.Share, g)
	case DevicePartitioned:
		glyph = partSign(d.Share)
	case DeviceEvicting, DeviceTainted:
		style = look.token.With(themes.Bold)
	}
	return glyph, style
}

// shareSign is as high as a share; in ASCII it is a digit, as the heights there look like other signs.
func shareSign(share float64, g draw.Glyphs) rune {
	if g == draw.ASCII {
		return '1' + rune(min(max(int(share*10)-1, 0), 8))
	}
	return []rune("▁▂▃▄▅▆▇█")[min(max(int(share*8+0.5)-1, 0), 7)]
}

// partSign is as full as a share, to a quarter; only a whole one is full.
func partSign(share float64) rune {
	switch {
	case share >= 1:
		return '◉'
	case share > 0.625:
		return '◕'
	case share > 0.375:
		return '◑'
	}
	return '◔'
}
