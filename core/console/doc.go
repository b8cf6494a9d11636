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
// Before it begins, a session tries every kind it would like to be told of ([Reachable]). Those that are forbidden, or that
// the API server does not serve, it does without, and [State] names the RBAC rules that are missing: what is permitted is
// shown. The engine then believes that there are no objects of those kinds.
//
// # What is written
//
// A shadow writes nothing at all: it has no way to. A session that schedules writes what a replica writes. Beyond that only
// what a person has asked for and confirmed, by way of [Session.Hand].
package console
