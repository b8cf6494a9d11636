package usage

import (
	"time"

	"orrery/core/evict/pressure"
	"orrery/core/operator/actions"
)

// ReasonLength bounds a reason that is shown.
//
//orrery:limit text; a kubelet's reason, in characters; cut off
const ReasonLength = 160

// Source says where usage was read.
type Source uint8

// The sources.
const (
	NoSource Source = iota
	Kubelet         // the kubelet's summary: every eviction signal
	Metrics         // the metrics API: memory only
)

func (s Source) String() string {
	return [...]string{"nowhere", "the kubelet's summary", "the metrics API"}[s]
}

// Reading is the usage of one node. It is immutable.
type Reading struct {
	Node string
	// At is when Summary was read from Source; zero if never.
	At     time.Time
	Source Source
	// Summary is the usage; nil if unknown.
	Summary *pressure.Summary
	// Queried means that at least one query has ended.
	Queried bool
	// Problem explains why there is no usage, only memory, or none newer than At; empty if there is no problem.
	Problem string
	// Configuration is the kubelet's eviction configuration. Configured means that the kubelet served it; otherwise it
	// is the default one, for the reason WhyDefaults.
	Configuration pressure.Configuration
	Configured    bool
	WhyDefaults   string
	// MissingRules are the RBAC rules that would permit reading more.
	MissingRules []actions.Rule
}

// SourceText describes in one line where the usage was read, or why there is none.
func (r Reading) SourceText() string {
	switch {
	case !r.Queried:
		return "asking what is used"
	case r.Summary == nil:
		return "no usage data: " + r.Problem
	case r.Problem == "":
		return "usage from " + r.Source.String()
	case r.Source == Metrics:
		return "memory only, from the metrics API: " + r.Problem
	}
	return "usage from " + r.Source.String() + ", and none newer: " + r.Problem
}
