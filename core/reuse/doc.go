// Package reuse keeps what was computed about nodes for the next pod like this one.
//
//	pod ─► Signature ─► Tables ─► Table ─► Cell of a node
//	                      │         │        verdict: who rejects, or none
//	                 least recently │        sum of scores, scores to be scaled
//	                 used go first  │        the generation that both hold for
//	                                └─ a cell for each number of a node, see cache.Place
//
// Pods with equal signatures get the same verdicts and raw scores from plugins that look at nothing but the signature and the
// node. So a cell holds as long as its node has the cell's generation, and nothing else ends it: whatever a plugin reads that is
// not the node's own has to be in the signature.
//
// A signature gets a table when it comes a second time: pods that are all different cost no more than their signatures. The
// tables share a limit of bytes. Which signatures have tables, and what is in them, decides how fast an answer comes, and never
// which.
//
// [Results] keep what follows from more than a node and a signature: from the pods nominated for the node, and from what their
// owner names besides. There are few such nodes, so these are found by the node, one by one.
//
// Pods that differ in their requests alone have a table in common, with what plugins say that look at more than [Amounts]. Nodes of
// equal amounts are one of the [AmountClasses], and what depends on a pod's requests is computed once for each.
//
// # The tree
//
// A table may have a [Tree] over the positions of the nodes in the list: how many are feasible, where verdicts ended, the best sum
// of scores, how many nodes have it, and the bounds of scaled scores, for blocks of nodes, for pairs of blocks, and so on. So a
// search finds where it ends, how many nodes it visits, the best and the runner-up by walking down the tree a few times.
//
//	changes of the list ─► stale blocks ─► [Tree.Window] ─► [Tree.Best] ─► [Tree.Tied], [Tree.RunnerUp]
//	                                        asks plugins     asks plugins
//	                                        about stale      to score
//	                                        blocks in it     stale blocks
package reuse
