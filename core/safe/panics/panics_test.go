package panics

import (
	"errors"
	"strings"
	"testing"
)

func broken() { panic(errors.New("out of\x1b[31m range")) }

func TestCall_ReturnsPanicAsError(t *testing.T) {
	err := Call("the test", broken)
	var panicked *Error
	if !errors.As(err, &panicked) || err.Error() != `the test panicked: out of\x1b[31m range` || !strings.Contains(panicked.Stack, "panics.broken") {
		t.Errorf("got %v with the stack %s", err, panicked.Stack)
	}
	if err := Call("the test", func() {}); err != nil {
		t.Errorf("without a panic: %v", err)
	}
}

// An error of another goroutine keeps its own cause and stack when it panics again.
func TestCall_KeepsCauseOfOtherGoroutine(t *testing.T) {
	first := Call("the loop", broken)
	if again := Call("the caller", func() { panic(first) }); again != first {
		t.Errorf("got %v, want %v", again, first)
	}
}

func TestCall_BoundsText(t *testing.T) {
	err := Call("the test", func() { panic(strings.Repeat("long\n", 1000)) })
	if text := err.Error(); len(text) > 2*maxValue || strings.Contains(text, "\n") {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}
