package tui

import (
	"fmt"
	"io"
	"strings"
	"time"

	"orrery/core/safe/printable"
	"orrery/core/trace"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo/playback"
	"orrery/views"
	"orrery/views/collect"
)

// Attachment is what an attached screen reads; an attach.Session is one.
type Attachment interface {
	Wake() <-chan struct{}
	Take() (b attach.Batch, more bool)
}

// Attached is a scheduler that runs elsewhere, as a Source: a recording of what came of its stream, which goes on. When another scheduler
// leads, its recording is the next one. It is shown at once where the end is followed, and else once that is asked for, so that what was
// being looked at stays.
type Attached struct {
	*Recording
	next   *Recording
	shown  attach.State // whose recording is shown
	state  attach.State // of the session
	outage string       // why the scheduler's recording on disk has stopped; empty while it has not
	behind string       // why what the stream has lags behind the cluster; empty while it does not
	source Attachment
	clock  func() time.Time
}

// OpenAttached shows a session from its first batch on. The clock tells the time of day.
func OpenAttached(source Attachment, clock func() time.Time) *Attached {
	a := &Attached{source: source, clock: clock}
	a.take()
	a.Recording, a.next, a.shown = a.next, nil, a.state
	return a
}

var (
	_ Source     = (*Attached)(nil)
	_ Playback   = (*Attached)(nil)
	_ announcing = (*Attached)(nil)
)

// Name returns the shown scheduler's host, which is its pod, or its address.
func (a *Attached) Name() string { return schedulerName(&a.shown) }

func schedulerName(s *attach.State) string {
	if i := strings.LastIndexByte(s.Identity, '_'); i > 0 {
		return printable.Line(s.Identity[:i], 120)
	}
	if s.Identity != "" {
		return printable.Line(s.Identity, 120)
	}
	return printable.Line(s.Where, 120)
}

// Mode is Attached.
func (a *Attached) Mode() views.Mode { return views.Attached }

// Moving is always true: something may come at any time.
func (a *Attached) Moving() bool { return true }

// Wake delivers when something has come. It is nil while time passes by itself: in what is played again, and on the way to the end.
func (a *Attached) Wake() <-chan struct{} {
	if a.Behind() || !a.surveyComplete() || a.Playing() && !a.Following() {
		return nil
	}
	return a.source.Wake()
}

// Advance takes what has come and plays on.
func (a *Attached) Advance(elapsed time.Duration) (changed bool) {
	changed = a.take()
	if a.Recording.Advance(elapsed) {
		changed = true
	}
	if a.next != nil {
		a.next.Advance(elapsed)
		if a.Following() && a.AtEnd() {
			a.showNext()
			changed = true
		}
	}
	return changed
}

// maxUnplayed is how many records may wait to be played before no more are taken.
//
//orrery:limit screen; records of an attached scheduler that wait to be played; no more are taken for a while
const maxUnplayed = 1 << 15

// take takes what has come, unless too much waits to be played. While the scheduler is lost, the time since then is a change.
func (a *Attached) take() (changed bool) {
	for more := true; more && a.unplayed() < maxUnplayed; {
		var b attach.Batch
		b, more = a.source.Take()
		changed = changed || b.Segment != nil || len(b.Records) > 0 || !a.state.Attached() || !b.State.Attached()
		a.state = b.State
		if b.Segment != nil {
			a.next, a.outage, a.behind = a.begin(b.Segment), "", ""
		}
		a.latest().grow(b.Records)
		a.noteOutage(b.Records)
	}
	return changed
}

// noteOutage keeps what records say of the scheduler's recording on disk, and of its lag behind the cluster.
func (a *Attached) noteOutage(records []trace.Record) {
	for i := range records {
		switch m, _ := records[i].Body.(trace.Mark); m.Kind {
		case trace.RecordingStopped:
			a.outage = m.Text
		case trace.RecordingResumed:
			a.outage = ""
		case trace.FellBehind:
			a.behind = m.Text
		case trace.CaughtUp:
			a.behind = ""
		}
	}
}

// latest is the recording that grows.
func (a *Attached) latest() *Recording {
	if a.next != nil {
		return a.next
	}
	return a.Recording
}

func (a *Attached) unplayed() int {
	d := a.latest()
	if d == nil {
		return 0
	}
	return d.Records() - int(d.Report().Records)
}

