package demo

import (
	"fmt"
	"io"
	"time"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// PrintOptions are how a recording is printed.
type PrintOptions struct {
	// Name is what an error calls the recording.
	Name string
	// Player is how it is read and played, except for its follower.
	Player play.Options
	// From, if not nil, returns the time of the first line, given when the recording starts and ends.
	From func(start, end time.Time) (time.Time, error)
}

// Print replays a recording, as fast as possible, and writes a line for every effect, mark and problem, and a summary at the
// end. A damaged recording is printed as far as it can be read, and the error names the position.
func Print(w io.Writer, recording io.Reader, o PrintOptions) error {
	p := &printer{out: w}
	o.Player.Follower = func(e *engine.Engine) play.Follower {
		p.began = e.Now()
		return p
	}
	player, err := play.NewPlayer(recording, o.Player)
	if err != nil {
		return fmt.Errorf("opening %s: %w", o.Name, err)
	}
	if o.From != nil {
		from, err := o.From(player.Start().Time, player.End().Time)
		if err != nil {
			return err
		}
		p.skipped = from.Sub(p.began)
	}
	for i, record := range player.Records() {
		if err := player.SeekRecord(i + 1); err != nil {
			return err
		}
		if mark, ok := record.Body.(trace.Mark); ok && mark.Kind != trace.Preemption {
			p.line(record.At, mark.Kind.String(), "%s", mark.Text)
		}
		if p.err != nil {
			return p.err
		}
	}
	p.skipped = 0
	p.summary(player.Engine())
	if damage := player.Damage(); damage != nil && p.err == nil {
		return damage
	}
	return p.err
}

// printer follows an engine and prints its effects.
type printer struct {
	out     io.Writer
	began   time.Time
	skipped time.Duration // so much after began is not printed
	err     error         // the first error of out
}

// Applied implements play.Follower.
func (p *printer) Applied(in world.Input, err error) {
	if err != nil {
		p.line(in.At, "problem", "%v", err)
	}
}

// Stepped implements play.Follower.
func (p *printer) Stepped(*engine.Decision) {}

// Emitted implements play.Follower.
func (p *printer) Emitted(e world.Effect) {
	switch a := e.Action.(type) {
	case world.Bind:
		p.line(e.At, "bind", "%s to %s", a.Pod, a.Node)
	case world.ClaimVolume:
		p.line(e.At, "claim volume", "%s for claim %s of %s", a.Volume.Name, a.Claim.Name, a.Pod)
	case world.SelectNode:
		p.line(e.At, "select node", "%s for claim %s of %s", a.Node, a.Claim.Name, a.Pod)
	case world.ReserveResourceClaim:
		p.line(e.At, "reserve claim", "%s for %s on %s", a.Claim.Name, a.Pod, a.Node)
	case world.DeallocateResourceClaim:
		p.line(e.At, "deallocate", "claim %s for %s", a.Claim.Name, a.Pod)
	case world.Delete:
		p.line(e.At, "evict", "%s", a.Pod)
	case world.EmitEvent:
		p.line(e.At, a.Reason, "%s: %s", a.Regarding, a.Note)
	case world.PatchStatus:
		if a.NominatedNode != nil && *a.NominatedNode != "" {
			p.line(e.At, "nominate", "%s for %s", *a.NominatedNode, a.Pod)
		}
	}
}

// Fork implements play.Follower. A fork prints nothing, so that no line is printed twice.
func (p *printer) Fork() play.Follower {
	return &printer{out: io.Discard, began: p.began}
}

func (p *printer) summary(e *engine.Engine) {
	t, counts := e.Counters(), e.Queue().Counts()
	p.line(e.Now(), "end", "%d decisions: %d placed, %d unschedulable; %d bound, %d still waiting; digest %s",
		t.Decisions[engine.Placed]+t.Decisions[engine.Unschedulable], t.Decisions[engine.Placed],
		t.Decisions[engine.Unschedulable], t.Bound, counts.Active+counts.Backoff+counts.Unschedulable, e.Digest())
}

//orrery:limit text; a printed line of a demo, in characters; cut off
const maxLine = 200

func (p *printer) line(at time.Time, what, format string, args ...any) {
	after := max(at.Sub(p.began), 0)
	if after < p.skipped {
		return
	}
	text := printable.Line(fmt.Sprintf(format, args...), maxLine)
	if _, err := fmt.Fprintf(p.out, "%8.3fs  %-16s %s\n", after.Seconds(), printable.Line(what, 16), text); err != nil && p.err == nil {
		p.err = fmt.Errorf("writing the events: %w", err)
	}
}
