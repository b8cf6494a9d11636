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
package reuse
