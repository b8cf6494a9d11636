package views

import (
	"strconv"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

var leaderPane = Pane{
	ID: LeaderPane, Title: "Leader", Help: "who leads, for how long, and who would be next", Digit: '6',
	minW: 24, minH: 3, body: drawLeader, drawLine: stripLeader, borderFact: leaderRight,
}

func leaderRight(m *Model) string {
	switch l := m.Leader; {
	case l == nil:
		return ""
	case l.noLease():
		return counted(len(l.Others), "other lease")
	}
	return counted(m.Leader.Transitions, "transition")
}

// noLease reports whether there is no scheduler lease, although other facts are known.
func (l *Leader) noLease() bool { return l.State == "absent" }

// drawLeader draws who leads, for how long, and the candidates.
func drawLeader(a draw.Area, s *drawCtx) {
	l := s.Leader
	if l == nil {
		drawAbsent(a, "no lease found")
		return
	}
	if l.noLease() {
		a.Fit(0, 0, a.W, themes.Style(themes.Dim), "no lease found of a scheduler")
		_, rest := a.Top(2)
		leaderFacts(a.In(rest), l, s)
		return
	}
	leaderHolder(a.Row(0), l, s.now)
	leaderExpiry(a.Row(1), l, s.now)
	_, rest := a.Top(3)
	a = a.In(rest)
	if a.H >= 5 {
		most := 6
		if s.full {
			most = 9
		}
		intervals, rest := a.Top(min(max(a.H/4, 2), most) + 1)
		renewIntervals(a.In(intervals), l, s.now)
		_, rest = rest.Top(1)
		a = a.In(rest)
	}
	leaderFacts(a, l, s)
}

// missed returns how many renewals the holder has left out, and for how long it has been silent; zero while it renews, late by
// half a period at most.
func (l *Leader) missed(now time.Time) (renewals int, silent time.Duration) {
	silent = now.Sub(l.Renewed)
	if l.Holder == "" || l.Retry <= 0 || l.Renewed.IsZero() || silent < l.Retry*5/2 {
		return 0, 0
	}
	return int(silent/l.Retry) - 1, silent
}

// leaderHolder draws who leads: its heart beats as long as it renews its lease.
func leaderHolder(a draw.Area, l *Leader, now time.Time) {
	if l.Holder == "" {
		a.Text(0, 0, themes.Bad.With(themes.Bold), "✗ no leader")
		return
	}
	missed, silent := l.missed(now)
	heart := "♥ "
	if missed > 0 {
		heart = "✗ "
	}
	x := a.Text(0, 0, heartStyle(missed), heart)
	x = a.Fit(x, 0, a.W-x-12, themes.Title.With(themes.Bold), l.Holder)
	if l.IsSelf {
		x = a.Text(x+1, 0, themes.Style(themes.Accent), "this one")
	}
	r := rowWriter{a: a, x: x}
	if missed > 0 {
		r.fact(themes.Bad.With(themes.Bold), "silent for "+wholeSpan(silent), "").fact(themes.Style(themes.Bad), counted(missed, "renewal")+" missed", "")
		return
	}
	if !l.Acquired.IsZero() {
		r.fact(themes.Style(themes.Dim), "for "+string(draw.AppendSpan(nil, now.Sub(l.Acquired))), "")
	}
}

// heartStyle is the style of a leader that has missed renewals.
func heartStyle(missed int) themes.Style {
	if missed > 0 {
		return themes.Bad.With(themes.Bold)
	}
	return themes.Style(themes.Good)
}

// leaderExpiry draws the time left until the lease expires.
func leaderExpiry(a draw.Area, l *Leader, now time.Time) {
	if l.Holder == "" || l.Lease <= 0 {
		return
	}
	left, token := l.left(now)
	w := max(a.W-24, 4)
	a.Countdown(0, 0, w, themes.Style(token), float64(left)/float64(l.Lease))
	x := a.Span(w+1, 0, themes.Style(token).With(themes.Bold), max(left, 0))
	word := " until it expires"
	if left <= 0 {
		word = " expired"
	}
	a.Fit(x, 0, a.W-x, themes.Style(themes.Dim), word)
}

// left returns the time until the lease expires, and its colour.
func (l *Leader) left(now time.Time) (time.Duration, themes.Token) {
	left := l.Renewed.Add(l.Lease).Sub(now)
	switch {
	case left <= 0:
		return left, themes.Bad
	case left < l.Lease-l.Deadline:
		return left, themes.Warn
	}
	return left, themes.Good
}

// renewIntervals draws the intervals between renewals against the renew deadline.
func renewIntervals(a draw.Area, l *Leader, now time.Time) {
	drawHeading(a, 0, "renewals")
	missed, silent := l.missed(now)
	if n := len(l.RenewIntervals); missed > 0 {
		a.Fit(9, 0, a.W-10, themes.Style(themes.Bad), " none for "+wholeSpan(silent)+" ")
	} else if n > 0 {
		a.Fit(9, 0, a.W-10, themes.Style(themes.Good), " "+formatSpan(l.RenewIntervals[n-1])+" between renewals ")
	}
	_, rest := a.Top(1)
	if rest.H >= 2 && rest.W >= 30 {
		var left draw.Rect
		left, rest = rest.Left(6)
		axis := a.In(left)
		for y := range axis.H {
			axis.Set(axis.W-1, y, themes.Style(themes.Border), '│')
		}
		axisLabel(axis, 0, formatSpan(l.Deadline))
		axisLabel(axis, axis.H-1, "0")
	}
	values := make([]float64, len(l.RenewIntervals))
	for i, b := range l.RenewIntervals {
		values[i] = b.Seconds()
	}
	if missed > 0 { // the interval that has not ended yet
		values = append(values, silent.Seconds())
	}
	a.In(rest).Chart(themes.Style(themes.Good), values, l.Deadline.Seconds())
}

// leaderFacts draws the candidates, the lease's settings and its transitions.
func leaderFacts(a draw.Area, l *Leader, s *drawCtx) {
	const label = 9
	y := 0
	line := func(name, value string) {
		a.Fit(0, y, label-1, themes.Style(themes.Dim), name)
		a.Fit(label, y, a.W-label, themes.Style(themes.Text), value)
		y++
	}
	if l.Pending > 0 || !l.LastBound.IsZero() {
		line("queue", l.queue(s.now, a.W-label))
	}
	if l.Strategy != "" {
		line("strategy", l.Strategy+", by the control plane")
	}
	if l.Preferred != "" {
		line("prefers", l.Preferred+" to lead next")
	}
	for i, c := range l.Candidates {
		name, value := "", c.Name
		switch {
		case i == 0 && c.Announced:
			name = "standing"
		case i == 0:
			name = "waiting"
		}
		if c.Note != "" {
			value += ", " + c.Note
		}
		line(name, value)
	}
	if l.Lease > 0 {
		line("lease", formatSpan(l.Lease)+", renewed every "+formatSpan(l.Retry))
		line("deadline", "renewDeadline "+formatSpan(l.Deadline))
	}
	if !l.FailoverAt.IsZero() && l.FailoverAt.After(s.now) {
		line("failover", "in "+formatSpan(l.FailoverAt.Sub(s.now))+" if not renewed")
	}
	if l.MaxClockSkew > 0 {
		safe := strconv.FormatFloat(l.MaxClockSkew, 'f', 2, 64) + "× max clock skew"
		if l.ObservedClockSkew > 1 {
			safe += ", " + strconv.FormatFloat(l.ObservedClockSkew, 'f', 2, 64) + "× observed"
		}
		line("skew", safe)
	}
	if l.Overlap != "" {
		a.Fit(0, y, a.W, themes.Bad.With(themes.Bold), "✗ "+l.Overlap)
		y++
	}
	_, rest := a.Top(y)
	leaderHistory(a.In(rest), l, s)
}

// queue returns how many pods wait, and since when no pod got a node, in words that fit in w columns.
func (l *Leader) queue(now time.Time, w int) string {
	text := count(l.Pending, "pending")
	if l.LastBound.IsZero() {
		return text
	}
	ago := string(draw.AppendAge(nil, max(now.Sub(l.LastBound), 0))) + " ago"
	for _, words := range [...]string{", a pod was last bound ", ", bound "} {
		if form := text + words + ago; draw.Width(form) <= w {
			return form
		}
	}
	return text
}

// leaderHistory draws the transitions of the leases, and the holders of the other leases. A short list is
// drawn in full.
func leaderHistory(a draw.Area, l *Leader, s *drawCtx) {
	others := 0
	if len(l.Others) > 0 {
		others = min(1+len(l.Others), max(a.H/2, a.H-1-len(l.History)))
	}
	if n := min(len(l.History), a.H-others-1); n > 0 {
		drawHeading(a, 0, "transitions")
		for i := range n {
			leaderTransition(a.Row(1+i), &l.History[i], s)
		}
		_, rest := a.Top(n + 1)
		a = a.In(rest)
	}
	if others < 2 || a.H < 2 {
		return
	}
	drawHeading(a, 0, "other leases")
	for i := range min(len(l.Others), a.H-1) {
		leaderOther(a.Row(1+i), &l.Others[i], s.now)
	}
}

func leaderOther(a draw.Area, o *OtherLease, now time.Time) {
	dim := themes.Style(themes.Dim)
	const transitions, left = 14, 12
	name := min(a.W/3, 40)
	a.Fit(0, 0, name, themes.Style(themes.Text), o.Name)
	holder := a.W - name - 2 - left
	if holder >= transitions+12 {
		holder -= transitions
	}
	x := name + 1
	if o.Holder == "" {
		a.Fit(x, 0, a.W-x, themes.Style(themes.Warn), "no holder")
		return
	}
	a.Fit(x, 0, holder, themes.Style(themes.Text), o.Holder)
	x += holder + 1
	if until := o.Expires.Sub(now); until > 0 {
		x = a.Fit(x, 0, left, themes.Style(themes.Good), formatSpan(until)+" left")
	} else {
		x = a.Fit(x, 0, left, themes.Style(themes.Bad), "expired")
	}
	if a.W-x >= transitions {
		a.Fit(a.W-transitions, 0, transitions, dim, counted(o.Transitions, "transition"))
	}
}

func leaderTransition(a draw.Area, c *LeaderTransition, s *drawCtx) {
	dim := themes.Style(themes.Dim)
	x := a.Text(0, 0, dim, s.clockText(c.At)) + 2
	if c.Lease != "" {
		x = a.Fit(x, 0, 24, dim, c.Lease) + 2
	}
	x = a.Fit(x, 0, 16, themes.Style(themes.Text), c.From)
	x = a.Text(x, 0, dim, " → ")
	x = a.Fit(x, 0, 16, themes.Style(themes.Text), c.To)
	if a.W-x > 8 {
		a.Fit(x+2, 0, a.W-x-2, dim, c.Why)
	}
}

// formatSpan formats a duration.
func formatSpan(d time.Duration) string { return string(draw.AppendSpan(nil, d)) }

func stripLeader(a draw.Area, s *drawCtx) {
	l := s.Leader
	if l == nil {
		a.Fit(0, 0, a.W, themes.Style(themes.Dim), "no lease found")
		return
	}
	if l.noLease() {
		a.Fit(0, 0, a.W, themes.Style(themes.Dim), "no scheduler lease, "+counted(len(l.Others), "other"))
		return
	}
	left := max(l.Renewed.Add(l.Lease).Sub(s.now), 0)
	missed, silent := l.missed(s.now)
	heart := "♥ "
	if missed > 0 {
		heart = "✗ "
	}
	x := a.Text(0, 0, heartStyle(missed), heart)
	r := rowWriter{a: a, x: a.Fit(x, 0, a.W/2, themes.Style(themes.Text), l.Holder)}
	if missed > 0 {
		r.fact(themes.Style(themes.Bad), "silent for "+wholeSpan(silent), "")
	}
	r.fact(themes.Style(themes.Text), formatSpan(left), "left").fact(themes.Style(themes.Text), counted(l.Transitions, "transition"), "")
	r.number(themes.Style(themes.Text), "", len(l.Candidates), "waiting")
}
