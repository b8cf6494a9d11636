// Package console is an interactive session on a live cluster: Orrery's engine fed by the API server, as a shadow of
// the cluster's scheduler or as the scheduler itself. Inspect reads the engine between two inputs.
//
//	            ┌────────────────────── Session ──────────────────────┐
//	API server ─┼─► live.Cluster ─► shadow.Shadow  (reads only)        │
//	            │        or replica.Replica        (--schedule)  ──────┼──► Inspect: between two inputs
//	            │                                                      │
//	            │   connection: observes every request ────────────────┼──► State: lost? since when? what is forbidden?
//	            └──────────────────────────────────────────────────────┘
//
// # What is readable
//
// A session first tries to read every kind it needs. A kind that is forbidden in all namespaces is tried again in one,
// that of kubectl's flags and context, and read there if permitted. The session omits kinds that are unreadable or not
// served. [State] says what is shown in part or not at all, and names the missing RBAC rules. The engine then assumes
// that there are no other objects.
//
// The free resources of a node depend on all of its pods. So a shadow decides and compares only if all nodes and all
// pods are readable, and a session that schedules starts only if all kinds that the plugins need are readable.
//
// # What is written
//
// A shadow never writes. A session that schedules writes what a replica writes. Beyond that, the only writes are
// confirmed actions through [Session.Executor], whose client rejects writes unless the session was opened with
// AllowActions.
package console
