package trace

import (
	"encoding/binary"
	"errors"
	"time"

	"orrery/core/world"
)

// entry kinds, the first byte of every entry.
const (
	changedEntry    = 1
	listedEntry     = 2 // followed by one itemEntry for each object
	itemEntry       = 3
	endedEntry      = 4
	askedEntry      = 5
	passedEntry     = 6
	decisionEntry   = 7
	checkpointEntry = 8
	markEntry       = 9
)

// hurriedFlag is set in the flags of an input's entry.
const hurriedFlag = 1

// object is how every kind of object puts itself into bytes: by the protocol buffers of the Kubernetes API.
type object interface {
	world.Object
	Size() int
	MarshalTo([]byte) (int, error)
	Unmarshal([]byte) error
}

// appendTime puts a time after the one before it, as two differences: in seconds, and in nanoseconds of the second. So
// every time there is can be said, and one that stands still takes two bytes.
func appendTime(to []byte, at time.Time, previous *time.Time) []byte {
	to = binary.AppendVarint(to, at.Unix()-previous.Unix())
	to = binary.AppendVarint(to, int64(at.Nanosecond()-previous.Nanosecond()))
	*previous = at
	return to
}

func appendText(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

func appendRef(to []byte, r world.Ref) []byte {
	return appendText(appendText(appendText(to, r.Namespace), r.Name), string(r.UID))
}

var errShort = errors.New("an entry ends before what it should hold")

// cursor takes an entry apart. After the first mistake everything it answers is empty, and err says what was wrong.
type cursor struct {
	rest []byte
	err  error
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.rest = nil
}

func (c *cursor) byte() byte {
	if len(c.rest) == 0 {
		c.fail(errShort)
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 {
		c.fail(errShort)
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.rest)
	if n <= 0 {
		c.fail(errShort)
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

func (c *cursor) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.rest)) {
		c.fail(errShort)
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) text() string { return string(c.bytes()) }

func (c *cursor) number64() uint64 {
	if len(c.rest) < 8 {
		c.fail(errShort)
		return 0
	}
	v := binary.LittleEndian.Uint64(c.rest)
	c.rest = c.rest[8:]
	return v
}

// farthest bounds how far apart two times may be, in seconds: the years that time.Time can count.
const farthest = 1 << 53

func (c *cursor) time(previous *time.Time) time.Time {
	seconds, nanos := c.varint(), c.varint()
	if seconds > farthest || seconds < -farthest || nanos <= -1e9 || nanos >= 1e9 {
		c.fail(errors.New("an entry's time is beyond all years"))
		return time.Time{}
	}
	at := time.Unix(previous.Unix()+seconds, int64(previous.Nanosecond())+nanos).UTC()
	if c.err == nil {
		*previous = at
	}
	return at
}

// end checks that nothing is left over.
func (c *cursor) end() error {
	if c.err == nil && len(c.rest) > 0 {
		c.fail(errors.New("an entry goes on after its end"))
	}
	return c.err
}
