// Package leader elects one of several replicas to lead, by the records of a Lease, as client-go does; and watches such
// an election from outside.
//
// # A candidate
//
// [Candidate] is a state machine. It is told the time, always by its own clock, and how its calls ended; it says which
// call it wants made and when it wants to be woken:
//
//	for {
//		if call, ok := c.Call(); ok {
//			... make it, at most until call.Until; when it is answered: c.Answer(now, leader.Answered(call, lease, err))
//		}
//		for _, n := range c.Notices() { ... }     // the work may begin, must end, the candidacy is over
//		wait for the answer, and until c.NextWake() at most; then c.Wake(now)
//	}
//
//	settings.go   what it is told, and what follows: how long it may hold on, which clocks it tolerates
//	record.go     what a Lease says
//	call.go       what goes out and comes in
//	candidate.go  the machine: state, time, what others may ask
//	attempt.go    one try at the lease, call by call
//	term.go       from the first success to the release
//
// A candidate is plain data: [Candidate.Fork] is a copy, and the same times and answers make the same calls.
//
// # The rules
//
//   - Nobody compares clocks. That a record changed is all a candidate takes from it; from the moment it saw the change,
//     by its own clock, it waits for the record's LeaseSeconds. So clocks may be wrong by any amount, but must go at
//     similar rates.
//   - A lease that names nobody is taken at once, and one that is not there is created.
//   - A leader renews without looking. If that fails it reads first.
//   - One failure costs nothing: the leader tries every RetryPeriod until the deadline has come.
//   - There is no fencing: whoever led may have calls under way that reach their server later.
//
// Three peculiarities of client-go are kept. Records are compared by the whole second, so of two renewals within one the
// second goes unnoticed. An own write is not what was read last, so the first look after it starts the wait anew. And
// a record that the optimistic update filled in keeps its acquire time and transitions when the Lease turns out to be
// gone, and its acquire time when it turns out to be free.
//
// # Who may believe what
//
// A candidate believes that it leads from [StartedLeading] to [EndedLeading]. client-go lets that go on for longer than
// its documentation says, LeaseDuration:RenewDeadline as the ratio of clock rates that is tolerated:
//
//	last renewal              next round            gives up            released
//	 start ── answer ── RetryPeriod ── RenewDeadline ─┤── get ── update ──┤
//	                                                 EndedLeading       EndedLeading
//	                                                 Strict: sooner      client-go
//
// The deadline counts from the start of the next round and not from the renewal, which makes it RetryPeriod later, and
// later still if the answer was slow or the process was stopped in between. The leader's work is told to end only after
// the release, whose calls may hang. With kube-scheduler's own settings that is up to 32 s, or in the plain case of a
// line that is cut 17 s, and the others wait for 15. A leader that lost frees the lease while its work goes on still, and
// writes over whoever took it in the meantime. A leader that reads another's name in the Lease goes on trying until its
// deadline.
//
// [Settings.Strict] does better. The deadline counts from the start of the last successful attempt; leading ends at once
// when the deadline comes, when the Lease names another, or before the release; and only an own lease is released. Then
// the documented ratio holds, whatever calls and pauses come between. [Settings.HoldsOn] and [Settings.Tolerance] are
// the bounds of either way. The default is client-go's.
//
// # What changed over the years
//
// Where older descriptions and client-go 1.35 differ, 1.35 is right here: only Leases are locks; the identity is a host
// name and a UUID; it is the seconds in the record that are waited for and not the candidate's own LeaseDuration
// ([Settings.OwnDuration] is the old way); a released record says one second and bears the time of the release; a changed
// leader is reported after a round, not after each attempt of it.
//
// # An observer
//
// [Watcher] is told of changes of a Lease as an observer sees them, and keeps a bounded [History]: who held it, how
// regularly it was renewed, how each tenure ended. [Watcher.Read] says how things stand: when the lease expires by this
// observer's clock, when another may take over at the earliest, how fast the holders' clocks go, and whether two
// replicas might both believe that they lead. How long a holder goes on without renewing cannot be seen from a Lease, so
// the watcher is told the holders' settings.
//
// # Differences from client-go
//
//   - Strict, as above.
//   - At the very instant of the deadline a candidate gives up; client-go may try once more.
//   - An answer that waited while the process was stopped past its deadline is not taken; client-go may take it.
//   - After a create that failed, a candidate that holds the lease reads at once; client-go first sends an update of a
//     Lease without a name, which cannot succeed.
//   - A call that hangs is given up after CallTimeout, which in client-go is a matter of its HTTP client.
//   - Callbacks are notices and come in an order; the missing of callbacks is no error.
//
// The package leader/sim plays whole elections in virtual time, with everything that goes wrong there.
package leader
