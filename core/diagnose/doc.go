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
// # Storage
//
// For a pod with claims, [Storage] is the chain pod → claim → class → volume → nodes (volumes_chain.go, volumes_claims.go,
// volumes_claimstate.go, volumes_places.go); [Chain] is that without the nodes, and [ClaimOf] one claim, for a list. It sorts the nodes by whether the volumes allow them, and says what keeps the pod from those that they
// do: the reasons of several plugins in one sentence, which then is the summary. The evidence of the volume plugins is in
// volumes_elsewhere.go, volumes_matching.go, volumes_capacity.go and volumes_inuse.go; it is computed with the plugins' own
// functions. volumes_binding.go says what a placed pod waits for until its claims are bound.
//
// # Cost
//
// One explanation, which runs every Filter plugin on every node, and one more for each remedy tried: at most eight.
package diagnose
