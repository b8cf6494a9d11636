package evict

import (
	"fmt"
	"time"
)

// Foretelling is what was predicted of a departure, and what then happened.
type Foretelling struct {
	// Due is when the pod was to be asked to leave; zero if nobody foretold a time. Asked is when it was first seen to be
	// asked to, for that cause.
	Due, Asked time.Time
	// Judged is how an eviction through the API was expected to be answered, Answered how it was.
	Judged, Answered Ruling
	// Instead is what made the pod go in place of what was foretold, and Unseen says that it went while nobody looked.
	Instead string
	Unseen  bool
	// Outcome is what came of it. It is settled once.
	Outcome Outcome
}

// Ruling is an answer to the question whether a pod may be evicted.
type Ruling uint8

// The rulings. An eviction that no budget has a say in is not judged.
const (
	Unjudged Ruling = iota
	Allowed
	Refused
)

func (r Ruling) String() string { return [...]string{"", "allowed", "refused"}[r] }

// MarshalText is the ruling's word.
func (r Ruling) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Outcome is what came of a prediction.
type Outcome uint8

// The outcomes.
const (
	Pending      Outcome = iota // nothing yet, or nothing was foretold
	Kept                        // asked to leave about when it was foretold
	Late                        // asked to leave, later than that
	Early                       // asked to leave, sooner: the timer had begun before it was seen
	Missed                      // was not asked to leave although its time had come
	Overtaken                   // left before its time by something else
	CalledOff                   // was let stay before its time
	Unseen                      // went while nobody looked, so that it may have been for this
	Agreed                      // an eviction was answered as foretold
	Contradicted                // an eviction was answered otherwise

	outcomes
)

func (o Outcome) String() string {
	return [...]string{"", "kept", "late", "early", "missed", "overtaken", "called off", "unseen", "agreed", "contradicted"}[o]
}

// MarshalText is the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// A pod that is asked to leave within prompt of the time foretold, before or after, left on time. One that is still there,
// unasked, doubtAfter that time makes one doubt that anybody acts.
const (
	prompt     = 5 * time.Second
	doubtAfter = 30 * time.Second
)

// Outcomes counts what came of predictions.
type Outcomes [outcomes]uint64

// Of is how many ended so.
func (o *Outcomes) Of(outcome Outcome) int { return int(o[outcome]) }

// Any tells whether any prediction has ended.
func (o *Outcomes) Any() bool { return *o != Outcomes{} }

// Overdue is for how long a pod has been due that was not asked to leave; ok is false if it is not due.
func (d *Departure) Overdue(now time.Time) (by time.Duration, ok bool) {
	f := &d.Foretold
	if f.Due.IsZero() || f.Outcome != Pending || now.Before(f.Due) {
		return 0, false
	}
	return now.Sub(f.Due), true
}

// Check says in words what was foretold and what came of it by now; empty if there was nothing to foretell.
func (d *Departure) Check(now time.Time) string {
	f := &d.Foretold
	if f.Outcome == Pending && f.Due.IsZero() {
		return ""
	}
	due := "foretold " + clockTime(f.Due)
	switch f.Outcome {
	case Pending:
		switch by, ok := d.Overdue(now); {
		case !ok:
			return due
		case !d.Doubtful(now):
			return fmt.Sprintf("%s, still here after %s", due, seconds(by))
		default:
			return fmt.Sprintf("%s, still here after %s: is %s running?", due, seconds(by), controllerOf(d.Cause))
		}
	case Kept, Late, Early:
		return fmt.Sprintf("%s, asked to leave %s (%s)", due, clockTime(f.Asked), signed(f.Asked.Sub(f.Due)))
	case Missed:
		why := "it was let stay"
		if f.Instead != "" {
			why = f.Instead
		}
		return fmt.Sprintf("%s, not asked in %s, then %s", due, seconds(d.Ended.Sub(f.Due)), why)
	case Overtaken:
		why := "it was gone before"
		if f.Instead != "" {
			why = f.Instead + " first"
		}
		return due + ", but " + why
	case CalledOff:
		return due + ", called off before"
	case Unseen:
		return due + ", gone about then; nobody saw for what"
	case Agreed:
		return f.Answered.String() + ", as foretold"
	}
	return f.Answered.String() + ", though it was foretold to be " + f.Judged.String()
}

// Brief is Check in two words, for those who have no room for more: "kept +200ms".
func (d *Departure) Brief(now time.Time) string {
	f := &d.Foretold
	switch f.Outcome {
	case Pending:
		if by, _ := d.Overdue(now); d.Doubtful(now) {
			return "overdue " + seconds(by)
		}
		return ""
	case Kept, Late, Early:
		return f.Outcome.String() + " " + signed(f.Asked.Sub(f.Due))
	}
	return f.Outcome.String()
}

// Doubtful tells whether a pod has been due for so long that one doubts that anybody acts.
func (d *Departure) Doubtful(now time.Time) bool {
	by, due := d.Overdue(now)
	return due && by >= doubtAfter
}

// controllerOf is who makes pods leave for a cause that can be foretold.
func controllerOf(c Cause) string {
	if c == DeviceTaint {
		return "device taint eviction"
	}
	return "taint eviction"
}

func clockTime(t time.Time) string { return t.UTC().Format(time.TimeOnly) }

func seconds(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func signed(d time.Duration) string {
	if d < 0 {
		return "-" + seconds(-d)
	}
	return "+" + seconds(d)
}

// after is what is known of a departure in whose place it is written. What is settled stays so, and what was due already is
// not due anew.
func (f Foretelling) after(was Foretelling, due bool) Foretelling {
	if was.Outcome != Pending {
		return was
	}
	if f.Due.IsZero() || due && !was.Due.IsZero() && was.Due.Before(f.Due) {
		f.Due = was.Due
	}
	if !was.Asked.IsZero() {
		f.Asked = was.Asked
	}
	if f.Instead == "" {
		f.Instead = was.Instead
	}
	f.Unseen = f.Unseen || was.Unseen
	return f
}

// settle is what came of what was foretold.
func (d *Departure) settle() Outcome {
	f := &d.Foretold
	over := d.Phase == Left || d.Phase == Cancelled
	switch {
	case f.Judged != Unjudged && f.Answered != Unjudged:
		if f.Judged == f.Answered {
			return Agreed
		}
		return Contradicted
	case f.Due.IsZero():
		return Pending
	case !f.Asked.IsZero():
		return punctual(f.Asked.Sub(f.Due))
	case !over:
		return Pending
	case f.Unseen && d.Ended.Before(f.Due.Add(-prompt)):
		return Overtaken
	case f.Unseen:
		return Unseen
	case d.Ended.After(f.Due.Add(prompt)):
		return Missed
	case f.Instead != "":
		return Overtaken
	case d.Phase == Left:
		return Unseen
	}
	return CalledOff
}

func punctual(off time.Duration) Outcome {
	switch {
	case off > prompt:
		return Late
	case off < -prompt:
		return Early
	}
	return Kept
}
