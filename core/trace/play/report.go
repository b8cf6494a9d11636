package play

import (
	"fmt"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
)

// Report compares a replay with the recording.
type Report struct {
	// Exact says that the replay should make the same decisions; see the package comment.
	Exact bool
	// Records and Inputs count the played records, Decisions the compared ones, Refused the inputs that the engine refused.
	Records, Inputs, Decisions, Refused uint64
	// Same and Different count decisions that are equal or differ. Missing decisions were recorded and not made,
	// Unexpected ones made and not recorded.
	Same, Different, Missing, Unexpected uint64
	// First is the first difference of any kind, or nil.
	First *Difference
	// DigestDiffers says that something outside the compared fields differs, such as a message.
	DigestDiffers bool
	// Summary is which part of the scheduler's life was replayed.
	Summary Summary
	// Damage is where the trace could not be read any further; nil for a whole one.
	Damage *trace.Damage
}

// Difference is a difference between a replay and the recording.
type Difference struct {
	// At is the record that shows it. Recorded or Replayed is nil if there is no such decision; both are nil for a
	// digest that differs at a checkpoint.
	At       trace.Record
	Recorded *trace.Decision
	Replayed *trace.Decision
}

// OK reports whether the replay made the recorded decisions.
func (r *Report) OK() bool { return r.First == nil }

func (d *Difference) String() string {
	where := fmt.Sprintf("record %d, %s: ", d.At.Number, d.At.At.Format("2006-01-02T15:04:05.000000Z07:00"))
	switch {
	case d.Recorded == nil && d.Replayed == nil:
		return where + "the digest differs from the recorded one"
	case d.Recorded == nil:
		return where + "nothing was recorded, and now " + describe(d.Replayed)
	case d.Replayed == nil:
		return where + "recorded " + describe(d.Recorded) + ", and now nothing"
	case withoutDigest(d.Recorded) == withoutDigest(d.Replayed):
		return where + describe(d.Recorded) + ", as recorded, but the digest differs: a message, a score or an effect is another"
	}
	return where + "recorded " + describe(d.Recorded) + ", and now " + describe(d.Replayed)
}

func describe(d *trace.Decision) string {
	text := fmt.Sprintf("%s %s", printable.Line(d.Pod.String(), 120), d.Verdict)
	if d.Node != "" {
		text += " on " + printable.Line(d.Node, 80)
	}
	if d.Nominated != "" {
		text += " (nominated to " + printable.Line(d.Nominated, 80) + ")"
	}
	return text
}

// withoutDigest returns a decision without its digest, for comparison.
func withoutDigest(d *trace.Decision) trace.Decision {
	w := *d
	w.Digest = 0
	return w
}

func (r *Report) compare(at trace.Record, recorded, replayed trace.Decision) {
	if withoutDigest(&recorded) != withoutDigest(&replayed) {
		r.Different++
		r.recordDifference(Difference{at, &recorded, &replayed})
		return
	}
	r.Same++
	if recorded.Digest != 0 && recorded.Digest != replayed.Digest && !r.DigestDiffers {
		r.DigestDiffers = true
		r.recordDifference(Difference{at, &recorded, &replayed})
	}
}

func (r *Report) missing(at trace.Record, recorded trace.Decision) {
	r.Missing++
	r.recordDifference(Difference{At: at, Recorded: &recorded})
}

func (r *Report) unexpected(at trace.Record, replayed trace.Decision) {
	r.Unexpected++
	r.recordDifference(Difference{At: at, Replayed: &replayed})
}

func (r *Report) compareDigest(at trace.Record, recorded uint64, replayed engine.Digest) {
	if recorded != 0 && recorded != uint64(replayed) && !r.DigestDiffers {
		r.DigestDiffers = true
		r.recordDifference(Difference{At: at})
	}
}

func (r *Report) recordDifference(d Difference) {
	if r.First == nil {
		r.First = &d
	}
}
