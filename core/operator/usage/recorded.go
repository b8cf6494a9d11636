package usage

import (
	"slices"

	"orrery/core/evict/pressure"
	"orrery/core/safe/printable"
	"orrery/core/trace"
)

// Recorded returns the usage of a node that a recording has, which may be none yet; nil if the recording has none of any node. What
// it says is trusted no more than a kubelet.
func Recorded(h trace.Header, node string, record trace.Record) *Reading {
	if !h.HasUsage() {
		return nil
	}
	r := &Reading{Node: node, Queried: true, Configured: true}
	var err error
	if r.Configuration, err = pressure.Load(h.Kubelet, "linux"); err != nil {
		r.Configuration, r.Configured, r.WhyDefaults = pressure.DefaultConfiguration("linux"), false, printable.Line(err.Error(), ReasonLength)
	}
	recorded, ok := record.Body.(trace.Usage)
	if !ok {
		r.Problem = "the recording has none of this node yet"
		return r
	}
	summary := recorded.Summary
	summary.Pods = slices.Clone(summary.Pods)
	for i := range summary.Pods { // check drops what is in them
		summary.Pods[i].Volumes = slices.Clone(summary.Pods[i].Volumes)
	}
	if err := check(&summary); err != nil {
		r.Problem = "what was recorded makes no sense: " + err.Error()
		return r
	}
	r.At, r.Source, r.Summary = record.At, Kubelet, &summary
	return r
}
