// Package replica is a running scheduler: an engine in a live cluster, with the lease that permits its writes.
//
//	          ┌────────────── Replica ──────────────────────────────┐
//	          │ engine ◄──► drive.RealTime ◄► live.Cluster ◄────────────► API server
//	SIGTERM ──► Run        │ Lead, Drain       │ Allowed            │       ▲
//	          │            │                   │                    │       │
//	          │          term: how long the lease lets it lead ◄── client-go's elector
//	          └─────────────────────────────────────────────────────┘
//
// [Replica.Run] follows the cluster, competes for the lease, schedules while it leads, and stops in one of four ways.
//
//	context ended       no new decision; bindings in flight end; then the lease is released     nil
//	lease lost          nothing more is decided or written, calls in flight are cut off first   [ErrLostLease]
//	another preferred   like an ended context                                                   [ErrLostLease]
//	state corrupt       nothing more is decided, and the lease is released; to be restarted      the error
//	a panic             the same, but one of a plugin, which fails its call                     the error
//
// Without leader election it schedules from the start, and ends with [ErrNoElection], as kube-scheduler does.
//
// # When a lease is lost
//
// The elector is client-go's. By itself it may let a leader act for longer than the lease lasts, as core/process/leader
// explains. A term (term.go) between the elector and the API server sees to it that it does not, from the same flags:
//
//   - The renew deadline counts from the first try after the last renewal, as kube-scheduler's does, so that a leader keeps
//     the lease through an outage of 8 s with the defaults; but the term ends with the lease at the latest. A leader that is
//     cut off stops 12 s after its last renewal began, 3 s before another replica may lead.
//   - With Options.StrictLease it counts from the last renewal, and the leader stops after 10 s. That allows for clocks that
//     run 15:10 as fast, which is what client-go documents, and not 15:12.
//   - A timer ends the term at the deadline, and so does the next look at the clocks: every write to the API server looks. The deadline is
//     by the monotonic clock and by the wall clock, whichever passes it first. A machine that was suspended has a monotonic clock that stood
//     still, and a cache as old as the suspension; a wall clock that is set ahead by more than 12 s looks the same, and costs the lease.
//   - The term ends at once when the Lease names another holder.
//   - The term ends before the Lease is released, not after; a Lease with another holder is not released, and a term that has ended is
//     not renewed.
//
// # From one leader to the next
//
// Writes pass a gate, live.WriteGate, which is the last step before the connection: rate limits, retries and credentials come before it. It
// looks at the term when a request comes to it and again when the request's body is sent, since to connect may take long. At the end of
// the term it cancels what is under way, calls of extenders that bind included, and before the Lease is released it waits until that has
// ended, for two seconds at most. On SIGTERM bindings in flight may end first.
//
// A new leader has what the one before wrote only when its watches bring it. It reads the version of the Lease that it has acquired, and
// begins when every watch has come as far, or after a second. Versions of several kinds can be compared as they are in one etcd; a kind
// that nothing happens to reaches none, so that in a quiet cluster it is the second that ends the wait.
//
// What is left, since Kubernetes has no fencing:
//
//   - A request that has left the machine may be carried out later than the release, or than the end of the lease: when it was cut off
//     while an API server, or a proxy before it, was still holding it. A binding succeeds only if the pod has no node, so that two leaders
//     cannot bind one pod twice; but the next leader may have given the room away, and then the kubelet refuses the pod.
//   - The same if a watch of the next leader is behind by more than a second.
//   - A machine that is suspended between the last look at the clocks and the write to its network card.
//   - A wall clock that is set back, and a suspension, between two renewals: the one hides as much of the other.
//   - Kubernetes events are not cut off. They are not acted on.
//
// # When the control plane chooses
//
// With the feature gate CoordinatedLeaderElection replicas do not compete. Each creates a LeaseCandidate with its
// version and answers the pings of the control plane (candidacy.go). The API server writes the name of the candidate
// with the oldest version into the Lease, and that replica renews it from then on. If an older one appears, the API
// server names it as the Lease's preferred holder.
//
// A leader that reads a preferred holder stops deciding, lets bindings in flight end, and releases the Lease, so that
// the other one leads within seconds. Its process ends as after a lost lease and is to be restarted.
//
// # Differences from kube-scheduler
//
//   - The rules of a term, above.
//   - A leader that reads a preferred holder goes on until its renew deadline in kube-scheduler. Here it stops at once.
//   - The LeaseCandidate is for the lease of the configuration. kube-scheduler's is always for kube-system/kube-scheduler,
//     so under another lease no replica is ever elected.
//
// # Metrics
//
// [Replica.Collectors] have the figures of the process and of its recording. [Instruments] adds the rest: it changes the engine's options
// and adds an observer of its inputs, decisions and effects.
package replica
