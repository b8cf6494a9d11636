package soak

import (
	"strings"
	"testing"
)

func TestFootprintOf_CountsWhatIsReachable(t *testing.T) {
	type node struct {
		next *node
		text string
		all  map[string][]int64
	}
	text := strings.Repeat("x", 1000)
	type history struct{ all []string }
	type remembering struct {
		past    history
		before  *history
		present []int64
	}
	ring := &node{text: text, all: map[string][]int64{"a": make([]int64, 2, 100), text: nil}}
	ring.next = &node{next: ring, text: text}
	for _, tc := range []struct {
		name     string
		of       any
		from, to int64
	}{
		{"nothing", nil, 0, 0},
		{"a number", 7, 0, 0},
		{"a text", text, 1000, 1000},
		{"a ring, whose text is shared", ring, 1000 + 800, 1000 + 800 + 400},
		{"a struct without its history", &remembering{history{make([]string, 99)}, &history{make([]string, 99)}, make([]int64, 3)}, 24 + 8 + 24 + 24, 24 + 8 + 24 + 24},
		{"a nil pointer", (*node)(nil), 0, 0},
		{"room of a slice", make([]int32, 0, 10), 40, 40},
	} {
		if n := footprintOf(tc.of, "soak.history"); n < tc.from || n > tc.to {
			t.Errorf("%s: %d bytes, want %d to %d", tc.name, n, tc.from, tc.to)
		}
	}
}
