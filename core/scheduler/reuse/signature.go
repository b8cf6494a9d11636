package reuse

import (
	"encoding/binary"
	"slices"
)

// Signature is everything that some plugins read of a pod, in a form that two pods share only if all of it is equal.
type Signature []byte

// Text appends a text.
func (s Signature) Text(text string) Signature {
	return append(binary.AppendUvarint(s, uint64(len(text))), text...)
}

// Texts appends a list of texts.
func (s Signature) Texts(list []string) Signature {
	s = s.Number(int64(len(list)))
	for _, text := range list {
		s = s.Text(text)
	}
	return s
}

// Pairs appends a map, in the order of its keys.
func (s Signature) Pairs(pairs map[string]string) Signature {
	var few [16]string
	keys := few[:0]
	for key := range pairs {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	s = s.Number(int64(len(keys)))
	for _, key := range keys {
		s = s.Text(key).Text(pairs[key])
	}
	return s
}

// Number appends a number.
func (s Signature) Number(n int64) Signature { return binary.AppendVarint(s, n) }

// Flag appends a yes or no.
func (s Signature) Flag(yes bool) Signature {
	if yes {
		return append(s, 1)
	}
	return append(s, 0)
}
