package footprint

import (
	"bytes"
	"encoding/json"
)

// JSON returns what an object takes once it is decoded from JSON. Nothing is decoded of what is not valid.
func (s *Shape) JSON(data []byte) int64 {
	total := s.size + int64(len(data))
	if !json.Valid(data) {
		return total
	}
	return total + (&jsonReader{rest: data}).value(field{inner: s})
}

// Any is the shape of what is decoded without a type, into maps and lists.
var Any = &Shape{names: map[string]field{"": {form: anything}}}

// What values without a type take.
const (
	anyBytes = 16 // a value in its place
	anyEntry = stringBytes + 2*anyBytes
)

// jsonReader goes through valid JSON.
type jsonReader struct{ rest []byte }

// value returns what a field takes, and goes beyond its value. A value of another form than the field's takes nothing: no
// decoder keeps it.
func (r *jsonReader) value(f field) (total int64) {
	open := r.next()
	switch {
	case f.form == anything || f.inner == Any:
		return r.anything(open)
	case f.inner.isQuantity():
		before := r.rest
		r.skip(open)
		total = int64(f.first) + quantityMemory(bytes.Trim(before[:len(before)-len(r.rest)], `"`))
	case f.form == list && open == '[':
		r.elements(func(first bool) {
			total += f.occurrence(first)
			total += r.value(field{inner: f.inner})
		})
	case f.form == mapping && open == '{':
		r.members(func(first bool, _ []byte) {
			total += f.occurrence(first)
			value := field{}
			if f.inner != nil {
				value = f.inner.names[""]
			}
			total += r.value(value)
		})
	case f.form == single && f.inner != nil && open == '{':
		total = int64(f.first)
		r.members(func(_ bool, name []byte) { total += r.member(f.inner, name) })
	default:
		r.skip(open)
		total = int64(f.first)
	}
	return total
}

// member returns what the value of a name takes. Decoders find fields by names in other cases, too. A name that has to be
// unescaped first is not an API field; assume the worst-case size.
func (r *jsonReader) member(of *Shape, name []byte) int64 {
	if bytes.ContainsFunc(name, func(c rune) bool { return c == '\\' || c >= 0x80 }) {
		before := len(r.rest)
		r.skip(r.next())
		return Costliest * int64(before-len(r.rest))
	}
	f, known := of.names[string(bytes.ToLower(name))]
	if !known {
		r.skip(r.next())
		return 0
	}
	return r.value(f)
}

func (f field) occurrence(first bool) int64 {
	if first {
		return int64(f.first)
	}
	return int64(f.next)
}

// anything returns what a value takes that is decoded without a type.
func (r *jsonReader) anything(open byte) (total int64) {
	switch open {
	case '{':
		total = mapBytes + mapGroup*2*anyBytes
		r.members(func(bool, []byte) { total += anyEntry + r.anything(r.next()) })
	case '[':
		total = anyBytes
		r.elements(func(bool) { total += 2*anyBytes + r.anything(r.next()) })
	default:
		r.skip(open)
		total = anyBytes
	}
	return total
}

// next goes to the next byte that is no space, separators being such.
func (r *jsonReader) next() byte {
	for len(r.rest) > 0 {
		switch c := r.rest[0]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.rest = r.rest[1:]
		default:
			return c
		}
	}
	return 0
}

// elements visits the elements of an array.
func (r *jsonReader) elements(visit func(first bool)) {
	r.rest = r.rest[1:]
	for first := true; r.next() != ']'; first = false {
		visit(first)
	}
	r.rest = r.rest[1:]
}

// members visits the members of an object, at their values.
func (r *jsonReader) members(visit func(first bool, name []byte)) {
	r.rest = r.rest[1:]
	for first := true; r.next() != '}'; first = false {
		visit(first, r.text())
	}
	r.rest = r.rest[1:]
}

// text goes beyond a string and returns what is between its quotes.
func (r *jsonReader) text() []byte {
	for i := 1; ; i++ {
		switch r.rest[i] {
		case '\\':
			i++
		case '"':
			text := r.rest[1:i]
			r.rest = r.rest[i+1:]
			return text
		}
	}
}

// skip goes beyond a value that begins with this byte.
func (r *jsonReader) skip(open byte) {
	switch open {
	case '"':
		r.text()
	case '[':
		r.elements(func(bool) { r.skip(r.next()) })
	case '{':
		r.members(func(bool, []byte) { r.skip(r.next()) })
	default:
		end := bytes.IndexAny(r.rest, " \t\r\n,]}")
		if end < 0 {
			end = len(r.rest)
		}
		r.rest = r.rest[end:]
	}
}
