package app

import (
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/process/observe"
	"orrery/core/safe/printable"
	"orrery/core/trace"
)

// maxNamedDifferences bounds the differences that record names when it ends.
//
//orrery:limit answers; decisions of the cluster's scheduler without an explanation that record names; the last are named, and the recording has a mark for each
const maxNamedDifferences = 20

// unexplainedDocument is a decision of the cluster's scheduler that differs from Orrery's, and that the timing of events does not
// explain.
type unexplainedDocument struct {
	At moment `json:"at"`
	// Offset is the time since the beginning of the recording, as --at takes it.
	Offset string `json:"offset"`
	Pod    string `json:"pod"`
	// Node is the pod's node, empty if it was declared unschedulable; Best are some of the nodes that Orrery would have chosen.
	Node string   `json:"node,omitempty"`
	Best []string `json:"best"`
	// Lead is by how many points the best nodes lead, if the pod's node is feasible.
	Lead int64 `json:"lead,omitempty"`

	unsearched bool // for an explanation
}

// markDifferences sets a mark for each new difference.
func (r *clusterRecording) markDifferences() {
	for _, f := range r.fresh.Fresh(r.shadow.Comparator()) {
		d := r.difference(&f)
		if r.differences = append(r.differences, d); len(r.differences) > maxNamedDifferences {
			r.differences = r.differences[1:]
		}
		r.recorder.AddMark(trace.Mark{Kind: trace.Difference, Pod: f.Pod, Text: "unexplained at " + d.Offset + ": " + d.text()})
	}
}

func (r *clusterRecording) difference(f *shadow.Finding) unexplainedDocument {
	d := unexplainedDocument{
		At: momentOf(f.At), Offset: offsetText(f.At.Sub(r.options.Start).Truncate(time.Millisecond)),
		Pod: printable.Line(f.Pod.String(), 200), Node: printable.Line(f.Real, 200), Best: []string{}, unsearched: f.Unsearched,
	}
	for _, node := range f.BestNodes {
		d.Best = append(d.Best, printable.Line(node, 200))
	}
	d.Lead = observe.Lead(f)
	return d
}

func (d *unexplainedDocument) text() string {
	return observe.DifferenceText(d.Pod, d.Node, d.Best, d.Lead, d.unsearched)
}
