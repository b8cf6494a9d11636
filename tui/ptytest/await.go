//go:build unix

package ptytest

import (
	"bytes"
	"strconv"
	"time"
)

// Await waits until a condition holds, and fails the test if it does not in time.
func (s *Session) Await(what string, is func(*Screen) bool) {
	s.t.Helper()
	deadline := time.After(Deadline)
	for {
		s.mu.Lock()
		ok, changed := is(s.screen), s.changed
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-s.readDone:
			s.mu.Lock()
			ok := is(s.screen)
			s.mu.Unlock()
			if !ok {
				s.t.Fatalf("the program ended before %s; the screen is\n%s\nand the end of the output is %q", what, s.Text(), s.tail())
			}
			return
		case <-deadline:
			s.t.Fatalf("timed out waiting for %s; the screen is\n%s\nand the end of the output is %q", what, s.Text(), s.tail())
		}
	}
}

// AwaitText waits until the screen contains a text.
func (s *Session) AwaitText(text string) {
	s.t.Helper()
	s.Await("the text "+text, func(screen *Screen) bool { return screen.Contains(text) })
}

// AwaitOutput waits until the output contains some bytes.
func (s *Session) AwaitOutput(want string) {
	s.t.Helper()
	s.Await("the output "+strconv.Quote(want), func(*Screen) bool { return bytes.Contains(s.output, []byte(want)) })
}

// AwaitQuiet waits until nothing was written for a span, and returns how many bytes were written in all.
func (s *Session) AwaitQuiet(span time.Duration) int {
	s.t.Helper()
	deadline := time.After(Deadline)
	for {
		s.mu.Lock()
		n, changed := len(s.output), s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(span):
			return n
		case <-deadline:
			s.t.Fatalf("the program was never quiet for %v; the screen is\n%s", span, s.Text())
		}
	}
}

func (s *Session) tail() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	const most = 400
	return string(s.output[max(len(s.output)-most, 0):])
}
