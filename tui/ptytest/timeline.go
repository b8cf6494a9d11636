package ptytest

import (
	"regexp"
	"strings"
)

var positions = regexp.MustCompile(`\d\d:\d\d\.\d{3}`)

// timeline is the last line but one, which shows where a recording is.
func (s *Screen) timeline() string { return s.Line(s.h - 2) }

// Position returns the recording's time on the timeline, such as 00:03.250.
func (s *Screen) Position() string { return positions.FindString(s.timeline()) }

// Paused reports whether the timeline shows that the recording stands still.
func (s *Screen) Paused() bool { return strings.Contains(s.timeline(), "‖") }
