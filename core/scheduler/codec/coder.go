package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"orrery/core/world"
)

// State is what a Coder wrote.
type State struct {
	Objects []world.Object
	Data    []byte
}

// Coder writes the values that it is given, or reads them. After an error it reads zeros. What it writes it does not change: others
// may read it meanwhile.
type Coder struct {
	reading bool
	written []byte
	in      Reader
	objects []world.Object
	numbers map[world.Object]int // of the objects; nil when reading
}

// Write writes what code codes. The error is one that code reported: something there cannot be written.
func Write(code func(*Coder)) (State, error) {
	c := &Coder{numbers: map[world.Object]int{}}
	code(c)
	c.timesWithinSeconds()
	if c.in.Err != nil {
		return State{}, c.in.Err
	}
	return State{c.objects, c.written}, nil
}

// Read reads a state: code has to code the same, on what is empty.
func Read(s State, code func(*Coder)) error {
	c := &Coder{reading: true, in: Reader{Rest: s.Data, Short: errTooShort}, objects: s.Objects}
	code(c)
	c.timesWithinSeconds()
	if len(c.in.Rest) > 0 {
		c.Fail(errors.New("the state goes on after its end"))
	}
	return c.in.Err
}

// Reading reports whether values are read, not written.
func (c *Coder) Reading() bool { return c.reading }

// OK reports whether there was no error so far.
func (c *Coder) OK() bool { return c.in.Err == nil }

// Fail ends reading, or says that something cannot be written. The first error counts.
func (c *Coder) Fail(err error) { c.in.Fail(err) }

// Check fails with a message unless a condition holds for what was read.
func (c *Coder) Check(holds bool, format string, args ...any) {
	if c.reading && !holds && c.in.Err == nil {
		c.Fail(fmt.Errorf(format, args...))
	}
}

var errTooShort = errors.New("the state ends before what it should hold")

// Uint codes a number that is not negative.
func Uint[T ~uint8 | ~uint32 | ~uint64](c *Coder, value *T) {
	if !c.reading {
		c.written = binary.AppendUvarint(c.written, uint64(*value))
		return
	}
	n := c.in.Uvarint()
	*value = T(n)
	c.Check(uint64(*value) == n, "a number, %d, is out of range", n)
}

// Enum codes one of the values from 0 to last.
func Enum[T ~uint8](c *Coder, value *T, last T) {
	Uint(c, value)
	if *value > last {
		c.Fail(fmt.Errorf("a value, %d, is none of the %d that there are", uint8(*value), int(last)+1))
		*value = 0
	}
}

// Int codes a number.
func Int[T ~int | ~int32 | ~int64](c *Coder, value *T) {
	if !c.reading {
		c.written = binary.AppendVarint(c.written, int64(*value))
		return
	}
	n := c.in.Varint()
	*value = T(n)
	c.Check(int64(*value) == n, "a number, %d, is out of range", n)
}

// Count codes a number of things, which is not negative.
func (c *Coder) Count(value *int) {
	Int(c, value)
	if *value < 0 || *value > math.MaxInt32 {
		c.Fail(fmt.Errorf("a count, %d, is out of range", *value))
		*value = 0
	}
}

// Bool codes a truth value.
func (c *Coder) Bool(value *bool) {
	var n uint8
	if *value {
		n = 1
	}
	if Enum(c, &n, 1); c.reading {
		*value = n == 1
	}
}

// Text codes a text.
func Text[T ~string](c *Coder, value *T) {
	if !c.reading {
		c.written = AppendText(c.written, *value)
		return
	}
	*value = T(c.in.Bytes())
}

// Time codes a time, to the nanosecond. One that is read is in UTC.
func (c *Coder) Time(value *time.Time) {
	seconds, nanos := value.Unix(), uint32(value.Nanosecond())
	Int(c, &seconds)
	Uint(c, &nanos)
	if !c.reading {
		return
	}
	if seconds < FirstSecond || seconds > LastSecond || nanos >= 1e9 {
		c.Fail(errors.New("a time is in none of the years from 1 to 9999"))
		*value = time.Time{}
		return
	}
	*value = time.Unix(seconds, int64(nanos)).UTC()
}
