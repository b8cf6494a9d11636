package views

import (
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var deviceClaimsPane = ListPane[DeviceClaimRow]{
	Pane: Pane{
		ID: DeviceClaimsPane, Title: "Resource claims", Help: "claims for devices, the troubled ones first", Opens: ExplainPane, Describes: "ResourceClaim",
		minW: 50, minH: 5, borderFact: deviceClaimsRight, named: rowNames{Many: "claims"},
	},
	Columns: deviceClaimColumns, Row: deviceClaimRow, Empty: "there are no claims for devices", Absent: "devices have not been read yet", Head: deviceClaimsHead,
	Detail: func(c *DeviceClaimRow) (string, string) {
		pods := labelled("pod", c.Pod)
		if c.Pods > 1 {
			pods += " and " + strconv.Itoa(c.Pods-1) + " more"
		}
		if c.Pod != "" {
			pods += ", priority " + strconv.Itoa(int(c.Priority))
		}
		return c.Name, joinDetails(c.State.Word(), c.Note, labelled("requests", c.Requests), labelled("has", c.Devices), labelled("on", c.Place), pods)
	},
	Rows: Source.DeviceClaims,
	In:   in(func(m *Model) *Devices { return m.Devices }, func(p *Devices) *List[DeviceClaimRow] { return &p.ClaimList }),
	Match: func(f *filter.Row, c *DeviceClaimRow) {
		f.Namespace, f.Name, _ = strings.Cut(c.Key, "/")
		f.Labels, f.Words = c.Labels, [4]string{c.State.style().searched(), c.Requests, c.Words, c.PodKey}
	},
	Sorts: []Sort[DeviceClaimRow]{
		by("name", func(c *DeviceClaimRow) string { return c.Key }),
		by("requests", func(c *DeviceClaimRow) string { return c.Requests }),
		by("since", func(c *DeviceClaimRow) int64 { return c.Since.UnixMicro() }),
	},
	Key: func(c *DeviceClaimRow) string { return c.Key },
	Pod: func(c *DeviceClaimRow) string { return c.PodKey },
}

var deviceClaimColumns = []draw.Column{
	{Long: "state", Short: "state", Min: 9, Grow: 3, Max: 13, Rank: 0},
	{Long: "claim", Short: "claim", Min: 16, Grow: 4, Max: 44, Rank: 0},
	{Long: "since", Short: "since", Min: 5, Rank: 2, Right: true},
	{Long: "requests", Short: "requests", Min: 10, Grow: 2, Max: 28, Rank: 3},
	{Long: "devices", Short: "devices", Min: 12, Grow: 3, Max: 44, Rank: 4},
	{Long: "on", Short: "on", Min: 10, Grow: 2, Max: 28, Rank: 5},
	{Long: "pod", Short: "pod", Min: 14, Grow: 2, Max: 40, Rank: 6, ShowFrom: 120},
	{Long: "waits for, or what is wrong", Short: "waits for", Min: 20, Grow: 7, Rank: 1},
}

func deviceClaimRow(row draw.Area, c *DeviceClaimRow, at *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	drawLook(row, at[0].X, at[0].W, c.State.style())
	s.podName(row, at[1], text, c.Name)
	drawSince(row, at[2], c.Since, s.now)
	row.Fit(at[3].X, 0, at[3].W, text, c.Requests)
	row.Fit(at[4].X, 0, at[4].W, text, c.Devices)
	row.FitHost(at[5].X, 0, at[5].W, dim, c.Place)
	s.podName(row, at[6], dim, c.Pod)
	if c.State == DeviceClaimPending { // the scheduler's words
		drawReason(row, at[7].X, at[7].W, text, c.Note)
		return
	}
	note := text
	if c.State >= DeviceClaimInFlight {
		note = dim
	}
	row.Fit(at[7].X, 0, at[7].W, note, c.Note)
}

func deviceClaimsRight(m *Model) string {
	if m.Devices == nil {
		return ""
	}
	claims := 0
	for _, n := range m.Devices.Claims {
		claims += n
	}
	return readSoFar(m.Devices.Reading, counted(claims, "claim"))
}

// deviceClaimsHead draws the counts.
func deviceClaimsHead(a draw.Area, s *drawCtx) draw.Area {
	stateCounts(a.Row(0), "claims", deviceClaimStyles[:], s.Devices.Claims[:])
	_, rest := a.Top(2)
	return a.In(rest)
}