// begin makes the recording of a segment. Its first mark says how it joins to the one before.
func (a *Attached) begin(s *attach.Segment) *Recording {
	d := newRecording(playback.OpenGrowing(schedulerName(&s.State), s.Player))
	if before := a.latest(); before != nil {
		text := joins(&s.State, &s.Before, d.Start().Sub(before.End()))
		d.opening = views.Mark{At: d.Start(), Label: text, Kind: "leader change", Glyph: '♥', Annotated: true}
	}
	return d
}

// joins returns what lies between the end of one scheduler's stream and the beginning of the next one.
func joins(s, before *attach.State, gap time.Duration) string {
	text := schedulerName(s) + " leads after " + schedulerName(before)
	switch {
	case s.Observing && s.Identity != before.Identity:
		text = schedulerName(s) + " observes after " + schedulerName(before)
	case s.Identity == before.Identity:
		text = "attached to " + schedulerName(s) + " again"
	}
	if gap > 0 {
		return text + "; " + gap.Round(time.Millisecond).String() + " between them are unknown"
	}
	return text + "; nothing between them is missing"
}

// showNext shows the next scheduler's recording. What was shown is dropped.
func (a *Attached) showNext() {
	a.Recording, a.next, a.shown = a.next, nil, a.state
}

// Ends seeks to the start, or goes on at the end: that of the scheduler that leads now.
func (a *Attached) Ends(last bool) error {
	if !last {
		return a.Recording.Ends(false)
	}
	if a.next != nil {
		a.showNext()
	}
	a.Follow()
	return a.Err()
}

// Annotate sets the header's source and alert. While the scheduler is lost, the end of its stream is no news; what is looked at before
// the end is the past, with or without a stream.
func (a *Attached) Annotate(m *views.Model, q collect.Query) {
	a.addDifferences(m, q)
	m.Header.Source, m.Header.Mode = a.Name(), a.Mode()
	if m.Header.Leader == "" && a.shown.Leading {
		m.Header.Leader = a.Name()
	}
	m.Header.Alert, m.Header.Blind = printable.Line(a.alert(), 300), a.Following() && !a.state.Attached()
	if a.Engine().Store().Len(world.Lease) == 0 {
		m.Forbidden = map[views.PaneID]string{views.LeaderPane: a.leadership()}
	}
}

// leadership stands in place of the lease, which a scheduler does not watch: whether the shown one led.
func (a *Attached) leadership() string {
	if a.shown.Observing {
		return a.Name() + " observes another scheduler; its lease is not in the stream"
	}
	if a.shown.Leading {
		return a.Name() + " leads; its lease is not in its stream"
	}
	return a.Name() + " does not lead; its lease is not in its stream"
}

// catchingUpFrom is how far behind the end a screen that follows it has to be to say so.
const catchingUpFrom = 2 * time.Second

// alert returns why the screen does not show what the leader does now.
func (a *Attached) alert() string {
	own := a.Recording.alert("this is not what the scheduler holds, which decided differently: ")
	switch behind := a.End().Sub(a.Now()); {
	case own != "":
		return own
	case !a.state.Attached():
		return a.lost()
	case a.next != nil:
		return schedulerName(&a.state) + " leads now; $ goes there, and this is dropped"
	case !a.Report().Exact:
		return "the scheduler's state is not in its stream: decisions are made anew here, and may be others"
	case a.behind != "":
		return a.behind
	case a.outage != "":
		return a.outage + "; scheduling goes on"
	case a.Following() && behind >= catchingUpFrom:
		return "catching up: " + behind.Truncate(time.Second).String() + " behind"
	}
	return ""
}

// lost returns since when and why there is no stream, and what is done about it.
func (a *Attached) lost() string {
	s := &a.state
	now := a.clock()
	text := fmt.Sprintf("lost %s ago: %v; ", max(now.Sub(s.LostAt), 0).Truncate(time.Second), s.Lost)
	switch {
	case s.GaveUp:
		text += "no longer looking for the leader"
	case s.RetryAt.IsZero():
		text += "looking for the leader"
	default:
		text += "looking for the leader in " + max(s.RetryAt.Sub(now), 0).Round(time.Second).String()
	}
	if s.Retry != nil {
		text += fmt.Sprintf(": %v", s.Retry)
	}
	return text
}

// SaveTrace returns how to write what is held as a trace, off the loop's goroutine.
func (a *Attached) SaveTrace() (write func(io.Writer) error, err error) {
	x, err := a.Excerpt()
	if err != nil {
		return nil, err
	}
	about := play.About{Program: a.Header().Program, Description: "attached to " + a.Name()}
	return func(to io.Writer) error { return x.Write(to, about) }, nil
}
