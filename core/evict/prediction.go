package evict

import (
	"cmp"
	"fmt"
	"time"
)

// Prediction is the prediction of an eviction and its outcome.
type Prediction struct {
	// PredictedAt is the predicted time of the eviction, zero if there is none; ObservedAt is when the eviction was first
	// seen.
	PredictedAt, ObservedAt time.Time
	// PredictedAnswer is the predicted answer of the eviction API, Answer the real one.
	PredictedAnswer, Answer Answer
	// OtherReason is why the pod was deleted instead; Unobserved is true for a pod deleted while nothing watched.
	OtherReason string
	Unobserved  bool
	// Outcome is decided once.
	Outcome Outcome
}

// Answer is the eviction API's answer to a request.
type Answer uint8

// The answers. There is none where no budget selects the pod.
const (
	NoAnswer Answer = iota
	Allowed
	Refused
)

func (a Answer) String() string { return [...]string{"", "allowed", "refused"}[a] }

func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Outcome is what came of a prediction.
type Outcome uint8

// The outcomes.
const (
	Pending          Outcome = iota // nothing yet, or nothing was predicted
	OnTime                          // evicted about when it was predicted
	Late                            // evicted, later than that
	Early                           // evicted, sooner: the timer had started before it was seen
	Missed                          // not evicted although the time had come
	Superseded                      // deleted before its time, for another reason
	OutcomeCancelled                // cancelled before its time
	Unobserved                      // deleted while nothing watched, perhaps for this cause
	AsPredicted                     // the eviction API answered as predicted
	Mispredicted                    // the eviction API answered otherwise

	numOutcomes
)

func (o Outcome) String() string {
	return [...]string{"", "on time", "late", "early", "missed", "superseded", "cancelled", "unobserved", "as predicted", "mispredicted"}[o]
}

func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// An eviction within onTimeTolerance of the predicted time is on time. A pod that is not evicted longOverdueAfter past it
// makes it doubtful that a controller runs.
const (
	onTimeTolerance  = 5 * time.Second
	longOverdueAfter = 30 * time.Second
)

// OutcomeCounts counts the outcomes of predictions.
type OutcomeCounts [numOutcomes]uint64

// Count is the number of predictions with an outcome.
func (c *OutcomeCounts) Count(outcome Outcome) int { return int(c[outcome]) }

// Any reports whether any prediction has an outcome.
func (c *OutcomeCounts) Any() bool { return *c != OutcomeCounts{} }

// Overdue is the time since a pod should have been evicted; ok is false if that time has not come.
func (e *Eviction) Overdue(now time.Time) (by time.Duration, ok bool) {
	p := &e.Prediction
	if p.PredictedAt.IsZero() || p.Outcome != Pending || now.Before(p.PredictedAt) {
		return 0, false
	}
	return now.Sub(p.PredictedAt), true
}

// LongOverdue reports whether a pod is so long overdue that probably no controller evicts it.
func (e *Eviction) LongOverdue(now time.Time) bool {
	by, due := e.Overdue(now)
	return due && by >= longOverdueAfter
}

// PredictionText returns the prediction and its outcome so far; empty if nothing was predicted.
func (e *Eviction) PredictionText(now time.Time) string {
	p := &e.Prediction
	if p.Outcome == Pending && p.PredictedAt.IsZero() {
		return ""
	}
	predicted := "predicted " + clockTime(p.PredictedAt)
	switch p.Outcome {
	case Pending:
		switch by, overdue := e.Overdue(now); {
		case !overdue:
			return predicted
		case !e.LongOverdue(now):
			return fmt.Sprintf("%s, overdue by %s", predicted, seconds(by))
		default:
			return fmt.Sprintf("%s, overdue by %s: is %s running?", predicted, seconds(by), controllerName(e.Cause))
		}
	case OnTime, Late, Early:
		return fmt.Sprintf("%s, evicted %s (%s)", predicted, clockTime(p.ObservedAt), signed(p.ObservedAt.Sub(p.PredictedAt)))
	case Missed:
		return fmt.Sprintf("%s, not evicted within %s: %s", predicted, seconds(e.Ended.Sub(p.PredictedAt)), cmp.Or(p.OtherReason, "cancelled"))
	case Superseded:
		return predicted + ", superseded: " + cmp.Or(p.OtherReason, "deleted before")
	case OutcomeCancelled:
		return predicted + ", cancelled before"
	case Unobserved:
		return predicted + ", deleted unobserved about then"
	case AsPredicted:
		return p.Answer.String() + ", as predicted"
	}
	return p.Answer.String() + ", predicted: " + p.PredictedAnswer.String()
}

// PredictionBrief is PredictionText in two words: "on time +200ms".
func (e *Eviction) PredictionBrief(now time.Time) string {
	p := &e.Prediction
	switch p.Outcome {
	case Pending:
		if by, _ := e.Overdue(now); e.LongOverdue(now) {
			return "overdue " + seconds(by)
		}
		return ""
	case OnTime, Late, Early:
		return p.Outcome.String() + " " + signed(p.ObservedAt.Sub(p.PredictedAt))
	}
	return p.Outcome.String()
}

// controllerName returns the controller that evicts pods for a predictable cause.
func controllerName(c Cause) string {
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

// merge returns a prediction that replaces an earlier one. A decided outcome stays, and so does the first predicted time of
// an eviction that is already due.
func (p Prediction) merge(was Prediction, due bool) Prediction {
	if was.Outcome != Pending {
		return was
	}
	if p.PredictedAt.IsZero() || due && !was.PredictedAt.IsZero() && was.PredictedAt.Before(p.PredictedAt) {
		p.PredictedAt = was.PredictedAt
	}
	if !was.ObservedAt.IsZero() {
		p.ObservedAt = was.ObservedAt
	}
	p.OtherReason = cmp.Or(p.OtherReason, was.OtherReason)
	p.Unobserved = p.Unobserved || was.Unobserved
	return p
}

// outcome returns the outcome of an eviction's prediction so far.
func (e *Eviction) outcome() Outcome {
	p := &e.Prediction
	over := e.Phase == Evicted || e.Phase == Cancelled
	switch {
	case p.PredictedAnswer != NoAnswer && p.Answer != NoAnswer:
		if p.PredictedAnswer == p.Answer {
			return AsPredicted
		}
		return Mispredicted
	case p.PredictedAt.IsZero():
		return Pending
	case !p.ObservedAt.IsZero():
		return timeliness(p.ObservedAt.Sub(p.PredictedAt))
	case !over:
		return Pending
	case p.Unobserved && e.Ended.Before(p.PredictedAt.Add(-onTimeTolerance)):
		return Superseded
	case p.Unobserved:
		return Unobserved
	case e.Ended.After(p.PredictedAt.Add(onTimeTolerance)):
		return Missed
	case p.OtherReason != "":
		return Superseded
	case e.Phase == Evicted:
		return Unobserved
	}
	return OutcomeCancelled
}

func timeliness(off time.Duration) Outcome {
	switch {
	case off > onTimeTolerance:
		return Late
	case off < -onTimeTolerance:
		return Early
	}
	return OnTime
}
