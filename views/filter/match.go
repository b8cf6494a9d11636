package filter

import (
	"strings"
	"unicode/utf8"
)

// String returns the text of the filter.
func (f *Filter) String() string {
	if f == nil {
		return ""
	}
	return f.text
}

// Match reports whether a row matches.
func (f *Filter) Match(s *Row) bool {
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

// has reports whether a test holds for the name, the namespace or any of the words.
func (s *Row) has(test func(string) bool) bool {
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

// contains reports whether a text contains a lower-case word, ignoring case. Nearly all names are lower case already.
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

// fuzzy reports whether namespace and name contain the letters of a lower-case word in their order.
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
