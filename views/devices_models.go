package views

import (
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
)

// deviceModels draws what there is of every model, from a row on, and returns the row after it.
func deviceModels(a draw.Area, y int, v *Devices) int {
	spare := a.H - y - v.List.Total - deviceLines - 4
	rows := min(len(v.Models), max((a.H-y-6)/4, spare, 1))
	if rows == 0 || a.H-y < 4 {
		return y
	}
	title := "in use, by model"
	if all := len(v.Models) + v.MoreModels; all > rows {
		title += ", " + strconv.Itoa(rows) + " of " + strconv.Itoa(all)
	}
	drawHeading(a, y, title)
	name, numbers, value := 0, 0, 0
	for i := range v.Models[:rows] {
		m := &v.Models[i]
		name, numbers, value = max(name, draw.Width(m.Name)), max(numbers, draw.Width(m.share())), max(value, draw.Width(m.freeText()))
	}
	name = min(name, max(a.W/4, 8))
	if name+numbers+value+leanBar+4 > a.W {
		value = max(a.W-name-numbers-leanBar-4, 0)
	}
	bar := min(a.W-name-numbers-value-4, 60)
	for i := range v.Models[:rows] {
		m, row := &v.Models[i], a.Row(y+1+i)
		row.Fit(0, 0, name, themes.Style(themes.Text), m.Name)
		row.StackedBar(name+1, 0, bar, m.parts())
		row.TextRight(name+bar+2, 0, numbers, themes.Style(themes.Text), m.share())
		row.Fit(name+bar+numbers+4, 0, value, themes.Style(themes.Dim), m.freeText())
	}
	return y + 1 + rows
}

// share is how many devices of a model are in use, in tenths if parts of devices are.
func (m *DeviceModel) share() string {
	digits, used := 1, min(max(m.Used, 0), float64(m.All()))
	if used == float64(int(used)) {
		digits = 0
	}
	return strconv.FormatFloat(used, 'f', digits, 64) + "/" + strconv.Itoa(m.All())
}

// freeText is how many devices are free, and how many of them on the place that has the most: a claim gets its devices there.
func (m *DeviceModel) freeText() string {
	free := m.Count[DeviceFree]
	switch {
	case free == 0:
		return "none free"
	case m.Places == 1:
		return strconv.Itoa(free) + " free"
	case free == m.MostFree:
		return strconv.Itoa(free) + " free on " + m.MostFreeOn
	}
	return strconv.Itoa(free) + " free, at most " + strconv.Itoa(m.MostFree) + " together: " + m.MostFreeOn
}

// deviceParts are the parts of a model's bar: states with the same fill differ in colour, and in the counts above.
var deviceParts = [...]struct {
	state DeviceState
	fill  rune
}{
	{DeviceReserved, '▇'},
	{DeviceAllocated, '▇'},
	{DeviceInFlight, '▇'},
	{DeviceBinding, '▇'},
	{DeviceShared, '▅'},
	{DevicePartitioned, '▅'},
	{DeviceEvicting, '▒'},
	{DeviceTainted, '▒'},
	{DeviceIncomplete, '░'},
	{DeviceFree, '·'},
}

func (m *DeviceModel) parts() []draw.Part {
	parts := make([]draw.Part, len(deviceParts))
	for i, p := range deviceParts {
		parts[i] = draw.Part{Count: m.Count[p.state], Style: themes.Style(deviceStyles[p.state].token), Fill: p.fill}
	}
	return parts
}
