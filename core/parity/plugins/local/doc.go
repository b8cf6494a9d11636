// Package local holds the plugins that look at one pod and one node against kube-scheduler's of the same names: taints,
// names, cordons, affinity, ports, resources, images, declared features, gates, order and binding.
//
// Each check draws a configuration, a few nodes with pods on them, and a pod that waits, all weighted to the edges, and
// asks three:
//
//	kube-scheduler's plugin on kube-scheduler's nodes
//	Orrery's plugin on Orrery's nodes
//	Orrery's plugin on kube-scheduler's nodes
//
// They must agree on PreFilter (code, reasons, nodes), on Filter (code and reasons, with and without PreFilter), on
// PreScore, on raw and normalised scores, on the events they register, on the answer to each of those events, and on the
// fragments of signatures. What differs on purpose is written down in differences_test.go and nowhere else.
//
// A second property needs no kube-scheduler: pods with equal fragments get equal answers, which is what every plugin that
// is framework.NodeLocal promises.
//
//	go test ./plugins/local/...                       5,000 checks of each kind
//	go test ./plugins/local/... -rapid.checks=100000  more of them
//	go test ./plugins/local/... -rapid.seed=N         those of an earlier run, which printed N
package local
