package trace

import (
	"encoding/binary"
	"fmt"
	"time"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/codec"
	"orrery/core/world"
)

// encoder encodes entries into a block's contents, each prefixed with its length.
type encoder struct {
	contents []byte
	entries  uint32
	previous time.Time // time of the previous entry in this block
	memory   int64     // that this block's records take once they are decoded
	entry    []byte    // scratch
}

func (e *encoder) reset(start time.Time) {
	e.contents, e.entries, e.previous, e.memory = e.contents[:0], 0, start, 0
}

// beginEntry starts an entry that has a time.
func (e *encoder) beginEntry(kind byte, at time.Time) {
	e.entry = appendTime(append(e.entry[:0], kind), at, &e.previous)
}

func (e *encoder) endEntry() {
	e.contents = append(binary.AppendUvarint(e.contents, uint64(len(e.entry))), e.entry...)
	e.entries++
	e.memory += recordMemory + int64(len(e.entry))
}

func (e *encoder) objectChanged(at time.Time, flags byte, c world.Changed) error {
	before := e.previous
	e.beginEntry(objectChangedEntry, at)
	e.entry = append(e.entry, flags, byte(c.Op))
	if err := e.object(c.Object); err != nil {
		e.previous = before
		return err
	}
	e.endEntry()
	return nil
}

func (e *encoder) objectList(at time.Time, flags byte, kind world.Kind, objects int) {
	e.beginEntry(objectListEntry, at)
	e.entry = append(e.entry, flags)
	e.entry = codec.AppendText(e.entry, kind)
	e.entry = binary.AppendUvarint(e.entry, uint64(objects))
	e.endEntry()
}

func (e *encoder) listItem(o world.Object) error {
	e.entry = append(e.entry[:0], listItemEntry)
	if err := e.object(o); err != nil {
		return err
	}
	e.endEntry()
	return nil
}

// object appends an object's kind and its protocol buffer.
func (e *encoder) object(o world.Object) error {
	kind := world.KindOf(o)
	message, ok := o.(protoObject)
	if kind == "" || !ok {
		return fmt.Errorf("recording an object of type %T: traces hold the kinds of world.Kinds and custom ones only", o)
	}
	size := message.Size()
	if size > maxObjectBytes {
		return objectTooLarge(o, size)
	}
	e.entry = codec.AppendText(e.entry, kind)
	at := len(e.entry)
	e.entry = append(e.entry, make([]byte, size)...)
	n, err := message.MarshalToSizedBuffer(e.entry[at:]) // MarshalTo would compute the size again
	if err == nil && n != size {
		err = fmt.Errorf("it takes %d bytes and said %d", n, size)
	}
	if err != nil {
		return fmt.Errorf("recording %s %q: %w", kind, printable.Line(o.GetNamespace()+"/"+o.GetName(), 200), err)
	}
	_, shape := knownKind([]byte(kind))
	memory := shape.Proto(e.entry[at:])
	if memory > maxObjectMemory {
		return fmt.Errorf("recording %q: %w", printable.Line(o.GetNamespace()+"/"+o.GetName(), 200), objectTakesTooMuch(kind, memory))
	}
	e.memory += memory
	return nil
}

func objectTooLarge(o world.Object, size int) error {
	return fmt.Errorf("recording %s %q: it takes %d bytes, and at most %d are allowed",
		world.KindOf(o), printable.Line(o.GetNamespace()+"/"+o.GetName(), 200), size, maxObjectBytes)
}

func (e *encoder) effectDone(at time.Time, flags byte, ev world.EffectDone, key *EffectKey) error {
	before := e.previous
	e.beginEntry(effectDoneEntry, at)
	versioned := key.Verb == UnreserveResourceClaim && ev.Outcome.Version != ""
	if versioned {
		flags |= versionFlag
	}
	e.entry = append(e.entry, flags)
	e.entry = binary.AppendUvarint(e.entry, uint64(ev.Effect))
	e.entry = binary.AppendVarint(e.entry, int64(ev.Outcome.Code))
	e.entry = codec.AppendText(e.entry, ev.Outcome.Reason)
	e.entry = codec.AppendText(e.entry, ev.Outcome.Message)
	if e.entry = append(e.entry, byte(key.Verb)); key.Verb != Unknown {
		e.entry = codec.AppendText(appendRef(e.entry, key.Pod), key.Detail)
	}
	if key.Verb == ReserveResourceClaim || versioned {
		e.entry = codec.AppendText(e.entry, ev.Outcome.Version)
	}
	if key.Verb == CallExtender {
		if err := e.answer(ev.Outcome.Answer); err != nil {
			e.previous = before
			return err
		}
	}
	e.endEntry()
	return nil
}

func (e *encoder) activateRequest(at time.Time, flags byte, ev world.ActivateRequest) {
	e.beginEntry(activateRequestEntry, at)
	e.entry = append(e.entry, flags)
	e.entry = binary.AppendUvarint(e.entry, uint64(len(ev.Activate)))
	e.memory += nameMemory * int64(len(ev.Activate))
	for _, pod := range ev.Activate {
		e.entry = codec.AppendText(codec.AppendText(e.entry, pod.Namespace), pod.Name)
	}
	e.endEntry()
}

func (e *encoder) tick(at time.Time, flags byte) {
	e.beginEntry(tickEntry, at)
	e.entry = append(e.entry, flags)
	e.endEntry()
}

func (e *encoder) decision(at time.Time, d *Decision) {
	e.beginEntry(decisionEntry, at)
	e.entry = binary.AppendUvarint(e.entry, d.Seq)
	e.entry = appendRef(e.entry, d.Pod)
	e.entry = binary.AppendUvarint(e.entry, uint64(d.Attempt))
	e.entry = append(e.entry, byte(d.Verdict))
	e.entry = codec.AppendText(codec.AppendText(e.entry, d.Node), d.Nominated)
	e.entry = binary.AppendUvarint(e.entry, uint64(d.Victims))
	e.entry = binary.LittleEndian.AppendUint64(e.entry, d.Digest)
	e.endEntry()
}

func (e *encoder) checkpoint(at time.Time, c Checkpoint) {
	e.beginEntry(checkpointEntry, at)
	e.entry = binary.LittleEndian.AppendUint64(e.entry, c.Digest)
	e.entry = binary.AppendUvarint(e.entry, c.Inputs)
	e.entry = binary.AppendUvarint(e.entry, c.Decisions)
	e.endEntry()
}

func (e *encoder) mark(at time.Time, m Mark) {
	e.beginEntry(markEntry, at)
	e.entry = append(e.entry, byte(m.Kind))
	e.entry = codec.AppendText(appendRef(e.entry, m.Pod), m.Text)
	e.endEntry()
}
