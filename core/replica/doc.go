// Package replica is one running scheduler: an engine in a live cluster, and the lease it needs for acting there.
//
//	          ┌────────────── Replica ──────────────────────────────┐
//	          │ engine ◄──► live.Drive ◄──► live.Cluster ◄────────────► API server
//	SIGTERM ──► Run        │ Lead, Drain       │ Allowed            │       ▲
//	          │            │                   │                    │       │
//	          │          term: how long the lease lets it lead ◄── client-go's elector
//	          └─────────────────────────────────────────────────────┘
//
// [Replica.Run] takes part from start to end: it follows the cluster, stands for the lease, schedules while it leads, and
// stops in one of three ways.
//
//	told to stop        no new decision; bindings under way end; then the lease is released     nil
//	lease lost          nothing more is decided or written, calls under way are cut off         [ErrLostLease]
//	state corrupt       like a lost lease; whoever runs it should start it anew                  the error
//
// Without leader election it schedules from the start, and ends as kube-scheduler does, with [ErrNoElection].
//
// # When a lease is lost
//
// The elector is client-go's. Left alone it lets a leader go on for longer than the lease lasts in the worst case, as
// core/leader explains. A term (term.go) stands between it and the API server and keeps to what core/leader calls
// Settings.Strict, from the same flags:
//
//   - The renew deadline counts from the start of the last renewal that succeeded, not from the first that failed. With
//     the defaults a leader that is cut off stops after 10 s, when the others still wait for 5.
//   - It ends at the deadline by a timer, and, should the process have been stopped meanwhile, at the first look at the
//     clock: every write to the API server takes one.
//   - It ends at once when the Lease names another.
//   - It ends before the Lease is released, not after.
//
// A call that is on its way when the term ends may still reach the API server; there is no fencing in Kubernetes. A
// binding is made only if the pod has no node yet, so two leaders cannot bind one pod twice.
//
// # What measures it
//
// Nothing here counts or times. [Instruments] is where that is plugged in: who observes plugins and listens to the
// engine, by its options, and who witnesses what it is told and decides.
package replica
