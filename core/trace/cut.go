package trace

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Cut copies the records of a trace from first to last, both included. If records before first are dropped, lists of
// all objects at that time replace them, and the copy is a trace [FromSnapshot]. A trace [FromState] is copied from its last state
// before first on, so that the copy is replayed exactly; until it is known which that is, the records since a state are kept in
// memory. A damaged trace is copied up to the damage, with a mark there that says so, and Cut returns the damage as its error.
//
// What each node used when it was last read before first is copied, too, with the time at which it was read.
//
// A last of zero is the end. A first or last that is a second or more after the end is a [BeyondEndError]; people round times.
func Cut(from io.Reader, to io.Writer, first, last time.Time) error {
	if !last.IsZero() && last.Before(first) {
		return fmt.Errorf("cutting a trace: the end, %s, is before the beginning, %s", last.Format(time.RFC3339Nano), first.Format(time.RFC3339Nano))
	}
	r, err := NewReader(from)
	if err != nil {
		return err
	}
	c := cutter{to: to, header: r.Header(), first: first, at: first, state: store.New(), usage: map[string]Record{}}
	end := c.header.Start
	for record, err := range r.All() {
		if err != nil {
			if c.w == nil && c.header.Origin == FromState && len(c.sinceState) == 0 {
				return fmt.Errorf("nothing of it can be copied, not even its first state: %v", err) // no damage, before which there is something
			}
			if openErr := c.open(); openErr != nil {
				return openErr
			}
			return c.w.closeDamaged(c.at, err)
		}
		if !last.IsZero() && record.At.After(last) {
			return c.close()
		}
		if record.At.After(end) {
			end = record.At
		}
		if err := c.add(record); err != nil {
			return err
		}
	}
	if first.Sub(end) >= time.Second {
		return &BeyondEndError{At: first, End: end}
	}
	if err := c.close(); err != nil {
		return err
	}
	if !last.IsZero() && last.Sub(end) >= time.Second {
		return &BeyondEndError{At: last, End: end}
	}
	return nil
}

// BeyondEndError is the error of a time after the end of a trace. Of a last one it is known only when the copy is written.
type BeyondEndError struct{ At, End time.Time }

// Error implements error.
func (e *BeyondEndError) Error() string {
	return fmt.Sprintf("%s is after the end of the trace, %s", e.At.UTC().Format(time.RFC3339Nano), e.End.UTC().Format(time.RFC3339Nano))
}

// cutter opens the copy at the first record to keep; dropped decides whether it begins with a snapshot.
type cutter struct {
	to      io.Writer
	header  Header
	first   time.Time
	state   *store.Store
	at      time.Time // of the last record that was read, or first
	dropped bool
	// sinceState are the records before first from the last state on.
	sinceState []Record
	// usage is the last reading of each node among the records that are dropped.
	usage map[string]Record
	w     *Writer
}

func (c *cutter) add(r Record) error {
	if r.At.After(c.at) {
		c.at = r.At
	}
	if c.w == nil && c.header.Origin == FromState && c.holdBack(r) {
		return nil
	}
	if c.w == nil && r.At.Before(c.first) {
		c.dropped = true
		c.keepUsage(r)
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

// holdBack keeps a record that comes before the first one wanted, as long as no later state does.
func (c *cutter) holdBack(r Record) bool {
	if _, is := r.Body.(State); is && !r.At.After(c.first) {
		for _, before := range c.sinceState {
			c.keepUsage(before)
		}
		c.sinceState = nil
	}
	if !r.At.Before(c.first) {
		return false
	}
	c.sinceState = append(c.sinceState, r)
	return true
}

func (c *cutter) keepUsage(r Record) {
	if u, ok := r.Body.(Usage); ok {
		c.usage[u.Node] = r
	}
}

// writeUsage writes the readings that were kept.
func (c *cutter) writeUsage() error {
	for _, node := range slices.Sorted(maps.Keys(c.usage)) {
		if err := c.w.Write(c.usage[node]); err != nil {
			return err
		}
	}
	return nil
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
	if len(c.sinceState) > 0 {
		c.header.Start = c.sinceState[0].At
	}
	w, err := newWriter(c.to, c.header, nil)
	if err != nil {
		return err
	}
	c.w = w
	if c.dropped {
		if err := WriteSnapshot(w, c.state, c.first); err != nil {
			return err
		}
		return c.writeUsage()
	}
	for i, r := range c.sinceState {
		if err := w.Write(r); err != nil {
			return err
		}
		if i == 0 { // the state, with which the copy begins
			if err := c.writeUsage(); err != nil {
				return err
			}
		}
	}
	c.sinceState = nil
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
	for _, list := range Lists(s) {
		if err := w.Write(Record{At: at, Body: Input{Event: list}}); err != nil {
			return err
		}
	}
	return nil
}

// Lists returns all objects of a store as lists, in the order for a first list.
func Lists(s store.View) []world.Listed {
	var lists []world.Listed
	for _, kind := range s.Kinds() {
		list := world.Listed{Kind: kind}
		for o := range s.Objects(kind) {
			list.Objects = append(list.Objects, o)
		}
		if len(list.Objects) > 0 {
			lists = append(lists, list)
		}
	}
	return lists
}
