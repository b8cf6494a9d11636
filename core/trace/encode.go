package trace

import (
	"encoding/binary"
	"fmt"
	"time"

	"orrery/core/printable"
	"orrery/core/world"
)

// encoder lays entries out in a block's contents, each with its length before it.
type encoder struct {
	contents []byte
	entries  uint32
	previous time.Time // of the entry before, in this block
	entry    []byte    // scratch
}

func (e *encoder) reset(start time.Time) {
	e.contents, e.entries, e.previous = e.contents[:0], 0, start
}

// begin starts an entry that has a time.
func (e *encoder) begin(kind byte, at time.Time) {
	e.entry = appendTime(append(e.entry[:0], kind), at, &e.previous)
}

func (e *encoder) finish() {
	e.contents = append(binary.AppendUvarint(e.contents, uint64(len(e.entry))), e.entry...)
	e.entries++
}

func (e *encoder) changed(at time.Time, flags byte, c world.Changed) error {
	before := e.previous
	e.begin(changedEntry, at)
	e.entry = append(e.entry, flags, byte(c.Op))
	if err := e.object(c.Object); err != nil {
		e.previous = before
		return err
	}
	e.finish()
	return nil
}

func (e *encoder) listed(at time.Time, flags byte, kind world.Kind, objects int) {
	e.begin(listedEntry, at)
	e.entry = append(e.entry, flags)
	e.entry = appendText(e.entry, string(kind))
	e.entry = binary.AppendUvarint(e.entry, uint64(objects))
	e.finish()
}

func (e *encoder) item(o world.Object) error {
	e.entry = append(e.entry[:0], itemEntry)
	if err := e.object(o); err != nil {
		return err
	}
	e.finish()
	return nil
}

// object puts an object's kind and its protocol buffer.
func (e *encoder) object(o world.Object) error {
	kind := world.KindOf(o)
	lay, ok := o.(object)
	if kind == "" || !ok {
		return fmt.Errorf("recording an object of type %T: traces hold the kinds of world.Kinds and custom ones only", o)
	}
	size := lay.Size()
	if size > mostObject {
		return tooBig(o, size)
	}
	e.entry = appendText(e.entry, string(kind))
	at := len(e.entry)
	e.entry = append(e.entry, make([]byte, size)...)
	n, err := lay.MarshalTo(e.entry[at:])
	if err != nil {
		return fmt.Errorf("recording %s %q: %w", kind, printable.Line(o.GetNamespace()+"/"+o.GetName(), 200), err)
	}
	e.entry = e.entry[:at+n]
	return nil
}

func tooBig(o world.Object, size int) error {
	return fmt.Errorf("recording %s %q: it takes %d bytes, and at most %d are allowed",
		world.KindOf(o), printable.Line(o.GetNamespace()+"/"+o.GetName(), 200), size, mostObject)
}

func (e *encoder) ended(at time.Time, flags byte, ev world.Ended, of *Wish) {
	e.begin(endedEntry, at)
	e.entry = append(e.entry, flags)
	e.entry = binary.AppendUvarint(e.entry, uint64(ev.Effect))
	e.entry = binary.AppendVarint(e.entry, int64(ev.Outcome.Code))
	e.entry = appendText(e.entry, string(ev.Outcome.Reason))
	e.entry = appendText(e.entry, ev.Outcome.Message)
	if e.entry = append(e.entry, byte(of.Verb)); of.Verb != Unknown {
		e.entry = appendText(appendRef(e.entry, of.Pod), of.Detail)
	}
	e.finish()
}

func (e *encoder) asked(at time.Time, flags byte, ev world.Asked) {
	e.begin(askedEntry, at)
	e.entry = append(e.entry, flags)
	e.entry = binary.AppendUvarint(e.entry, uint64(len(ev.Activate)))
	for _, pod := range ev.Activate {
		e.entry = appendText(appendText(e.entry, pod.Namespace), pod.Name)
	}
	e.finish()
}

func (e *encoder) passed(at time.Time, flags byte) {
	e.begin(passedEntry, at)
	e.entry = append(e.entry, flags)
	e.finish()
}

func (e *encoder) decision(at time.Time, d *Decision) {
	e.begin(decisionEntry, at)
	e.entry = binary.AppendUvarint(e.entry, d.Seq)
	e.entry = appendRef(e.entry, d.Pod)
	e.entry = binary.AppendUvarint(e.entry, uint64(d.Attempt))
	e.entry = append(e.entry, byte(d.Verdict))
	e.entry = appendText(appendText(e.entry, d.Node), d.Nominated)
	e.entry = binary.AppendUvarint(e.entry, uint64(d.Victims))
	e.entry = binary.LittleEndian.AppendUint64(e.entry, d.Digest)
	e.finish()
}

func (e *encoder) checkpoint(at time.Time, c Checkpoint) {
	e.begin(checkpointEntry, at)
	e.entry = binary.LittleEndian.AppendUint64(e.entry, c.Digest)
	e.entry = binary.AppendUvarint(e.entry, c.Inputs)
	e.entry = binary.AppendUvarint(e.entry, c.Decisions)
	e.finish()
}

func (e *encoder) mark(at time.Time, m Mark) {
	e.begin(markEntry, at)
	e.entry = append(e.entry, byte(m.Kind))
	e.entry = appendText(appendRef(e.entry, m.Pod), m.Text)
	e.finish()
}
