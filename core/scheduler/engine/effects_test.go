package engine

import (
	"strings"
	"testing"
)

func TestTruncateNote(t *testing.T) {
	for _, tc := range []struct{ name, note, want string }{
		{"a note at the limit", strings.Repeat("a", 1024), strings.Repeat("a", 1024)},
		{"a longer note ends in dots", strings.Repeat("a", 1025), strings.Repeat("a", 1020) + " ..."},
		{"no character is split", strings.Repeat("a", 1019) + "ü" + strings.Repeat("a", 9), strings.Repeat("a", 1019) + " ..."},
		{"percent signs are kept", "100% of %d", "100% of %d"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := truncateNote(tc.note); got != tc.want {
				t.Errorf("got %d bytes, ending in %q", len(got), got[max(0, len(got)-20):])
			}
		})
	}
}
