// Package nodepools compares the nodes that Orrery would have pools make with those of Karpenter's own scheduler, which runs in a process of its
// own (core/parity/karpenter, a module with the versions that Karpenter wants):
//
//	drawn NodePools, machines, pods, daemon sets ─┬─► pool.Grow on an engine without nodes ──► pools, nodes, refused pods
//	                                              └─► Karpenter's scheduler, as a Case ─────► the same
//
// Which pools are taken and which pods none takes have to be the same. A node of Karpenter's may still be one of many machines when it is
// decided, and Orrery's is of one: how many nodes there are may differ, and the test says how often it does.
//
// Not drawn is what package pool says it does not know: reserved and spot offerings, overhead of a kubelet, minValues; nor limits, of which
// Karpenter takes the largest machine that a node may still be, and preferences, which it relaxes one by one.
package nodepools
