package usage

import (
	"time"

	"orrery/core/evict/pressure"
	"orrery/core/operate"
)

// Source is where usage was read.
type Source uint8

// The sources.
const (
	Nowhere Source = iota
	Kubelet        // the kubelet's summary: everything that it evicts for
	Metrics        // the metrics API: memory only
)

func (s Source) String() string {
	return [...]string{"nowhere", "the kubelet's summary", "the metrics API"}[s]
}

// Reading is what is known of one node. It is not changed once it is handed out.
type Reading struct {
	Node string
	// At is when Summary was read; zero if it never was. Source is where.
	At     time.Time
	Source Source
	// Summary is what is used; nil where that is not known.
	Summary *pressure.Summary
	// Asked says that the node was asked and has answered, or failed to, at least once.
	Asked bool
	// Trouble is why there is no usage data, or none but the metrics API's, or none newer than At. It is empty if nothing is
	// wrong.
	Trouble string
	// Configuration is what the kubelet evicts by. Configured says that it said so itself; else these are the defaults, for
	// the reason in Unconfigured.
	Configuration pressure.Configuration
	Configured    bool
	Unconfigured  string
	// Missing are the RBAC rules without which there is no more.
	Missing []operate.Rule
}

// Says is in one line where the usage comes from, or why there is none.
func (r Reading) Says() string {
	switch {
	case !r.Asked:
		return "asking what is used"
	case r.Summary == nil:
		return "no usage data: " + r.Trouble
	case r.Trouble == "":
		return "usage from " + r.Source.String()
	case r.Source == Metrics:
		return "memory only, from the metrics API: " + r.Trouble
	}
	return "usage from " + r.Source.String() + ", and none newer: " + r.Trouble
}
