// Package console is a person's session on a live cluster: Orrery's engine fed by the API server, as a shadow beside the
// cluster's scheduler or as the scheduler itself, held still whenever somebody looks.
//
//	            ┌────────────────────── Session ──────────────────────┐
//	API server ─┼─► live.Cluster ─► shadow.Shadow  (reads only)        │
//	            │        or replica.Replica        (--schedule)  ──────┼──► Hold: between two inputs
//	            │                                                      │
//	            │   link: every request passes it ─► State: lost? since│when? what is forbidden?
//	            └──────────────────────────────────────────────────────┘
//
// # What may be seen
//
// Before it begins, a session tries every kind it would like to be told of. What is forbidden everywhere it tries again in
// one namespace, that of kubectl's flags and context, and is told of that namespace's objects alone if that is permitted.
// What may not be read at all, or what the API server does not serve, it does without. [State] says what is seen in part
// and what is not, and names the RBAC rules that are missing: what is permitted is shown. The engine then believes that there
// are no other objects.
//
// What a node has left is the sum of all of its pods. So nothing is decided, and nothing compared, unless all nodes and all
// pods are seen; and who would schedule has to see all that the plugins ask for, or does not begin.
//
// # What is written
//
// A shadow writes nothing at all: it has no way to. A session that schedules writes what a replica writes. Beyond that only
// what a person has asked for and confirmed, by way of [Session.Hand]; and that has a client that cannot write, unless the
// session was opened with Allow.
package console
