// Package diagnose says why a pod is or is not scheduled, and which single change would place it.
//
//	engine ──► Explain, once ──┬──► Reasons: who rejects which nodes, and on which it is the only blocker
//	(only read)                ├──► Summary: the most important finding
//	                           └──► candidates ──► each tried on a fork ──► Remedies
//
// There is one [Diagnosis]; the explain pane, "orrery explain", its JSON and what-if results show it. Its texts are
// unescaped: the code that shows them makes them printable.
//
// A [Reason] carries [Evidence], a type of its own for each plugin whose rejection has numbers or names. Other plugins
// have their message only. To explain another plugin, add a type to evidence.go.
//
// # Cost
//
// One explanation, which runs every Filter plugin on every node, and one more for each remedy tried: at most eight.
package diagnose
