package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/footprint"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// Writer writes a trace. It trims objects first, so that the file has only what scheduling reads.
//
// Writer buffers records and writes them block by block, in order; Flush writes the buffered ones. After an error of
// the file it writes nothing more, and every call returns that error.
type Writer struct {
	header  Header
	frames  frameWriter
	block   encoder
	entries uint64 // in the blocks already written
	hash    *NameHasher
	pod     v1.Pod // trimmed, until it is encoded
	err     error
}

// NewWriter begins a trace.
func NewWriter(w io.Writer, h Header) (*Writer, error) { return newWriter(w, h, nil) }

// newHashedWriter begins a trace in which names are replaced.
func newHashedWriter(w io.Writer, h Header, hash *NameHasher) (*Writer, error) {
	h.NamesHashed = true
	return newWriter(w, h, hash)
}

func newWriter(to io.Writer, h Header, hash *NameHasher) (*Writer, error) {
	h.Start = h.Start.UTC().Round(0)
	if h.Origin == FromState && hash != nil {
		return nil, errStateHashed
	}
	text, err := h.encode()
	if err != nil {
		return nil, err
	}
	w := &Writer{header: h, frames: frameWriter{to: to}, hash: hash}
	if err := w.frames.writeMagic(w.header.version()); err != nil {
		return nil, fmt.Errorf("beginning a trace: %w", err)
	}
	if err := w.frames.write(headerBlock, text, 0, 0); err != nil {
		return nil, fmt.Errorf("beginning a trace: %w", err)
	}
	w.block.reset(h.Start)
	return w, nil
}

// PackFaster packs what follows in half the time. Another version of the program may pack it into other bytes of the same contents.
func (w *Writer) PackFaster() {
	w.frames.packer = packer{faster: true}
}

// Header returns the trace's header.
func (w *Writer) Header() Header { return w.header }

// Write appends a record. If an object cannot be recorded, Write returns an error and leaves the record out; the trace
// stays valid.
func (w *Writer) Write(r Record) error {
	if w.err != nil {
		return w.err
	}
	if !isRecordable(r.At) {
		return fmt.Errorf("recording at %v: a trace has the years from 1 to 9999 only; set the clock", r.At)
	}
	if w.hash != nil {
		r.Body = w.hash.hashBody(r.Body)
	}
	if err := w.writeBody(r); err != nil {
		return err
	}
	return w.writeIfFull()
}

// closeDamaged ends the copy of a trace that could not be read any further, and returns the reason. A mark keeps the
// reason in the copy, which is whole itself. Where names are hashed the mark has only the place: the cause may name things.
func (w *Writer) closeDamaged(at time.Time, reason error) error {
	var damage *Damage
	if errors.As(reason, &damage) && !errors.Is(reason, ErrUnfinished) {
		text := damage.Error()
		if w.hash != nil {
			text = fmt.Sprintf("the trace is damaged at record %d", damage.Record)
		}
		w.block.mark(at, Mark{Kind: Note, Text: "copied up to here: " + text})
	}
	return cmp.Or(w.Close(), reason)
}

func (w *Writer) writeBody(r Record) error {
	switch b := r.Body.(type) {
	case Input:
		return w.writeInput(r, b)
	case Decision:
		w.block.decision(r.At, &b)
	case Checkpoint:
		w.block.checkpoint(r.At, b)
	case Mark:
		w.block.mark(r.At, b)
	case State:
		return w.writeState(r, b)
	case Usage:
		return w.writeUsage(r, &b)
	default:
		return fmt.Errorf("recording: there is no record of type %T", r.Body)
	}
	return nil
}

func (w *Writer) writeInput(r Record, in Input) error {
	var flags byte
	if in.BeforeRest {
		flags = beforeRestFlag
	}
	switch ev := in.Event.(type) {
	case world.Changed:
		if ev.Object == nil {
			return errors.New("recording a change: it comes without an object")
		}
		ev.Object = w.trimToEncode(ev.Object)
		return w.block.objectChanged(r.At, flags, ev)
	case world.Listed:
		return w.writeList(r, flags, ev)
	case world.EffectDone:
		if answer := ev.Outcome.Answer; answer != nil && len(answer.Changed) > 0 {
			ev.Outcome.Answer = w.trimAnswer(answer)
		}
		return w.block.effectDone(r.At, flags, ev, &in.Effect)
	case world.ActivateRequest:
		w.block.activateRequest(r.At, flags, ev)
	case world.Tick:
		w.block.tick(r.At, flags)
	default:
		return fmt.Errorf("recording an input: there is no event of type %T", in.Event)
	}
	return nil
}

