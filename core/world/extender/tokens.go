package extender

import (
	"bytes"
	"slices"

	"orrery/core/objects/nodenames"
)

// peek returns the next byte that is no white space; zero at the end.
func (s *scanner) peek() byte {
	for {
		for ; s.at < len(s.text); s.at++ {
			if b := s.text[s.at]; b != ' ' && b != '\n' && b != '\t' && b != '\r' {
				return b
			}
		}
		if !s.more() {
			return 0
		}
	}
}

// more reads on. It returns false at the end.
func (s *scanner) more() bool {
	for s.err == nil {
		if len(s.text) == cap(s.text) {
			s.text = slices.Grow(s.text, max(512, len(s.text)))
		}
		n, err := s.from.Read(s.text[len(s.text):cap(s.text)])
		s.text, s.err = s.text[:len(s.text)+n], err
		if n > 0 {
			return true
		}
	}
	return false
}

func (s *scanner) take(b byte) bool {
	if s.peek() != b {
		return false
	}
	s.at++
	return true
}

// list reads a list; item reads an item of it.
func (s *scanner) list(item func() bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for item() {
		if !s.take(',') {
			return s.take(']')
		}
	}
	return false
}

// object reads an object; field reads the value of a field of it.
func (s *scanner) object(field func(name []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		name, ok := s.plain()
		if !ok || !s.take(':') || !field(name) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// plain reads a text without escapes.
func (s *scanner) plain() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for {
		if end := bytes.IndexByte(s.text[s.at:], '"'); end >= 0 {
			text := s.text[s.at : s.at+end]
			s.at += end + 1
			return text, nodenames.IsPlain(text)
		}
		if !s.more() {
			return nil, false
		}
	}
}

// null reads a null.
func (s *scanner) null() bool {
	const null = "null"
	if s.peek() != null[0] {
		return false
	}
	for len(s.text)-s.at < len(null) {
		if !s.more() {
			return false
		}
	}
	if string(s.text[s.at:s.at+len(null)]) != null {
		return false
	}
	s.at += len(null)
	return true
}

// maxDigits is how many digits fit into an int64, whichever they are.
const maxDigits = 18

// number reads an integer. What follows its digits is for the caller: a fraction or an exponent is none of its tokens.
func (s *scanner) number(to *int64) bool {
	negative := s.peek() == '-'
	if negative {
		s.at++
	}
	var n int64
	digits := 0
	for ; s.at < len(s.text) || s.more(); s.at++ {
		b := s.text[s.at]
		if b < '0' || b > '9' {
			break
		}
		if digits++; digits > maxDigits || digits == 2 && n == 0 {
			return false
		}
		n = 10*n + int64(b-'0')
	}
	if negative {
		n = -n
	}
	*to = n
	return digits > 0
}
