package trace

import (
	"errors"
	"fmt"
	"io"

	"orrery/core/store"
	"orrery/core/world"
)

// Writer writes a trace. What it is given it trims first, so that nothing but what scheduling reads enters the file.
//
// Records are collected and written block by block, in order; Flush writes what there is. After an error that comes
// from the file nothing more is written, and every call answers with it.
type Writer struct {
	header  Header
	frames  frameWriter
	block   encoder
	entries uint64 // of the blocks before
	hash    *Hash
	err     error
}

// NewWriter begins a trace.
func NewWriter(w io.Writer, h Header) (*Writer, error) { return newWriter(w, h, nil) }

// NewHashedWriter begins a trace in which names are replaced.
func NewHashedWriter(w io.Writer, h Header, hash *Hash) (*Writer, error) {
	h.NamesHashed = true
	return newWriter(w, h, hash)
}

func newWriter(to io.Writer, h Header, hash *Hash) (*Writer, error) {
	h.Start = h.Start.UTC().Round(0)
	text, err := h.encode()
	if err != nil {
		return nil, err
	}
	w := &Writer{header: h, frames: frameWriter{to: to}, hash: hash}
	if err := w.frames.open(); err != nil {
		return nil, fmt.Errorf("beginning a trace: %w", err)
	}
	if err := w.frames.write(headerBlock, text, 0, 0); err != nil {
		return nil, fmt.Errorf("beginning a trace: %w", err)
	}
	w.block.reset(h.Start)
	return w, nil
}

// Header is what the trace begins with.
func (w *Writer) Header() Header { return w.header }

// Write puts a record at the end. An object that cannot be recorded is refused, and the trace goes on without that
// record: the error says so.
func (w *Writer) Write(r Record) error {
	if w.err != nil {
		return w.err
	}
	if w.hash != nil {
		r.Body = w.hash.body(r.Body)
	}
	if err := w.put(r); err != nil {
		return err
	}
	return w.writeIfFull()
}

func (w *Writer) put(r Record) error {
	switch b := r.Body.(type) {
	case Input:
		return w.input(r, b)
	case Decision:
		w.block.decision(r.At, &b)
	case Checkpoint:
		w.block.checkpoint(r.At, b)
	case Mark:
		w.block.mark(r.At, b)
	default:
		return fmt.Errorf("recording: there is no record of type %T", r.Body)
	}
	return nil
}

func (w *Writer) input(r Record, in Input) error {
	var flags byte
	if in.Hurried {
		flags = hurriedFlag
	}
	switch ev := in.Event.(type) {
	case world.Changed:
		if ev.Object == nil {
			return errors.New("recording a change: it comes without an object")
		}
		ev.Object = w.reduce(ev.Object)
		return w.block.changed(r.At, flags, ev)
	case world.Listed:
		return w.list(r, flags, ev)
	case world.Ended:
		w.block.ended(r.At, flags, ev, &in.Answers)
	case world.Asked:
		w.block.asked(r.At, flags, ev)
	case world.Passed:
		w.block.passed(r.At, flags)
	default:
		return fmt.Errorf("recording an input: there is no event of type %T", in.Event)
	}
	return nil
}

// list writes a list object by object, over as many blocks as it takes. An object that cannot be recorded is left out
// of the list, which has to say beforehand how many there are.
func (w *Writer) list(r Record, flags byte, l world.Listed) error {
	if len(l.Objects) > mostListed {
		return fmt.Errorf("recording a list of %d objects: at most %d are allowed", len(l.Objects), mostListed)
	}
	kept := make([]world.Object, 0, len(l.Objects))
	var refused []error
	for _, o := range l.Objects {
		o, err := w.item(o, l.Kind)
		if err != nil {
			refused = append(refused, err)
			continue
		}
		kept = append(kept, o)
	}
	w.block.listed(r.At, flags, l.Kind, len(kept))
	for _, o := range kept {
		if err := w.block.item(o); err != nil {
			w.err = err // the list is announced and cannot be completed
			return err
		}
		if err := w.writeIfFull(); err != nil {
			return err
		}
	}
	return errors.Join(refused...)
}

// item is what is recorded of an object in a list.
func (w *Writer) item(o world.Object, kind world.Kind) (world.Object, error) {
	if o == nil || world.KindOf(o) != kind {
		return nil, fmt.Errorf("recording a list of %s: it holds an object of type %T, which is left out", kind, o)
	}
	o = w.reduce(o)
	if size := o.(object).Size(); size > mostObject {
		return nil, tooBig(o, size)
	}
	return o, nil
}

// reduce takes off an object what is not to be recorded.
func (w *Writer) reduce(o world.Object) world.Object {
	o = store.Trim(o)
	if w.hash != nil {
		o = w.hash.Object(o)
	}
	return o
}

func (w *Writer) writeIfFull() error {
	if len(w.block.contents) < fullBlock {
		return nil
	}
	return w.Flush()
}

// Flush writes all there is, as a block of its own however small.
func (w *Writer) Flush() error {
	if w.err != nil || w.block.entries == 0 {
		return w.err
	}
	if err := w.frames.write(recordsBlock, w.block.contents, w.block.entries, w.entries); err != nil {
		w.err = fmt.Errorf("writing a trace: %w", err)
		return w.err
	}
	w.entries += uint64(w.block.entries)
	w.block.reset(w.header.Start)
	return nil
}

// Close writes the rest and the end mark, without which a reader calls the trace unfinished. It does not close the file.
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
