package app

import (
	"io"
	"strings"
	"testing"

	"orrery/demo"
)

// zeros goes on for good.
type zeros struct{}

func (zeros) Read(to []byte) (int, error) { return len(to), nil }

// A trace that does not end on a pipe is refused before it fills the memory.
func TestTraceHash_BoundsWhatComesOnAPipe(t *testing.T) {
	file, err := demo.Open("priority-storm")
	if err != nil {
		t.Fatal(err)
	}
	_, err = seekable(&recording{name: "standard input", ReadCloser: io.NopCloser(io.MultiReader(file, zeros{}))})
	if err == nil || !strings.Contains(err.Error(), "standard input has more than 256 MiB, and hashing reads it twice: save it to a file") {
		t.Errorf("the error is %v", err)
	}
}
