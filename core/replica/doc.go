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
// stops in one of four ways.
//
//	told to stop        no new decision; bindings under way end; then the lease is released     nil
//	lease lost          nothing more is decided or written, calls under way are cut off         [ErrLostLease]
//	another preferred   as when told to stop                                                    [ErrLostLease]
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
//   - It ends before the Lease is released, not after; and a Lease that is another's by then is left alone.
//
// A call that is on its way when the term ends may still reach the API server; there is no fencing in Kubernetes. A
// binding is made only if the pod has no node yet, so two leaders cannot bind one pod twice.
//
// # When the control plane chooses
//
// With the feature gate CoordinatedLeaderElection replicas do not compete. Each announces itself by a LeaseCandidate, with
// the version that it behaves like, and answers when asked whether it is still there (candidacy.go). The API server writes
// the name of the oldest into the Lease, and from then on that one renews it. When a candidate comes that is to be
// preferred, the API server names it as the Lease's preferred holder.
//
// A leader that sees this decides no more, lets bindings under way end, and releases the Lease, so that the other one leads
// within seconds. Its process ends as one does that lost its lease, and whoever runs it starts it anew.
//
// # Differences from kube-scheduler
//
//   - The rules of a term, above.
//   - A leader that is to make room goes on until its renew deadline in kube-scheduler. Here it goes at once.
//   - The LeaseCandidate is for the lease of the configuration. kube-scheduler's is always for kube-system/kube-scheduler,
//     so that under another lease nobody is ever elected.
//
// # What measures it
//
// Nothing here counts or times. [Instruments] is where that is plugged in: who observes plugins and listens to the
// engine, by its options, and who witnesses what it is told and decides.
package replica
