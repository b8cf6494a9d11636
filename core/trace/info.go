package trace

import (
	"errors"
	"io"
	"time"

	"orrery/core/world"
)

// Info describes a trace without replaying it.
type Info struct {
	Header Header
	// First and Last are the times of the first and the last record; zero in an empty trace.
	First, Last time.Time
	// Inputs, Decisions and Checkpoints count records; InputsByKind counts inputs by the kind of their objects, and
	// inputs without an object as EffectDone, ActivateRequest or Tick.
	Inputs, Decisions, Checkpoints uint64
	// States counts the states of the scheduler, from each of which a replay can go on, and Usages the readings of what nodes use.
	States       uint64
	Usages       uint64
	InputsByKind map[string]uint64
	Verdicts     [Skipped + 1]uint64
	Marks        []MarkAt
	// Objects counts the objects in lists and states. Bytes is the size of the file, Unpacked that of its records.
	Objects         uint64
	Bytes, Unpacked int64
	// Digest is the last recorded one; zero if names were hashed.
	Digest uint64
	// Damage is nil for a whole trace.
	Damage *Damage
}

// MarkAt is a mark with its time and record number.
type MarkAt struct {
	At     time.Time
	Record uint64
	Mark   Mark
}

// maxMarks bounds the listed marks: a file may hold any number.
//
//orrery:limit recordings; marks that "trace info" lists; the others are counted
const maxMarks = 10_000

// ReadInfo reads a trace to its end or to the damage. The error reports a file that is not a readable trace.
func ReadInfo(from io.Reader) (Info, error) {
	r, err := NewReader(from)
	if err != nil {
		return Info{}, err
	}
	info := Info{Header: r.Header(), InputsByKind: map[string]uint64{}}
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
		i.countEvent(b.Event)
	case Decision:
		i.Decisions++
		i.Verdicts[b.Verdict]++
		i.Digest = b.Digest
	case Checkpoint:
		i.Checkpoints++
		i.Digest = b.Digest
	case State:
		i.States++
		i.Objects += uint64(len(b.Objects))
		i.Digest = b.Digest
	case Usage:
		i.Usages++
	case Mark:
		if len(i.Marks) < maxMarks {
			i.Marks = append(i.Marks, MarkAt{r.At, r.Number, b})
		}
	}
}

func (i *Info) countEvent(e world.Event) {
	switch ev := e.(type) {
	case world.Changed:
		i.InputsByKind[string(world.KindOf(ev.Object))]++
	case world.Listed:
		i.InputsByKind[string(ev.Kind)]++
		i.Objects += uint64(len(ev.Objects))
	case world.EffectDone:
		i.InputsByKind["EffectDone"]++
	case world.ActivateRequest:
		i.InputsByKind["ActivateRequest"]++
	case world.Tick:
		i.InputsByKind["Tick"]++
	}
}
