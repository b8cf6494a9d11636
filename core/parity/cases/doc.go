// Package cases makes up clusters for the comparison with kube-scheduler.
//
// A [Case] is a small cluster (now and then a big one), a configuration, pods that wait, and what happens after: all that
// both schedulers are told. [Generate] makes the case of a number from a seed; the same two numbers give the same case
// for ever. Each case is about a few themes, so that what it is about meets itself: taints meet tolerations, and pods
// that spread meet pods they spread from. Values are few and lie on the edges: exact fits, ties, missing and empty
// labels, selectors that match everything or nothing, nothing asked for.
//
//	case.go           what a case holds, and its YAML form
//	generate.go       the themes, and the order in which a case is made
//	cluster.go        namespaces, owners, budgets
//	nodes.go          nodes
//	pods.go           pods that run and pods that wait
//	resources.go      what pods ask for and nodes have
//	nodedemands.go    node affinity, selectors, tolerations
//	poddemands.go     pod affinity, topology spread
//	configuration.go  feature gates, plugins, their arguments
//	changes.go        what happens after
//	shrink.go         the smallest case that still shows a difference
package cases
