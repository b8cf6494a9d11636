package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"orrery/core/world"
)

// errStateHashed is why names cannot be replaced in a state: they are in its data, too.
var errStateHashed = errors.New("hashing names: the trace begins with a scheduler's state, in which names cannot be replaced: hash a recording from the scheduler's first input on, or a cut of one")

const (
	// maxStateObjects bounds the objects of a state: those of all lists, and those that the scheduler has in another version.
	//
	//orrery:limit recordings; objects of a state; the recording counts as damaged from there on
	maxStateObjects = 4 << 20
	// maxStateBytes bounds the data of a state. Those of 100,000 pods are 1 MiB.
	//
	//orrery:limit recordings; data of a state, in bytes; the recording counts as damaged from there on
	maxStateBytes = 1 << 30
	// stateDataBytes is how many of them an entry has.
	stateDataBytes = 64 << 10
	// stateMemory is what a byte of the data takes in a scheduler, beside the objects.
	stateMemory = 64
)

// writeState writes a state object by object and then its data, across blocks. An object that cannot be recorded refuses the state.
func (w *Writer) writeState(r Record, s State) error {
	if w.header.Origin != FromState {
		return fmt.Errorf("recording a state: only a trace that begins with one has others, and this one begins with a %s", w.header.Origin)
	}
	for _, o := range s.Objects {
		if err := w.checkListItem(o, world.KindOf(o)); err != nil {
			return fmt.Errorf("recording a state: %w", err)
		}
	}
	w.block.state(r.At, &s)
	for _, o := range s.Objects {
		if err := w.block.listItem(w.trimToEncode(o)); err != nil {
			w.err = err // the count is written and the state cannot be completed
			return err
		}
		if err := w.writeIfFull(); err != nil {
			return err
		}
	}
	for data := s.Data; len(data) > 0; {
		n := min(len(data), stateDataBytes)
		w.block.stateData(data[:n])
		data = data[n:]
		if err := w.writeIfFull(); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) state(at time.Time, s *State) {
	e.beginEntry(stateEntry, at)
	e.entry = binary.LittleEndian.AppendUint64(e.entry, s.Digest)
	e.entry = binary.AppendUvarint(e.entry, s.Inputs)
	e.entry = binary.AppendUvarint(e.entry, s.Decisions)
	e.entry = binary.AppendUvarint(e.entry, uint64(len(s.Objects)))
	e.entry = binary.AppendUvarint(e.entry, uint64(len(s.Data)))
	e.endEntry()
}

func (e *encoder) stateData(data []byte) {
	e.entry = append(append(e.entry[:0], stateDataEntry), data...)
	e.endEntry()
	e.memory += stateMemory * int64(len(data))
}

// readState reads a state with its objects and its data. Memory grows with what is in the file, not with the claimed counts.
func (t *Reader) readState(c *entryReader, size int) (Record, error) {
	r := Record{At: c.time(&t.previous)}
	s := State{Checkpoint: Checkpoint{Digest: c.fixed64(), Inputs: c.Uvarint(), Decisions: c.Uvarint()}}
	objects, bytes := c.Uvarint(), c.Uvarint()
	if objects > maxStateObjects || bytes > maxStateBytes {
		c.Fail(fmt.Errorf("a state claims %d objects and %d bytes, and at most %d and %d are allowed", objects, bytes, maxStateObjects, maxStateBytes))
	}
	if t.header.Origin != FromState {
		c.Fail(errors.New("there is a state, and the trace does not begin with one"))
	}
	if err := c.end(); err != nil {
		return Record{}, err
	}
	for uint64(len(s.Objects)) < objects {
		c, more, err := t.nextPart(listItemEntry)
		if err != nil {
			return Record{}, err
		}
		size += more
		s.Objects = append(s.Objects, c.object())
		if err := c.end(); err != nil {
			return Record{}, err
		}
	}
	for uint64(len(s.Data)) < bytes {
		c, more, err := t.nextPart(stateDataEntry)
		if err != nil {
			return Record{}, err
		}
		size += more
		if uint64(len(c.Rest)) > bytes-uint64(len(s.Data)) || len(c.Rest) == 0 {
			return Record{}, errors.New("a state goes on after its end, or not at all")
		}
		if err := t.memory.spend(stateMemory * int64(len(c.Rest))); err != nil {
			return Record{}, err
		}
		s.Data = append(s.Data, c.Rest...)
	}
	r.Body, r.Size = s, size
	return r, nil
}

// nextPart reads the next entry, which has to be of a kind.
func (t *Reader) nextPart(want byte) (*entryReader, int, error) {
	c, kind, size, err := t.nextEntry()
	if err != nil {
		return nil, 0, truncated(err)
	}
	if kind != want {
		return nil, 0, errors.New("a state ends before what it should hold")
	}
	return c, size, nil
}
