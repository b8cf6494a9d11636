// Package reuse keeps what was computed about nodes for the next pod like this one.
//
//	pod ─► Signature ─► Tables ─► Table ─► Cell of a node
//	                      │         │        verdict: who rejects, or none
//	                 least recently │        sum of scores, scores to be scaled
//	                 used go first  │        the generation that both hold for
//	                                └─ a cell for each number of a node, see Place
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
// # Classes of nodes
//
// A cluster is made of like nodes, so that they fall into few equivalence classes. [Classes] number these, and have the
// positions of the nodes of each in the list as a set: a bitmap, or a list while they are few. What changed in the list is put into
// its class again.
//
//	what divides the nodes                        into classes of nodes with
//	a Table                                       one plugin that rejects them, or the same scores
//	AmountClasses                                 equal amounts, for pods that differ in their requests alone
//	a plugin that looks at other nodes            what the plugin goes by, such as a zone and a count of pods
//
// So a search consists of bitmaps, and of one result for each class:
//
//	Table.Follow ─► Found.Begin ─► Found.Reject ─► Found.Search ─► Found.Rate ─► Found.Best ─► Found.Tied, Found.RunnerUp
//	 changes of       a table,      classes that     word by word,     scores of     parts of totals,
//	 the list         plugins       plugins reject   64 nodes at once  new nodes     by classes
//
// The feasible nodes are those that pass by the table, without those of rejected classes. Nodes that are not known are evaluated when the
// search comes to their word, and those that have to be evaluated by themselves one by one, in the order of the list. To find the best, a
// part of the totals after the other is gone through class by class: the nodes of a class of each are their intersection, and classes
// that cannot reach the best found so far are left out.
package reuse
