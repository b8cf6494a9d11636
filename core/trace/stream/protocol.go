package stream

import (
	"net/http"
	"strconv"
	"time"

	"orrery/core/safe/printable"
)

// Path is where a scheduler serves its stream.
const Path = "/debug/orrery/stream"

// ContentType is that of a trace.
const ContentType = "application/vnd.orrery.trace"

// sinceParameter is how much earlier than now a stream is to begin.
const sinceParameter = "since"

const (
	identityHeader = "Orrery-Identity"
	leadingHeader  = "Orrery-Leading"
	observesHeader = "Orrery-Observing"
	versionHeader  = "Orrery-Version"
	endTrailer     = "Orrery-End"
)

// Speaker is the replica whose records a stream has.
type Speaker struct {
	// Identity is the replica's in the lease; empty if there is no election.
	Identity string
	// Leading says that the replica led when the stream began.
	Leading bool
	// Observing says that it never leads: it decides beside another scheduler, to compare.
	Observing bool
	// Version is that of its program.
	Version string
}

// maxText bounds a text of the other side, in cells of the screen.
//
//orrery:limit readers; a text of the other side, in characters; cut off
const maxText = 300

func (s Speaker) setHeaders(h http.Header) {
	h.Set(identityHeader, printable.Line(s.Identity, maxText))
	h.Set(leadingHeader, strconv.FormatBool(s.Leading))
	if s.Observing {
		h.Set(observesHeader, strconv.FormatBool(true))
	}
	h.Set(versionHeader, printable.Line(s.Version, maxText))
}

func speakerOf(h http.Header) Speaker {
	return Speaker{
		Identity: printable.Line(h.Get(identityHeader), maxText),
		Leading:  h.Get(leadingHeader) == "true",
		Version:  printable.Line(h.Get(versionHeader), maxText),

		Observing: h.Get(observesHeader) == "true",
	}
}

// heartbeatEvery is how long a server sends nothing at most. A client takes a stream for lost after three times as long.
const (
	heartbeatEvery = 5 * time.Second
	stalledAfter   = 3 * heartbeatEvery
)
