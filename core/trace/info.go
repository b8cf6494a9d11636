package trace

import (
	"errors"
	"io"
	"time"

	"orrery/core/world"
)

// Info is what can be said of a trace without replaying it.
type Info struct {
	Header Header
	// First and Last are the times of the first and the last record; zero in an empty trace.
	First, Last time.Time
	// Records by what they are, and Inputs by the kind of their objects; inputs without an object count under what they
	// are called: ended, asked, passed.
	Inputs, Decisions, Checkpoints uint64
	Events                         map[string]uint64
	Verdicts                       [Skipped + 1]uint64
	Marks                          []MarkAt
	// Objects is how many objects came in lists. Bytes is the size of the file, Unpacked of its records.
	Objects         uint64
	Bytes, Unpacked int64
	// Digest is the last one recorded; zero when names were hashed.
	Digest uint64
	// Damage is nil for a whole trace.
	Damage *Damage
}

// MarkAt is a mark and where it stands.
type MarkAt struct {
	At     time.Time
	Record uint64
	Mark   Mark
}

// mostMarks bounds the marks that are listed: a screen shows no more, and a file may hold any number.
const mostMarks = 10_000

// ReadInfo goes through a trace to its end, or to where it is damaged. The error says that it is no trace at all.
func ReadInfo(from io.Reader) (Info, error) {
	r, err := NewReader(from)
	if err != nil {
		return Info{}, err
	}
	info := Info{Header: r.Header(), Events: map[string]uint64{}}
	for record, err := range r.All() {
		if err != nil {
			errors.As(err, &info.Damage)
			break
		}
		info.add(record)
	}
	info.Bytes = r.Offset()
	return info, nil
}

func (i *Info) add(r Record) {
	if i.First.IsZero() || r.At.Before(i.First) {
		i.First = r.At
	}
	if r.At.After(i.Last) {
		i.Last = r.At
	}
	i.Unpacked += int64(r.Size)
	switch b := r.Body.(type) {
	case Input:
		i.Inputs++
		i.event(b.Event)
	case Decision:
		i.Decisions++
		i.Verdicts[b.Verdict]++
		i.Digest = b.Digest
	case Checkpoint:
		i.Checkpoints++
		i.Digest = b.Digest
	case Mark:
		if len(i.Marks) < mostMarks {
			i.Marks = append(i.Marks, MarkAt{r.At, r.Number, b})
		}
	}
}

func (i *Info) event(e world.Event) {
	switch ev := e.(type) {
	case world.Changed:
		i.Events[string(world.KindOf(ev.Object))]++
	case world.Listed:
		i.Events[string(ev.Kind)]++
		i.Objects += uint64(len(ev.Objects))
	case world.Ended:
		i.Events["ended"]++
	case world.Asked:
		i.Events["asked"]++
	case world.Passed:
		i.Events["passed"]++
	}
}
