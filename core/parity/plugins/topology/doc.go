// Package topology compares PodTopologySpread and InterPodAffinity with kube-scheduler's plugins of the same names, on
// random clusters that change step by step, with many edge cases: missing keys, empty values, selectors that
// match all or nothing, terminating pods, policies, defaults, namespace selectors, several terms.
//
// Three must agree on every node: upstream's plugin on upstream's snapshot, Orrery's on Orrery's snapshot, and Orrery's on
// upstream's snapshot. The test compares PreFilter and Filter (code and reasons, also after AddPod and RemovePod),
// PreScore, raw and normalised scores, queueing hints and signatures. Since one plugin instance sees the whole history of
// a cluster, counts that are kept between cycles are compared too. Intended differences of hints are listed in package
// comparisons, and only there.
//
//	go test ./plugins/topology                                    some ten thousand pods
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./plugins/topology   more of them
//	go test ./plugins/topology -run xxx -bench .                  both on the same objects: 5,000 nodes, 50,000 pods
package topology