// writeList writes a list object by object, across blocks if needed. It leaves out objects that cannot be recorded
// before it writes the count.
func (w *Writer) writeList(r Record, flags byte, l world.Listed) error {
	if len(l.Objects) > maxListObjects {
		return fmt.Errorf("recording a list of %d objects: at most %d are allowed", len(l.Objects), maxListObjects)
	}
	kept := make([]world.Object, 0, len(l.Objects))
	var refused []error
	for _, o := range l.Objects {
		if err := w.checkListItem(o, l.Kind); err != nil {
			refused = append(refused, err)
			continue
		}
		kept = append(kept, o)
	}
	w.block.objectList(r.At, flags, l.Kind, len(kept))
	for _, o := range kept {
		if err := w.block.listItem(w.trimToEncode(o)); err != nil {
			w.err = err // the count is written and the list cannot be completed
			return err
		}
		if err := w.writeIfFull(); err != nil {
			return err
		}
	}
	return errors.Join(refused...)
}

// checkListItem returns why an object cannot be recorded in a list of this kind, or nil. It trims large objects only: the others of a list
// of 100,000, trimmed beforehand, would take more memory than what is written of them.
func (w *Writer) checkListItem(o world.Object, kind world.Kind) error {
	if o == nil || world.KindOf(o) != kind {
		return fmt.Errorf("recording a list of %s: it holds an object of type %T, which is left out", kind, o)
	}
	const small = maxObjectMemory / footprint.Costliest // others than these take less than they may
	if w.hash == nil && o.(protoObject).Size() <= small {
		return nil
	}
	o = w.trim(o)
	size := o.(protoObject).Size()
	if size > maxObjectBytes {
		return objectTooLarge(o, size)
	}
	if size > small {
		return (&encoder{}).object(o)
	}
	return nil
}

// trimAnswer trims the nodes in an extender's answer.
func (w *Writer) trimAnswer(answer *world.ExtenderAnswer) *world.ExtenderAnswer {
	trimmed := *answer
	trimmed.Changed = make([]*v1.Node, len(answer.Changed))
	for i, node := range answer.Changed {
		trimmed.Changed[i] = w.trim(node).(*v1.Node)
	}
	return &trimmed
}

// trim removes the fields that scheduling does not read, and hashes names if the writer has a hasher.
func (w *Writer) trim(o world.Object) world.Object {
	o = trim.Object(o)
	if w.hash != nil {
		o = w.hash.Object(o)
	}
	return o
}

// trimToEncode is trim for an object that is encoded before the next call, which writes over it.
func (w *Writer) trimToEncode(o world.Object) world.Object {
	if pod, ok := o.(*v1.Pod); ok && w.hash == nil {
		trim.PodInto(&w.pod, pod)
		return &w.pod
	}
	return w.trim(o)
}

func (w *Writer) writeIfFull() error {
	if len(w.block.contents) < flushBytes {
		return nil
	}
	return w.Flush()
}

// Flush writes the buffered records as one block, however small.
func (w *Writer) Flush() error {
	if w.err != nil || w.block.entries == 0 {
		return w.err
	}
	w.frames.memory.used += w.block.memory
	if err := w.frames.write(recordsBlock, w.block.contents, w.block.entries, w.entries); err != nil {
		w.err = fmt.Errorf("writing a trace: %w", err)
		return w.err
	}
	w.entries += uint64(w.block.entries)
	w.block.reset(w.header.Start)
	return nil
}

// Heartbeat writes the buffered records as one block, which is empty if there are none. It tells the reader of a trace that is still being
// written that the writer goes on.
func (w *Writer) Heartbeat() error {
	if w.err != nil || w.block.entries > 0 {
		return w.Flush()
	}
	if err := w.frames.write(recordsBlock, nil, 0, w.entries); err != nil {
		w.err = fmt.Errorf("writing a trace: %w", err)
	}
	return w.err
}

// Close writes the buffered records and the end mark; a reader calls a trace without one unfinished. Close leaves the
// file open.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	w.err = errors.New("writing a trace: it was closed")
	if err := w.frames.write(endBlock, nil, 0, w.entries); err != nil {
		return fmt.Errorf("ending a trace: %w", err)
	}
	return nil
}
