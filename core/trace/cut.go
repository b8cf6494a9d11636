package trace

import (
	"errors"
	"fmt"
	"io"
	"time"

	"orrery/core/store"
	"orrery/core/world"
)

// Cut copies what a trace holds from one time up to and with another. Where something is left out before it, lists of
// all objects there were take its place, and the copy is a trace [FromSnapshot]. A damaged trace is cut up to the
// damage, which is then the error.
func Cut(from io.Reader, to io.Writer, first, last time.Time) error {
	if last.Before(first) {
		return fmt.Errorf("cutting a trace: the end, %s, is before the beginning, %s", last.Format(time.RFC3339Nano), first.Format(time.RFC3339Nano))
	}
	r, err := NewReader(from)
	if err != nil {
		return err
	}
	c := cutter{to: to, header: r.Header(), first: first, before: store.New()}
	for record, err := range r.All() {
		if err != nil {
			return errors.Join(c.close(), err)
		}
		if record.At.After(last) {
			break
		}
		if err := c.take(record); err != nil {
			return err
		}
	}
	return c.close()
}

// cutter holds back what comes before the cut until it is known whether all of it stays.
type cutter struct {
	to      io.Writer
	header  Header
	first   time.Time
	before  *store.Store
	dropped bool
	w       *Writer
}

func (c *cutter) take(r Record) error {
	if c.w == nil && r.At.Before(c.first) {
		c.dropped = true
		if in, ok := r.Body.(Input); ok {
			c.forget(in.Event)
		}
		return nil
	}
	if err := c.open(); err != nil {
		return err
	}
	return c.w.Write(r)
}

// forget keeps of an input only what it changes. What the store refuses the engine refused too.
func (c *cutter) forget(e world.Event) {
	switch ev := e.(type) {
	case world.Changed:
		_, _ = c.before.Apply(ev)
	case world.Listed:
		_, _ = c.before.Replace(ev)
	}
}

func (c *cutter) open() error {
	if c.w != nil {
		return nil
	}
	if c.dropped {
		c.header.Base, c.header.Start = FromSnapshot, c.first
	}
	w, err := newWriter(c.to, c.header, nil)
	if err != nil {
		return err
	}
	c.w = w
	if c.dropped {
		return WriteSnapshot(w, c.before, c.first)
	}
	return nil
}

func (c *cutter) close() error {
	if err := c.open(); err != nil {
		return err
	}
	return c.w.Close()
}

// WriteSnapshot writes all objects of a store as lists, in the order in which a first list should be given.
func WriteSnapshot(w *Writer, s *store.Store, at time.Time) error {
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
