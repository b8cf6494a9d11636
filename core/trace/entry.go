package trace

import (
	"encoding/binary"
	"errors"
	"time"

	"orrery/core/world"
)

// entry kinds, the first byte of every entry.
const (
	objectChangedEntry   = 1
	objectListEntry      = 2 // followed by one listItemEntry for each object
	listItemEntry        = 3
	effectDoneEntry      = 4
	activateRequestEntry = 5
	tickEntry            = 6
	decisionEntry        = 7
	checkpointEntry      = 8
	markEntry            = 9
	stateEntry           = 10 // followed by one listItemEntry for each object, and then by stateDataEntries
	stateDataEntry       = 11
)

// beforeRestFlag is set in the flags of an input's entry, versionFlag in those of an outcome that has a version although it is not that of
// a reservation, which always has one.
const (
	beforeRestFlag = 1
	versionFlag    = 2
)

// protoObject is an object that encodes itself as a protocol buffer of the Kubernetes API.
type protoObject interface {
	world.Object
	Size() int
	// MarshalToSizedBuffer writes to the end of a buffer, which has the object's size.
	MarshalToSizedBuffer([]byte) (int, error)
	Unmarshal([]byte) error
}

// firstSecond and lastSecond are the Unix times between which a record's time lies, the years 1 to 9999: the zero
// time and after, as far as times have a text in RFC 3339.
const (
	firstSecond = -62_135_596_800
	lastSecond  = 253_402_300_799
)

func isRecordable(at time.Time) bool { return at.Unix() >= firstSecond && at.Unix() <= lastSecond }

// appendTime encodes a time as two differences to the previous one: in seconds, and in nanoseconds of the second. An
// unchanged time takes two bytes.
func appendTime(to []byte, at time.Time, previous *time.Time) []byte {
	to = binary.AppendVarint(to, at.Unix()-previous.Unix())
	to = binary.AppendVarint(to, int64(at.Nanosecond()-previous.Nanosecond()))
	*previous = at
	return to
}

func appendText(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

func appendRef(to []byte, r world.PodRef) []byte {
	return appendText(appendText(appendText(to, r.Namespace), r.Name), string(r.UID))
}

var (
	errEntryTooShort = errors.New("an entry ends before what it should hold")
	errNoYear        = errors.New("an entry's time is in none of the years from 1 to 9999")
)

// entryReader decodes an entry. After the first error, kept in err, its methods return zero values.
type entryReader struct {
	rest   []byte
	memory *memory
	pods   *podReader
	err    error
}

func (c *entryReader) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.rest = nil
}

func (c *entryReader) byte() byte {
	if len(c.rest) == 0 {
		c.fail(errEntryTooShort)
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

func (c *entryReader) uvarint() uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 {
		c.fail(errEntryTooShort)
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

func (c *entryReader) varint() int64 {
	v, n := binary.Varint(c.rest)
	if n <= 0 {
		c.fail(errEntryTooShort)
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

func (c *entryReader) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.rest)) {
		c.fail(errEntryTooShort)
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *entryReader) text() string { return string(c.bytes()) }

func (c *entryReader) fixed64() uint64 {
	if len(c.rest) < 8 {
		c.fail(errEntryTooShort)
		return 0
	}
	v := binary.LittleEndian.Uint64(c.rest)
	c.rest = c.rest[8:]
	return v
}

func (c *entryReader) time(previous *time.Time) time.Time {
	const span = lastSecond - firstSecond
	seconds, nanos := c.varint(), c.varint()
	if seconds > span || seconds < -span || nanos <= -1e9 || nanos >= 1e9 {
		c.fail(errNoYear)
		return time.Time{}
	}
	at := time.Unix(previous.Unix()+seconds, int64(previous.Nanosecond())+nanos).UTC()
	if !isRecordable(at) {
		c.fail(errNoYear)
	}
	if c.err == nil {
		*previous = at
	}
	return at
}

// end checks that the entry has no bytes left.
func (c *entryReader) end() error {
	if c.err == nil && len(c.rest) > 0 {
		c.fail(errors.New("an entry goes on after its end"))
	}
	return c.err
}
