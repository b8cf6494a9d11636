package views

import (
	"strconv"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// deviceLines is how many lines the selected device has below its name, at least.
const deviceLines = 3

// drawDeviceDetail draws the selected device in full at the bottom of an area, with the claims that have it, and returns the rest
// of the area. Its height does not depend on the device.
func drawDeviceDetail(a draw.Area, s *drawCtx) draw.Area {
	const least, roomy = 14, 30
	r := selected(s, &s.Devices.List)
	if !s.full || a.H < least || r == nil {
		return a
	}
	lines := deviceLines
	if a.H >= roomy {
		lines = 6
	}
	foot, rest := a.Bottom(lines + 1)
	at, d := a.In(foot), r.at(s.ui.Cell)
	look := d.State.style()
	glyph, style := d.cell(a.Glyphs())
	x := at.Text(0, 0, themes.Style(themes.Border), "── ")
	at.Set(x, 0, style, glyph)
	x = at.Fit(x+2, 0, a.W-x-2, themes.Text.With(themes.Bold), d.Name)
	x = at.Fit(x+1, 0, max(a.W-x-2, 0), style, look.word)
	at.Repeat(x+1, 0, a.W-x-1, themes.Style(themes.Border), '─')
	at.Fit(0, 1, a.W, themes.Style(themes.Text), joinDetails(r.Model, labelled("on", r.Place), labelled("pool", r.otherPool()), r.Driver, d.shareText(), d.Facts))
	y := 2
	if d.Taints != "" {
		at.Fit(0, y, a.W, themes.Style(deviceStyles[DeviceTainted].token), "taints "+d.Taints+forTime(d.Tainted, s.now))
		y++
	}
	for i := range d.Holders {
		if more := d.Claims - i; y >= lines && more > 1 {
			at.Fit(0, min(y, lines), a.W, themes.Style(themes.Dim), "→ "+counted(more, "more claim"))
			break
		}
		drawHolder(at.Row(y), &d.Holders[i], s.now)
		y++
	}
	if d.Claims == 0 && y <= lines {
		at.Fit(0, y, a.W, themes.Style(themes.Dim), joinDetails("no claim has it", r.Note))
	}
	return a.In(rest)
}

// shareText is the part of a device that is allocated, if it can be a part.
func (d *Device) shareText() string {
	if d.State != DeviceShared && d.State != DevicePartitioned {
		return ""
	}
	return strconv.Itoa(int(min(max(d.Share, 0), 1)*100+0.5)) + "% allocated"
}

// drawHolder draws one claim that has a device: its pod first.
func drawHolder(row draw.Area, h *DeviceHolder, now time.Time) {
	x := row.Text(0, 0, themes.Style(themes.Dim), "→ ")
	if h.Pod != "" {
		x = row.FitPath(x, 0, max(row.W/3, 20), themes.Style(themes.Accent), h.Pod)
		if h.Pods > 1 {
			x = row.Fit(x, 0, max(row.W-x, 0), themes.Style(themes.Dim), " and "+strconv.Itoa(h.Pods-1)+" more")
		}
		x = row.Fit(x, 0, max(row.W-x, 0), themes.Style(themes.Dim), ", priority "+strconv.Itoa(int(h.Priority)))
	} else {
		x = row.Text(x, 0, themes.Style(themes.Dim), "no pod")
	}
	row.Fit(x, 0, max(row.W-x, 0), themes.Style(themes.Text), " · "+joinDetails("claim "+h.Claim, h.Part, h.Note)+forTime(h.Since, now))
}

// forTime is " for 12m"; empty without a time.
func forTime(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " for " + string(draw.AppendAge(nil, max(now.Sub(since), 0)))
}
