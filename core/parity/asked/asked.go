// Package asked reads what somebody who runs the comparisons asks for in the environment: how many cases, of which seed.
package asked

import (
	"os"
	"strconv"
	"testing"
)

// Number is the number that the environment has under a name, or otherwise where it has none.
func Number(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%q is no number: %v", name, text, err)
	}
	return n
}
