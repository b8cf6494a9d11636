package app

import (
	"fmt"
	"slices"
	"time"

	"orrery/core/answers/shadow"
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
	n := r.shadow.Comparator().Counters().Differs
	if n == r.differing {
		return
	}
	r.differing = n
	var fresh []shadow.Finding
	for f := range r.shadow.Comparator().Findings() {
		if f.Seq <= r.marked {
			break
		}
		if f.Class == shadow.Differs {
			fresh = append(fresh, *f)
		}
	}
	for _, f := range slices.Backward(fresh) {
		r.marked = f.Seq
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
	if len(f.BestNodes) > 0 && len(f.Objections) == 0 {
		d.Lead = f.Best - f.Score
	}
	return d
}

func (d *unexplainedDocument) text() string {
	theirs, ours := "bound to "+d.Node, "no node"
	if d.Node == "" {
		theirs = "declared unschedulable"
	}
	if len(d.Best) > 0 {
		ours = d.Best[0]
	}
	text := fmt.Sprintf("%s %s, and Orrery chooses %s", d.Pod, theirs, ours)
	if d.Lead > 0 {
		text += ", which leads by " + countText(uint64(d.Lead), "point")
	}
	if d.unsearched {
		text += "; not looked into, as too many differed at once"
	}
	return text
}
