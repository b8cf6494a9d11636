package trace

import "google.golang.org/protobuf/encoding/protowire"

const (
	// maxSharedParts bounds the parts that a reader knows. Clusters have fewer nodes and fewer templates of pods at a time.
	//
	//orrery:limit recordings; parts that equal pods share while a recording is read, of each kind; all are forgotten; pods that have them keep them
	maxSharedParts = 1 << 13
	// maxSharedSize bounds the encoding of such a part.
	//
	//orrery:limit recordings; a part that equal pods share while a recording is read, in bytes; it is not shared
	maxSharedSize = 4 << 10
)

// sharedParts are messages of a kind without the fields that each has for itself, by their encodings.
type sharedParts[T any, M interface {
	*T
	Unmarshal([]byte) error
}] struct {
	known      map[string]*T
	alike, own []byte // used again for each message
}

// decode decodes a message into an empty one. It reports false if Unmarshal refuses it.
func (p *sharedParts[T, M]) decode(to *T, data []byte, ownFields uint64) bool {
	own, ok := p.shared(to, data, ownFields)
	return ok && M(to).Unmarshal(own) == nil
}

// shared decodes the fields of a message that others may have alike. It returns the encoded others, valid until the next call.
func (p *sharedParts[T, M]) shared(to *T, data []byte, ownFields uint64) (own []byte, ok bool) {
	if len(data) > maxSharedSize {
		return data, true
	}
	if p.alike, p.own, ok = splitFields(data, ownFields, p.alike[:0], p.own[:0]); !ok {
		return nil, false
	}
	known, ok := p.known[string(p.alike)]
	if !ok {
		known = new(T)
		if err := M(known).Unmarshal(p.alike); err != nil {
			return nil, false
		}
		if p.known == nil || len(p.known) >= maxSharedParts {
			p.known = map[string]*T{}
		}
		p.known[string(p.alike)] = known
	}
	*to = *known
	return p.own, true
}

// fieldSet is a set of fields, by their numbers, which are below 64.
func fieldSet(numbers ...int) (set uint64) {
	for _, n := range numbers {
		set |= 1 << n
	}
	return set
}

// splitFields appends the fields of a message that are in a set to own, and all others to alike. It reports false if the message is not
// whole.
func splitFields(data []byte, set uint64, alike, own []byte) (_, _ []byte, ok bool) {
	for len(data) > 0 {
		number, _, size := nextField(data)
		switch {
		case size == 0:
			return alike, own, false
		case number < 64 && set>>number&1 != 0:
			own = append(own, data[:size]...)
		default:
			alike = append(alike, data[:size]...)
		}
		data = data[size:]
	}
	return alike, own, true
}

func countFields(data []byte, wanted int32) (n int) {
	for len(data) > 0 {
		number, _, size := nextField(data)
		if size == 0 {
			break
		}
		if number == wanted {
			n++
		}
		data = data[size:]
	}
	return n
}

// nextField returns the number of a message's next field, and its size with everything: zero if it is not whole. The value is that of a
// text or a message, and nil for other fields.
func nextField(data []byte) (number int32, value []byte, size int) {
	n, kind, tag := protowire.ConsumeTag(data)
	if tag < 0 {
		return 0, nil, 0
	}
	length := 0
	if kind == protowire.BytesType {
		value, length = protowire.ConsumeBytes(data[tag:])
	} else {
		length = protowire.ConsumeFieldValue(n, kind, data[tag:])
	}
	if length < 0 {
		return 0, nil, 0
	}
	return int32(n), value, tag + length
}
