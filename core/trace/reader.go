package trace

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"orrery/core/safe/printable"
	"orrery/core/world"
)

// Damage is the error of a trace that cannot be read any further. Everything before it was read.
type Damage struct {
	// Record is the number of the first lost entry, and Offset the byte in the file where its block begins.
	Record uint64
	Offset int64
	Cause  error
}

func (d *Damage) Error() string {
	return fmt.Sprintf("the trace is damaged at record %d, in the block at byte %d: %s", d.Record, d.Offset, printable.Line(d.Cause.Error(), 300))
}

func (d *Damage) Unwrap() error { return d.Cause }

// ErrUnfinished is the cause of a Damage without data loss: all blocks are whole and only the end mark is missing,
// because the recording program was stopped or is still recording.
var ErrUnfinished = errors.New("the file ends without an end mark: what recorded it was stopped, or is still recording")

// Reader reads a trace, record by record. Its memory is bounded by the largest block and the largest list.
type Reader struct {
	frames           frameReader
	header           Header
	contents         []byte    // unread rest of the current block
	entries          uint64    // read so far
	blockEntriesLeft uint32    // in the current block
	blockOffset      int64     // where the current block begins
	base             time.Time // from which each block counts its times
	previous         time.Time
	peeked           *peeked
	memory           memory // of the records read so far
	pods             podReader
	finalErr         error
}

// peeked is a result of Next that was read ahead.
type peeked struct {
	record Record
	err    error
}

// NewReader opens a trace and reads its header.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{frames: frameReader{from: r}}
	if err := t.frames.readMagic(); err != nil {
		return nil, err
	}
	t.blockOffset = t.frames.offset
	f, contents, err := t.frames.read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, t.damaged(io.ErrUnexpectedEOF)
	case err != nil:
		return nil, t.damaged(err)
	case f.kind != headerBlock:
		return nil, t.damaged(errors.New("the first block is not the header"))
	}
	t.header, err = decodeHeader(contents)
	if err != nil {
		return nil, t.damaged(err)
	}
	if t.header.version() != t.frames.version {
		return nil, t.damaged(fmt.Errorf("a trace with this header, which begins with a %s, is not of version %d", t.header.Origin, t.frames.version))
	}
	if t.base = t.header.Start; t.base.IsZero() {
		t.startAtFirstRecord()
	}
	return t, nil
}

// startAtFirstRecord completes the header of a trace that was begun before its engine had a time.
func (t *Reader) startAtFirstRecord() {
	r, err := t.Next()
	t.peeked = &peeked{r, err}
	t.header.Start = r.At
}

// Header returns the trace's header.
func (t *Reader) Header() Header { return t.header }

// Offset returns how many bytes of the file were read, for showing progress.
func (t *Reader) Offset() int64 { return t.frames.offset }

// Next returns the next record. The error is io.EOF at the end of the trace, or a *Damage; later calls return the same
// error.
func (t *Reader) Next() (Record, error) {
	if p := t.peeked; p != nil {
		t.peeked = nil
		return p.record, p.err
	}
	if t.finalErr != nil {
		return Record{}, t.finalErr
	}
	first := t.entries
	r, err := t.next()
	if err != nil {
		if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = t.damaged(err)
		}
		t.finalErr = err
		return Record{}, err
	}
	r.Number = first
	return r, nil
}

// All iterates over the records. The last step has the error, if the trace is damaged.
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

func (t *Reader) damaged(cause error) error {
	return &Damage{Record: t.entries, Offset: t.blockOffset, Cause: cause}
}

func (t *Reader) next() (Record, error) {
	c, kind, size, err := t.nextEntry()
	if err != nil {
		return Record{}, err
	}
	if first := t.entries == 1; first && t.header.Origin == FromState && kind != stateEntry {
		return Record{}, errors.New("the trace does not begin with a state, as its header says")
	}
	switch kind {
	case objectListEntry:
		return t.readList(c, size)
	case stateEntry:
		return t.readState(c, size)
	case listItemEntry, stateDataEntry:
		return Record{}, errors.New("a part of a list or of a state comes without its beginning")
	case usageEntry:
		if !t.header.HasUsage() {
			return Record{}, errNoUsage
		}
	}
	r, err := decodeEntry(c, kind, &t.previous)
	r.Size = size
	return r, err
}

// readList reads a list with its objects. Memory grows with the objects in the file, not with the claimed count.
func (t *Reader) readList(c *entryReader, size int) (Record, error) {
	r, kind, objects, err := c.objectListHead(&t.previous)
	if err != nil {
		return Record{}, err
	}
	if _, ok := newObject(kind); !ok {
		return Record{}, fmt.Errorf("there is no kind %q to have a list of", printable.Line(string(kind), 40))
	}
	list := world.Listed{Kind: kind}
	for range objects {
		c, entry, more, err := t.nextEntry()
		if err != nil {
			return Record{}, truncated(err)
		}
		if entry != listItemEntry {
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

// nextEntry reads the next entry, from the next block if the current one is used up.
func (t *Reader) nextEntry() (*entryReader, byte, int, error) {
	for t.blockEntriesLeft == 0 {
		if len(t.contents) > 0 {
			return nil, 0, 0, errors.New("a block goes on after its last entry")
		}
		if err := t.nextBlock(); err != nil {
			return nil, 0, 0, err
		}
	}
	c := readerOf(t.contents)
	body := c.Bytes()
	if c.Err != nil {
		return nil, 0, 0, c.Err
	}
	if len(body) > maxEntryBytes {
		return nil, 0, 0, fmt.Errorf("an entry has %d bytes, and at most %d are allowed", len(body), maxEntryBytes)
	}
	t.contents = c.Rest
	t.blockEntriesLeft--
	t.entries++
	if err := t.memory.spend(recordMemory + int64(len(body))); err != nil {
		return nil, 0, 0, err
	}
	inside := &entryReader{Reader: readerOf(body), memory: &t.memory, pods: &t.pods}
	kind := inside.byte()
	return inside, kind, len(body), inside.Err
}

func (t *Reader) nextBlock() error {
	t.blockOffset = t.frames.offset
	f, contents, err := t.frames.read()
	switch {
	case err == io.EOF:
		return ErrUnfinished
	case err != nil:
		return err
	case f.first != t.entries:
		return fmt.Errorf("a block begins with record %d: blocks are missing or out of order", f.first)
	case f.kind == endBlock:
		return t.checkEnd(f)
	case f.kind != recordsBlock:
		return errors.New("there is a second header")
	}
	t.memory.fileBytes = t.frames.offset
	t.contents, t.blockEntriesLeft, t.previous = contents, f.entries, t.base
	return nil
}

// checkEnd checks that the end mark is empty and that nothing follows it.
func (t *Reader) checkEnd(f frame) error {
	if f.entries != 0 || f.unpacked != 0 {
		return errors.New("the end mark has contents")
	}
	t.blockOffset = t.frames.offset
	if _, _, err := t.frames.read(); err != io.EOF {
		return errors.New("the file goes on after its end mark")
	}
	return io.EOF
}
