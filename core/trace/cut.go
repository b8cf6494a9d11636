package trace

import (
	"fmt"
	"io"
	"time"

	"orrery/core/store"
	"orrery/core/world"
)

// Cut copies the records of a trace from first to last, both included. If records before first are dropped, lists of
// all objects at that time replace them, and the copy is a trace [FromSnapshot]. A damaged trace is copied up to the
// damage, with a mark there that says so, and Cut returns the damage as its error.
func Cut(from io.Reader, to io.Writer, first, last time.Time) error {
	if last.Before(first) {
		return fmt.Errorf("cutting a trace: the end, %s, is before the beginning, %s", last.Format(time.RFC3339Nano), first.Format(time.RFC3339Nano))
	}
	r, err := NewReader(from)
	if err != nil {
		return err
	}
	c := cutter{to: to, header: r.Header(), first: first, at: first, state: store.New()}
	for record, err := range r.All() {
		if err != nil {
			if openErr := c.open(); openErr != nil {
				return openErr
			}
			return c.w.closeDamaged(c.at, err)
		}
		if record.At.After(last) {
			break
		}
		if err := c.add(record); err != nil {
			return err
		}
	}
	return c.close()
}

// cutter opens the copy at the first record to keep; dropped decides whether it begins with a snapshot.
type cutter struct {
	to      io.Writer
	header  Header
	first   time.Time
	state   *store.Store
	at      time.Time // of the last record that was read, or first
	dropped bool
	w       *Writer
}

func (c *cutter) add(r Record) error {
	if r.At.After(c.at) {
		c.at = r.At
	}
	if c.w == nil && r.At.Before(c.first) {
		c.dropped = true
		if in, ok := r.Body.(Input); ok {
			c.applyToState(in.Event)
		}
		return nil
	}
	if err := c.open(); err != nil {
		return err
	}
	return c.w.Write(r)
}

// applyToState applies the object changes of an input. It ignores the store's errors: the engine refused the same
// input.
func (c *cutter) applyToState(e world.Event) {
	switch ev := e.(type) {
	case world.Changed:
		_, _ = c.state.Apply(ev)
	case world.Listed:
		_, _ = c.state.Replace(ev)
	}
}

func (c *cutter) open() error {
	if c.w != nil {
		return nil
	}
	if c.dropped {
		c.header.Origin, c.header.Start = FromSnapshot, c.first
	}
	w, err := newWriter(c.to, c.header, nil)
	if err != nil {
		return err
	}
	c.w = w
	if c.dropped {
		return WriteSnapshot(w, c.state, c.first)
	}
	return nil
}

func (c *cutter) close() error {
	if err := c.open(); err != nil {
		return err
	}
	return c.w.Close()
}

// WriteSnapshot writes all objects of a store as lists, in the order for a first list.
func WriteSnapshot(w *Writer, s store.View, at time.Time) error {
	for _, kind := range s.Kinds() {
		list := world.Listed{Kind: kind}
		for o := range s.Objects(kind) {
			list.Objects = append(list.Objects, o)
		}
		if len(list.Objects) == 0 {
			continue
		}
		if err := w.Write(Record{At: at, Body: Input{Event: list}}); err != nil {
			return err
		}
	}
	return nil
}
