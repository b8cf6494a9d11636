// Package local compares the plugins whose results depend on one pod and one node with kube-scheduler's of the same names:
// taints, names, cordons, affinity, ports, resources, images, declared features, gates, queue sort and binding.
//
// Each case is a configuration, a few nodes with pods, and a pending pod, with many edge values. Three run on it:
//
//	kube-scheduler's plugin on kube-scheduler's nodes
//	Orrery's plugin on Orrery's nodes
//	Orrery's plugin on kube-scheduler's nodes
//
// They must agree on PreFilter (code, reasons, nodes), on Filter (code and reasons, with and without PreFilter), on
// PreScore, on raw and normalised scores, on the events they register, on the hint for each of those events, and on the
// fragments of signatures. Intended differences are in differences_test.go, and only there.
//
// A second test needs no kube-scheduler: pods with equal fragments must get equal results, as framework.NodeLocal requires.
//
//	go test ./plugins/local                                    5,000 cases of each comparison
//	ORRERY_CASES=100000 ORRERY_SEED=7 go test ./plugins/local  100,000 others
package local
