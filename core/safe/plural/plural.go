// Package plural writes numbers of things: "1 pod", "2 pods". It knows only nouns that take an s.
package plural

import (
	"fmt"
	"strconv"
	"strings"
)

// Integer is any whole number.
type Integer interface {
	~int | ~int32 | ~int64 | ~uint64
}

// Of returns the noun for a number of things: "pod" for 1, else "pods".
func Of[N Integer](n N, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Count returns the number and its noun: "1 pod", "1200 pods".
func Count[N Integer](n N, noun string) string {
	return strconv.FormatInt(int64(n), 10) + " " + Of(n, noun)
}

// MaxListed bounds the names in one sentence.
//
//orrery:limit answers; names in a sentence; the others are counted
const MaxListed = 3

// Listed joins names: "a, b, c and 4 more".
func Listed(names []string) string {
	text := strings.Join(names[:min(len(names), MaxListed)], ", ")
	if more := len(names) - MaxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
