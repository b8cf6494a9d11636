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
	data    []byte // written so far, or left to read
	objects []world.Object
	numbers map[world.Object]int // of the objects; nil when reading
	err     error
}

// Write writes what code codes. The error is one that code reported: something there cannot be written.
func Write(code func(*Coder)) (State, error) {
	c := &Coder{numbers: map[world.Object]int{}}
	code(c)
	c.timesWithinSeconds()
	if c.err != nil {
		return State{}, c.err
	}
	return State{c.objects, c.data}, nil
}

// Read reads a state: code has to code the same, on what is empty.
func Read(s State, code func(*Coder)) error {
	c := &Coder{reading: true, data: s.Data, objects: s.Objects}
	code(c)
	c.timesWithinSeconds()
	if len(c.data) > 0 {
		c.Fail(errors.New("the state goes on after its end"))
	}
	return c.err
}

// Reading reports whether values are read, not written.
func (c *Coder) Reading() bool { return c.reading }

// OK reports whether there was no error so far.
func (c *Coder) OK() bool { return c.err == nil }

// Fail ends reading, or says that something cannot be written. The first error counts.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.data = nil
}

// Check fails with a message unless a condition holds for what was read.
func (c *Coder) Check(holds bool, format string, args ...any) {
	if c.reading && !holds && c.err == nil {
		c.Fail(fmt.Errorf(format, args...))
	}
}

var errTooShort = errors.New("the state ends before what it should hold")

// Uint codes a number that is not negative.
func Uint[T ~uint8 | ~uint32 | ~uint64](c *Coder, value *T) {
	if !c.reading {
		c.data = binary.AppendUvarint(c.data, uint64(*value))
		return
	}
	n := c.uvarint()
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

func (c *Coder) uvarint() uint64 {
	n, size := binary.Uvarint(c.data)
	if size <= 0 {
		c.Fail(errTooShort)
		return 0
	}
	c.data = c.data[size:]
	return n
}

// Int codes a number.
func Int[T ~int | ~int32 | ~int64](c *Coder, value *T) {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, int64(*value))
		return
	}
	n, size := binary.Varint(c.data)
	if size <= 0 {
		c.Fail(errTooShort)
		*value = 0
		return
	}
	c.data = c.data[size:]
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
		c.data = append(binary.AppendUvarint(c.data, uint64(len(*value))), *value...)
		return
	}
	*value = T(c.bytes())
}

// bytes reads as many bytes as a number says. They are those of the state.
func (c *Coder) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		c.Fail(errTooShort)
		return nil
	}
	read := c.data[:n]
	c.data = c.data[n:]
	return read
}

// firstSecond and lastSecond are the Unix times between which a time lies, the years 1 to 9999.
const (
	firstSecond = -62_135_596_800
	lastSecond  = 253_402_300_799
)

// Time codes a time, to the nanosecond. One that is read is in UTC.
func (c *Coder) Time(value *time.Time) {
	seconds, nanos := value.Unix(), uint32(value.Nanosecond())
	Int(c, &seconds)
	Uint(c, &nanos)
	if !c.reading {
		return
	}
	if seconds < firstSecond || seconds > lastSecond || nanos >= 1e9 {
		c.Fail(errors.New("a time is in none of the years from 1 to 9999"))
		*value = time.Time{}
		return
	}
	*value = time.Unix(seconds, int64(nanos)).UTC()
}
