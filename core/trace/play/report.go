package play

import (
	"fmt"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/trace"
)

// Report says how a replay compares with what was recorded.
type Report struct {
	// Exact says that the same decisions are to be expected; see the package comment.
	Exact bool
	// Records, Inputs and Decisions count what was played, Refused the inputs that the engine found something wrong with.
	Records, Inputs, Decisions, Refused uint64
	// Same and Different count decisions by whether the same pod went the same way. Missing were recorded and not made,
	// Unexpected made and not recorded.
	Same, Different, Missing, Unexpected uint64
	// First is the first difference of any kind; nil if there is none.
	First *Difference
	// DigestDiffers says that something differed that no decision shows, such as a message.
	DigestDiffers bool
	// Damage is where the trace could not be read any further; nil for a whole one.
	Damage *trace.Damage
}

// Difference is where a replay and a recording part.
type Difference struct {
	// At is the record at which it showed. Recorded or Replayed is nil where there was no such decision; both are for a
	// digest that differs at a checkpoint.
	At       trace.Record
	Recorded *trace.Decision
	Replayed *trace.Decision
}

// OK tells whether everything that was read was decided as it was recorded.
func (r *Report) OK() bool { return r.First == nil }

func (d *Difference) String() string {
	where := fmt.Sprintf("record %d, %s: ", d.At.Number, d.At.At.Format("2006-01-02T15:04:05.000000Z07:00"))
	switch {
	case d.Recorded == nil && d.Replayed == nil:
		return where + "the digest differs from the recorded one"
	case d.Recorded == nil:
		return where + "nothing was recorded, and now " + outcome(d.Replayed)
	case d.Replayed == nil:
		return where + "recorded " + outcome(d.Recorded) + ", and now nothing"
	case way(d.Recorded) == way(d.Replayed):
		return where + outcome(d.Recorded) + ", as recorded, but the digest differs: a message, a score or an effect is another"
	}
	return where + "recorded " + outcome(d.Recorded) + ", and now " + outcome(d.Replayed)
}

func outcome(d *trace.Decision) string {
	text := fmt.Sprintf("%s %s", printable.Line(d.Pod.String(), 120), d.Verdict)
	if d.Node != "" {
		text += " on " + printable.Line(d.Node, 80)
	}
	if d.Nominated != "" {
		text += " (nominated to " + printable.Line(d.Nominated, 80) + ")"
	}
	return text
}

// way is what two decisions are compared by, apart from the digest.
func way(d *trace.Decision) trace.Decision {
	w := *d
	w.Digest = 0
	return w
}

func (r *Report) compare(at trace.Record, recorded, replayed trace.Decision) {
	if way(&recorded) != way(&replayed) {
		r.Different++
		r.differ(Difference{at, &recorded, &replayed})
		return
	}
	r.Same++
	if recorded.Digest != 0 && recorded.Digest != replayed.Digest && !r.DigestDiffers {
		r.DigestDiffers = true
		r.differ(Difference{at, &recorded, &replayed})
	}
}

func (r *Report) missing(at trace.Record, recorded trace.Decision) {
	r.Missing++
	r.differ(Difference{At: at, Recorded: &recorded})
}

func (r *Report) unexpected(at trace.Record, replayed trace.Decision) {
	r.Unexpected++
	r.differ(Difference{At: at, Replayed: &replayed})
}

func (r *Report) digest(at trace.Record, recorded uint64, replayed engine.Digest) {
	if recorded != 0 && recorded != uint64(replayed) && !r.DigestDiffers {
		r.DigestDiffers = true
		r.differ(Difference{At: at})
	}
}

func (r *Report) differ(d Difference) {
	if r.First == nil {
		r.First = &d
	}
}
