package filter

import (
	"strings"
	"unicode/utf8"
)

// String is what was typed.
func (f *Filter) String() string {
	if f == nil {
		return ""
	}
	return f.text
}

// Match tells whether a row stays.
func (f *Filter) Match(s *Subject) bool {
	if f == nil {
		return true
	}
	for i := range f.terms {
		if f.terms[i].match(s) == f.terms[i].inverse {
			return false
		}
	}
	return true
}

// has tells whether a test holds for the whole name or for any of the words.
func (s *Subject) has(test func(string) bool) bool {
	if test(s.Name) || (s.Namespace != "" && test(s.Namespace)) {
		return true
	}
	for _, word := range s.Words {
		if word != "" && test(word) {
			return true
		}
	}
	return false
}

// contains is strings.Contains for a lower-case word, whatever the case of the text. Nearly all names are lower case
// already.
func contains(text, lower string) bool {
	if strings.Contains(text, lower) {
		return true
	}
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || (c >= 'A' && c <= 'Z') {
			return strings.Contains(strings.ToLower(text), lower)
		}
	}
	return false
}

// fuzzy tells whether the letters of a lower-case word come in the text in their order.
func fuzzy(namespace, name, lower string) bool {
	at := 0
	for _, text := range [...]string{namespace, name} {
		for i := 0; i < len(text) && at < len(lower); i++ {
			c := text[i]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c == lower[at] {
				at++
			}
		}
	}
	return at == len(lower)
}
