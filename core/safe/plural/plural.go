// Package plural writes numbers of things: "1 pod", "2 pods". It knows only nouns that take an s.
package plural

import "strconv"

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
