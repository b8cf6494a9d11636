package trace

import (
	"encoding/binary"
	"errors"
	"time"

	"orrery/core/scheduler/codec"
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
	usageEntry           = 12
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

func isRecordable(at time.Time) bool {
	return at.Unix() >= codec.FirstSecond && at.Unix() <= codec.LastSecond
}

// appendTime encodes a time as two differences to the previous one: in seconds, and in nanoseconds of the second. An
// unchanged time takes two bytes.
func appendTime(to []byte, at time.Time, previous *time.Time) []byte {
	to = binary.AppendVarint(to, at.Unix()-previous.Unix())
	to = binary.AppendVarint(to, int64(at.Nanosecond()-previous.Nanosecond()))
	*previous = at
	return to
}

func appendRef(to []byte, r world.PodRef) []byte {
	return codec.AppendText(codec.AppendText(codec.AppendText(to, r.Namespace), r.Name), r.UID)
}

var (
	errEntryTooShort = errors.New("an entry ends before what it should hold")
	errNoYear        = errors.New("an entry's time is in none of the years from 1 to 9999")
)

// entryReader decodes an entry.
type entryReader struct {
	codec.Reader
	memory *memory
	pods   *podReader
}

func readerOf(entry []byte) codec.Reader {
	return codec.Reader{Rest: entry, Short: errEntryTooShort}
}

func (c *entryReader) byte() byte {
	if b := c.Take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *entryReader) text() string { return string(c.Bytes()) }

func (c *entryReader) fixed64() uint64 {
	if b := c.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (c *entryReader) time(previous *time.Time) time.Time {
	const span = codec.LastSecond - codec.FirstSecond
	seconds, nanos := c.Varint(), c.Varint()
	if seconds > span || seconds < -span || nanos <= -1e9 || nanos >= 1e9 {
		c.Fail(errNoYear)
		return time.Time{}
	}
	at := time.Unix(previous.Unix()+seconds, int64(previous.Nanosecond())+nanos).UTC()
	if !isRecordable(at) {
		c.Fail(errNoYear)
	}
	if c.Err == nil {
		*previous = at
	}
	return at
}

// end checks that the entry has no bytes left.
func (c *entryReader) end() error {
	if c.Err == nil && len(c.Rest) > 0 {
		c.Fail(errors.New("an entry goes on after its end"))
	}
	return c.Err
}
