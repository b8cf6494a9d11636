package segments

import (
	"crypto/rand"
	"strings"
	"time"
)

const (
	ending        = ".orrery"
	partialEnding = ".partial"
	nameLayout    = "20060102T150405.000000000Z"
	randomLength  = 8
)

// newName returns a name for a segment that begins at a time. Names sort as their times do.
func newName(start time.Time) string {
	return start.UTC().Format(nameLayout) + "-" + rand.Text()[:randomLength] + ending
}

// ParseName returns the time at which a segment of a name begins. It takes exactly the names that a Recorder makes.
func ParseName(name string) (time.Time, bool) {
	stem, isTrace := strings.CutSuffix(name, ending)
	stamp, random, divided := strings.Cut(stem, "-")
	if !isTrace || !divided || len(stamp) != len(nameLayout) || len(random) != randomLength {
		return time.Time{}, false
	}
	if strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return time.Time{}, false
	}
	start, err := time.Parse(nameLayout, stamp)
	return start, err == nil && start.Format(nameLayout) == stamp
}

// isPartial reports whether a name is that of a segment whose beginning is being written.
func isPartial(name string) bool {
	stem, partial := strings.CutSuffix(name, partialEnding)
	_, segment := ParseName(stem)
	return partial && segment
}
