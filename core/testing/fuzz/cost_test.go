package fuzz

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// recorder is a test whose failures are wanted.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.failures = append(r.failures, fmt.Sprint(args...)) }

func (r *recorder) Errorf(f string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(f, args...))
}

func (r *recorder) failed(check func()) bool { r.failures = nil; check(); return len(r.failures) > 0 }

var kept []byte

func TestCost_BoundsMemory(t *testing.T) {
	for _, c := range []struct {
		size, allocated int
		fails           bool
	}{
		{0, 200 << 20, false},
		{0, 300 << 20, true},
		{6 << 20, 280 << 20, false},
		{6 << 20, 320 << 20, true},
	} {
		r := &recorder{TB: t}
		if got := r.failed(func() { Cost(r, c.size, func() { kept = make([]byte, c.allocated) }) }); got != c.fails {
			t.Errorf("%d bytes of input that allocate %d: failures %q, want %v", c.size, c.allocated, r.failures, c.fails)
		}
	}
	kept = nil
}

func TestCheck_EndsWhatDoesNotEnd(t *testing.T) {
	for name, run := range map[string]func(){
		"time":   func() { check(hung, 0) },
		"memory": func() { check(0, swollen) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the process goes on")
				}
			}()
			run()
		})
	}
	check(hung-1, swollen-1)
}

func TestError_IsOneLineThatCanBeShown(t *testing.T) {
	for text, fails := range map[string]bool{
		`reading "a": it is damaged`: false, "été": false,
		"": true, " \n": true, "two\nlines": true, "\x1b[2J": true, "a\u202eb": true, "\xff": true, strings.Repeat("x", mostRunes+1): true,
	} {
		r := &recorder{TB: t}
		if got := r.failed(func() { Error(r, errors.New(text)) }); got != fails {
			t.Errorf("%.40q fails %v, want %v", text, got, fails)
		}
	}
}

func TestErrors_AreLinesThatCanBeShown(t *testing.T) {
	for text, fails := range map[string]bool{"one": false, "one\ntwo": false, "one\ntwo\nthree": true, "one\n": true, "one\nt\two": true} {
		r := &recorder{TB: t}
		if got := r.failed(func() { Errors(r, errors.New(text), 2) }); got != fails {
			t.Errorf("%q fails %v, want %v", text, got, fails)
		}
	}
}

func TestOutput_IsHarmless(t *testing.T) {
	for text, fails := range map[string]bool{"a\tb\n": false, "\x1b": true, "\u009b": true, "\xff": true, "\u202e": true, "\r": true} {
		r := &recorder{TB: t}
		if got := r.failed(func() { Output(r, text) }); got != fails {
			t.Errorf("%q fails %v, want %v", text, got, fails)
		}
	}
}
