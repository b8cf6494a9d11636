package codec

import "encoding/binary"

// Reader takes values from the front of bytes. After the first error it reads zeros.
type Reader struct {
	// Rest is what is left to read.
	Rest []byte
	// Short is the error of a value that goes on after the end.
	Short error
	// Err is the first error.
	Err error
}

// Fail ends reading. The first error counts.
func (r *Reader) Fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
	r.Rest = nil
}

// Take reads n bytes. They are those that Rest was.
func (r *Reader) Take(n uint64) []byte {
	if n > uint64(len(r.Rest)) {
		r.Fail(r.Short)
		return nil
	}
	read := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return read
}

// Uvarint reads a number that is not negative.
func (r *Reader) Uvarint() uint64 {
	n, size := binary.Uvarint(r.Rest)
	if size <= 0 {
		r.Fail(r.Short)
		return 0
	}
	r.Rest = r.Rest[size:]
	return n
}

// Varint reads a number.
func (r *Reader) Varint() int64 {
	n, size := binary.Varint(r.Rest)
	if size <= 0 {
		r.Fail(r.Short)
		return 0
	}
	r.Rest = r.Rest[size:]
	return n
}

// Bytes reads as many bytes as a number before them says.
func (r *Reader) Bytes() []byte { return r.Take(r.Uvarint()) }

// AppendText appends a text as Bytes reads it.
func AppendText[T ~string](to []byte, text T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// FirstSecond and LastSecond are the Unix times between which a time lies, the years 1 to 9999: the zero time and after, as far as
// times have a text in RFC 3339.
const (
	FirstSecond = -62_135_596_800
	LastSecond  = 253_402_300_799
)
