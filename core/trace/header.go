package trace

import (
	"encoding/json"
	"fmt"
	"time"

	"orrery/core/printable"
)

// Version is the version of the format that this package writes. It reads this one.
const Version = 1

// Base says what a trace begins with.
type Base string

const (
	// FromStart is a trace of a scheduler's life from its first input on: replayed, it gives the same decisions.
	FromStart Base = "start"
	// FromSnapshot is a trace that begins in the middle, with lists of all objects there were. What the scheduler
	// itself remembered (back-off, attempts, its place in the node order, the random source) is not in it, so a replay
	// may decide differently.
	FromSnapshot Base = "snapshot"
	// FromImport is a trace of a cluster without a scheduler, made of somebody else's data: what came and went, and
	// nothing of what became of it. Replayed, everything the scheduler wants done succeeds at once.
	FromImport Base = "import"
)

// Header says what is needed to replay a trace. Everything but Start and Base may be left empty.
type Header struct {
	// Program is the name and version of what recorded.
	Program string `json:"program,omitempty"`
	// Description is for people.
	Description string `json:"description,omitempty"`
	// Start is the time before the first record; timers count from it.
	Start time.Time `json:"start"`
	Base  Base      `json:"base"`

	// Seed, TieBreak, Requeue and MaxInUnschedulable are the engine's options of these names.
	Seed               uint64        `json:"seed"`
	TieBreak           uint8         `json:"tieBreak,omitempty"`
	Requeue            uint8         `json:"requeue,omitempty"`
	MaxInUnschedulable time.Duration `json:"maxInUnschedulable,omitempty"`
	// Configuration is the KubeSchedulerConfiguration in YAML; empty is the default one. Features are the feature
	// gates it was read under, all of them.
	Configuration string          `json:"configuration,omitempty"`
	Features      map[string]bool `json:"features,omitempty"`

	// NamesHashed says that names were replaced, so that digests cannot be compared. See [Hash].
	NamesHashed bool `json:"namesHashed,omitempty"`
}

// mostHeader bounds the header in bytes. A configuration is at most 1 MiB, which JSON may double.
const mostHeader = 4 << 20

func (h *Header) encode() ([]byte, error) {
	if h.Base == "" {
		h.Base = FromStart
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("writing a trace's header: %w", err)
	}
	if len(text) > mostHeader {
		return nil, fmt.Errorf("writing a trace's header: it has %d bytes, and at most %d are allowed; shorten the configuration", len(text), mostHeader)
	}
	return text, nil
}

func decodeHeader(text []byte) (Header, error) {
	var h Header
	if err := json.Unmarshal(text, &h); err != nil {
		return Header{}, fmt.Errorf("the header is not what a header looks like: %s", printable.Line(err.Error(), 200))
	}
	if h.Base != FromStart && h.Base != FromSnapshot && h.Base != FromImport {
		return Header{}, fmt.Errorf("the header says that the trace begins with %q, which this program does not know: use a newer one", printable.Line(string(h.Base), 40))
	}
	h.Start = h.Start.UTC()
	return h, nil
}
