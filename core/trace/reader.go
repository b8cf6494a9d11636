package trace

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"orrery/core/printable"
	"orrery/core/world"
)

// Damage says that a trace cannot be read any further, and where. Everything before it was read.
type Damage struct {
	// Entry is the number of the first entry that is lost, and Offset where in the file, in bytes, its block begins.
	Entry  uint64
	Offset int64
	Cause  error
}

func (d *Damage) Error() string {
	return fmt.Sprintf("the trace is damaged at record %d, in the block at byte %d: %s", d.Entry, d.Offset, printable.Line(d.Cause.Error(), 300))
}

func (d *Damage) Unwrap() error { return d.Cause }

// ErrUnfinished is the cause of a Damage that is none: all blocks are whole, and only the end mark is missing, because
// the recording program was stopped or is still at it.
var ErrUnfinished = errors.New("the file ends without an end mark: what recorded it was stopped, or is still recording")

// Reader reads a trace, record by record. Its memory is bounded by the largest block and the largest list.
type Reader struct {
	frames   frameReader
	header   Header
	contents []byte // of the current block, what is left of it
	entries  uint64 // read so far
	left     uint32 // entries left in the block
	block    int64  // where the current block begins
	previous time.Time
	done     error
}

// NewReader opens a trace and reads its header.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{frames: frameReader{from: r}}
	if err := t.frames.open(); err != nil {
		return nil, err
	}
	t.block = t.frames.offset
	f, contents, err := t.frames.read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, t.damage(io.ErrUnexpectedEOF)
	case err != nil:
		return nil, t.damage(err)
	case f.kind != headerBlock:
		return nil, t.damage(errors.New("the first block is not the header"))
	}
	t.header, err = decodeHeader(contents)
	if err != nil {
		return nil, t.damage(err)
	}
	return t, nil
}

// Header is what the trace begins with.
func (t *Reader) Header() Header { return t.header }

// Offset is where in the file the reader is, in bytes: for showing how far it has come.
func (t *Reader) Offset() int64 { return t.frames.offset }

// Next is the next record. The error is io.EOF at the end of the trace, or a *Damage; from then on it stays the same.
func (t *Reader) Next() (Record, error) {
	if t.done != nil {
		return Record{}, t.done
	}
	first := t.entries
	r, err := t.next()
	if err != nil {
		if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = t.damage(err)
		}
		t.done = err
		return Record{}, err
	}
	r.Number = first
	return r, nil
}

// All goes through the records. The last step has the error, if the trace is damaged.
func (t *Reader) All() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			r, err := t.Next()
			if err == io.EOF {
				return
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (t *Reader) damage(cause error) error {
	return &Damage{Entry: t.entries, Offset: t.block, Cause: cause}
}

func (t *Reader) next() (Record, error) {
	c, kind, size, err := t.entry()
	if err != nil {
		return Record{}, err
	}
	switch kind {
	case listedEntry:
		return t.list(c, size)
	case itemEntry:
		return Record{}, errors.New("an object comes without a list")
	}
	r, err := decodeEntry(c, kind, &t.previous)
	r.Size = size
	return r, err
}

// list puts a list together. Memory grows with the objects that are there, not by what the list claims.
func (t *Reader) list(c *cursor, size int) (Record, error) {
	r, kind, objects, err := c.list(&t.previous)
	if err != nil {
		return Record{}, err
	}
	if _, ok := newObject(kind); !ok {
		return Record{}, fmt.Errorf("there is no kind %q to have a list of", printable.Line(string(kind), 40))
	}
	list := world.Listed{Kind: kind}
	for range objects {
		c, entry, more, err := t.entry()
		if err != nil {
			return Record{}, cutOff(err)
		}
		if entry != itemEntry {
			return Record{}, fmt.Errorf("a list of %d objects ends after %d", objects, len(list.Objects))
		}
		size += more
		o := c.object()
		if err := c.end(); err != nil {
			return Record{}, err
		}
		if world.KindOf(o) != kind {
			return Record{}, fmt.Errorf("a list of %s holds a %s", kind, world.KindOf(o))
		}
		list.Objects = append(list.Objects, o)
	}
	in := r.Body.(Input)
	in.Event = list
	r.Body, r.Size = in, size
	return r, nil
}

// entry takes the next entry, from the next block if need be.
func (t *Reader) entry() (*cursor, byte, int, error) {
	for t.left == 0 {
		if len(t.contents) > 0 {
			return nil, 0, 0, errors.New("a block goes on after its last entry")
		}
		if err := t.nextBlock(); err != nil {
			return nil, 0, 0, err
		}
	}
	c := cursor{rest: t.contents}
	body := c.bytes()
	if c.err != nil {
		return nil, 0, 0, c.err
	}
	if len(body) > mostEntry {
		return nil, 0, 0, fmt.Errorf("an entry has %d bytes, and at most %d are allowed", len(body), mostEntry)
	}
	t.contents = c.rest
	t.left--
	t.entries++
	inside := &cursor{rest: body}
	kind := inside.byte()
	return inside, kind, len(body), inside.err
}

func (t *Reader) nextBlock() error {
	t.block = t.frames.offset
	f, contents, err := t.frames.read()
	switch {
	case err == io.EOF:
		return ErrUnfinished
	case err != nil:
		return err
	case f.first != t.entries:
		return fmt.Errorf("a block begins with record %d: blocks are missing or out of order", f.first)
	case f.kind == endBlock:
		return t.atEnd(f)
	case f.kind != recordsBlock:
		return errors.New("there is a second header")
	}
	t.contents, t.left, t.previous = contents, f.entries, t.header.Start
	return nil
}

// atEnd checks that the end mark is one and that nothing follows it.
func (t *Reader) atEnd(f frame) error {
	if f.entries != 0 || f.unpacked != 0 {
		return errors.New("the end mark has contents")
	}
	t.block = t.frames.offset
	if _, _, err := t.frames.read(); err != io.EOF {
		return errors.New("the file goes on after its end mark")
	}
	return io.EOF
}
