// Package usage is the resource usage of a live cluster's nodes and pods, which the scheduler does not know, and parses what says it:
// the kubelets' summaries, or else the metrics API. Package reader asks for them.
//
//	reading.go   the usage of one node, and why it is incomplete      Reading
//	summary.go   parses the kubelet's responses                       Summary, Thresholds
//	metrics.go   parses those of the metrics API                      PodMemory, NodeMemory
//
// The result is a pressure.Summary from either source, so that core/evict/pressure ranks it as a kubelet would.
//
// # Trust
//
// Kubelets and metrics servers are not trusted. Numbers must be plausible for a machine, and errors name what is wrong. Text from a
// response passes package printable before it is shown.
package usage
