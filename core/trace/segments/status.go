package segments

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"orrery/core/safe/printable"
)

// Status is how a recording does.
type Status struct {
	// Recording is false from an error of the disk until it records again. Flushed is when records last reached the disk; zero before the first.
	Recording bool
	Flushed   time.Time
	// Why is the error that stopped it, or that of a later try to go on, if that differs.
	Why error
	// Written counts bytes, Gaps how often it stopped, since the process began.
	Written uint64
	Gaps    uint64
	// Missing is how long nothing was recorded between the process before this one, which wrote to the same directory, and this one.
	Missing time.Duration
	// Segments and Bytes are what is in the directory.
	Segments int
	Bytes    int64
}

// stalled is how long a write may take until the disk counts as hanging. A state of a large cluster takes some seconds.
const stalled = 15 * time.Second

// Up reports whether records reach the disk at a time.
func (s Status) Up(now time.Time) bool { return s.Recording && now.Sub(s.Flushed) < stalled }

// Outage says since when and why no records reach the disk at a time; it is empty while they do, and before they first have to.
func (s Status) Outage(now time.Time) string {
	why := s.Why
	switch {
	case s.Up(now) || !s.Recording && why == nil:
		return ""
	case s.Recording:
		why = errHangs
	}
	if s.Flushed.IsZero() {
		return printable.Line(fmt.Sprintf("nothing is recorded on disk: %v", why), maxOutage)
	}
	return printable.Line(fmt.Sprintf("nothing is recorded on disk since %s: %v", s.Flushed.UTC().Format(time.TimeOnly), why), maxOutage)
}

// maxOutage bounds what is said of an outage, in cells of the screen.
//
//orrery:limit text; why nothing is recorded on disk, in characters; cut off
const maxOutage = 200

var errHangs = errors.New("the disk does not answer")

// guardedStatus is a status that is read by others than those who write it.
type guardedStatus struct {
	mu     sync.Mutex
	status Status
}

func (g *guardedStatus) update(change func(*Status)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.status)
}

func (g *guardedStatus) get() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}
