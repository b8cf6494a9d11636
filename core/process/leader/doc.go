// Package leader elects one of several replicas as leader through a Lease, as client-go does; and watches such
// an election from outside.
//
// # A candidate
//
// [Candidate] is a state machine. Its inputs are the time, always by its own clock, and the responses to its calls; its
// outputs are the next call, notices, and the time of its next wake-up:
//
//	for {
//		if call, ok := c.Call(); ok {
//			... make it, until call.Until at most; then c.HandleResponse(now, leader.ResponseOf(call, lease, err))
//		}
//		for _, n := range c.Notices() { ... }     // start the work, stop it, or exit
//		wait for the response, and until c.NextWake() at most; then c.Wake(now)
//	}
//
//	settings.go   the configuration and its consequences: how long a leader may lead on, which clock skew is safe
//	record.go     the election's part of a Lease
//	call.go       calls, responses, notices
//	candidate.go  the state machine: state, timers, queries
//	attempt.go    one attempt on the lease, call by call
//	term.go       from the first success to the release
//
// A candidate is plain data: [Candidate.Fork] is a copy, and the same times and responses make the same calls.
//
// # The rules
//
//   - Clocks are never compared. A candidate only sees that a record changed; from that moment it waits, by its own clock,
//     for the record's LeaseSeconds. So clocks may be wrong by any amount, but must run at similar rates.
//   - A lease without a holder is acquired immediately, and a missing one is created.
//   - A leader renews without reading first. It reads after a failure.
//   - One failure has no effect: the leader tries every RetryPeriod until its deadline.
//   - There is no fencing: calls of a former leader may reach their server later.
//
// Three peculiarities of client-go are kept. Records are compared by the whole second, so the second of two renewals within
// one second goes unnoticed. A candidate's own write does not count as read, so the first read after it restarts the wait. And
// a record that the optimistic update filled in keeps its acquire time and transitions when the Lease turns out to be
// deleted, and its acquire time when it turns out to be free.
//
// # How long a leader leads on
//
// A candidate believes that it leads from [StartedLeading] to [StoppedLeading]. In client-go that lasts longer than
// its documentation says, which is LeaseDuration:RenewDeadline as the tolerated ratio of clock rates:
//
//	last renewal              next round            stops               released
//	 start ── response ─ RetryPeriod ── RenewDeadline ┤── get ── update ──┤
//	                                                StoppedLeading     StoppedLeading
//	                                                Strict: earlier    client-go
//
// The deadline counts from the start of the next round and not from the renewal, which makes it RetryPeriod later, and
// later still if the response was slow or the process was paused. The leader's work only stops after the release, whose
// calls may hang. With kube-scheduler's settings that is up to 32 s, or 17 s if only the connection is lost, while
// the others wait for 15. A leader that lost frees the lease while its work still runs, and overwrites a holder that
// acquired it meanwhile. A leader that reads another holder in the Lease keeps trying until its deadline.
//
// [Settings.Strict] is safer. The deadline counts from the start of the last successful attempt; leading stops immediately
// at the deadline, when the Lease has another holder, and before the release; and only an own lease is released. Then
// the documented ratio holds, however long calls and pauses take, and also if the machine is suspended: the deadline is by the wall clock, too
// ([Candidate.SetWallLead]). [Settings.MaxLeadingTime] and [Settings.MaxClockSkew]
// are the bounds with and without it. The default is client-go's.
//
// # What changed over the years
//
// Where older descriptions and client-go 1.35 differ, this package follows 1.35: only Leases are locks; the identity is a
// host name and a UUID; a candidate waits for the seconds in the record and not for its own LeaseDuration
// ([Settings.UseOwnLeaseDuration] is the old way); a released record has one second and the time of the release; a new
// leader is reported after a round, not after each attempt.
//
// # A watcher
//
// [Watcher] observes a Lease and keeps a bounded [History]: who held it, how regularly it was renewed, how each tenure
// ended. [Watcher.Status] says when the lease expires by this observer's clock, when another candidate may take over at the
// earliest, how fast the holders' clocks run, and whether two replicas might both believe that they lead. How long a holder
// leads on without renewing cannot be read from a Lease, so the watcher is given the holders' settings.
//
// # Differences from client-go
//
//   - Strict, as above.
//   - At the exact instant of the deadline a candidate stops; client-go may try once more.
//   - A response that arrives after the deadline because the process was paused is dropped; client-go may accept it.
//   - After a create that failed, a candidate that holds the lease reads immediately; client-go first sends an update of a
//     Lease without a name, which cannot succeed.
//   - A call that hangs is abandoned after CallTimeout, which client-go leaves to its HTTP client.
//   - Callbacks are ordered notices, and none of them is required.
//
// The package leader/sim runs whole elections in virtual time, with faults.
package leader
