package footprint

import "encoding/binary"

// Costliest bounds what a byte of an encoding takes: with two bytes for an element of a list, half the largest element
// of the API, twice since the list grows.
const Costliest = 2 << 10

// Proto returns what an object takes once it is decoded from a protocol buffer.
func (s *Shape) Proto(data []byte) int64 { return s.size + int64(len(data)) + s.parts(data) }

// wire types of a protocol buffer; groups are not used.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// parts returns what the parts of a message take beside their encoded bytes and their places in the message. Tags and
// lengths of one byte, which nearly all are, take the short way.
func (s *Shape) parts(data []byte) (total int64) {
	if s == quantityText {
		return quantityMemory(data)
	}
	fields, previous := s.fields, int32(-1)
	for i := 0; i < len(data); {
		tag := uint64(data[i])
		i++
		if tag >= 0x80 {
			var n int
			if tag, n = binary.Uvarint(data[i-1:]); n <= 0 {
				return total + invalid(data[i:])
			}
			i += n - 1
		}
		f, number := &none, int32(tag>>3) // decoders drop the bits above, too
		if uint(number) < uint(len(fields)) {
			f = &fields[number]
		}
		total += int64(f.first)
		if number == previous {
			total += int64(f.next - f.first)
		}
		previous = number
		switch tag & 7 {
		case wireBytes:
			if i >= len(data) {
				return total
			}
			size := uint64(data[i])
			i++
			if size >= 0x80 {
				var n int
				if size, n = binary.Uvarint(data[i-1:]); n <= 0 {
					return total + invalid(data[i:])
				}
				i += n - 1
			}
			if size > uint64(len(data)-i) {
				return total + invalid(data[i:])
			}
			end := i + int(size)
			if f.inner != nil {
				total += f.inner.parts(data[i:end])
			} else if f.perByte != 0 {
				total += int64(f.perByte) * int64(size)
			}
			i = end
		case wireVarint:
			for i < len(data) && data[i] >= 0x80 {
				i++
			}
			i++
		case wireFixed64:
			i += 8
		case wireFixed32:
			i += 4
		default:
			return total + invalid(data[i:])
		}
	}
	return total
}

var none field

func invalid(data []byte) int64 { return Costliest * int64(len(data)) }
