// Package topology holds PodTopologySpread and InterPodAffinity against kube-scheduler's plugins of the same names, on
// random clusters that change step by step, with pods weighted to the edges: missing keys, empty values, selectors that
// match all or nothing, terminating pods, policies, defaults, namespace selectors, several terms.
//
// Three run side by side and must agree on every node: upstream's plugin on upstream's snapshot, Orrery's on Orrery's
// snapshot, and Orrery's hosted on upstream's snapshot. Compared are PreFilter and Filter (code and reasons, also after
// pods were added and removed in thought), PreScore, raw and normalised scores, queueing hints and signatures. Since one
// plugin instance sees the whole history of a cluster, counts that are kept between cycles are compared too. Where a
// hint differs on purpose, the difference is listed in Differences, and only there.
//
//	go test ./plugins/topology/...                        some ten thousand pods
//	go test ./plugins/topology/... -rapid.checks=20000    more of them
//	go test ./plugins/topology/... -rapid.seed=N          those of an earlier run, which printed N
//	go test ./plugins/topology/... -run xxx -bench .      both on the same objects: 5,000 nodes, 50,000 pods
package topology
