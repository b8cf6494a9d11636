// Package leader holds orrery/core/leader against client-go's own leader election: random histories of replicas, a
// network that fails and strangers who write to the Lease.
//
//	         ┌──► client-go's LeaderElectors over a LeaseLock, in the virtual time of testing/synctest
//	script ──┤            │ every call, its answer, every callback and event, and when
//	         └──► our Candidate, one per elector, given the same answers at the same times
//	                      │ must make the same calls with the same Leases at the same nanosecond, and give notice of the
//	                      ▼ same things
//	                   compare
//
// The jitter of client-go comes from a variable of the wait package that its own tests replace. Here it is replaced by
// the generator that our candidate has, one for each elector.
//
// The number of scripts and the seed of the first come from the environment: ORRERY_CASES, ORRERY_SEED. A script that
// fails is cut down to what matters and printed. surprises_test.go shows on client-go itself what
// leader.Settings.Strict is there for.
package leader

// Differences are the places where the two are kept apart or made alike on purpose. Everything else must agree.
var Differences = []string{
	"Things of one instant: client-go calls OnNewLeader and OnStartedLeading in goroutines of their own, so the notices of one instant are compared as a set.",
	"A deadline and a tick of one instant: client-go may try once more or not, as its select has it; ours gives up. Deadlines here are no multiples of the retry period.",
	"An answer that is there when a process that was stopped for too long goes on: client-go may take it or not; ours gives up. The client here does too.",
	"An update after a create that failed: client-go sends a Lease without a name, which its client refuses; ours goes on to read at once, as client-go does then.",
	"Cancelling while a process is stopped takes effect when it goes on, as a signal does.",
	"The metric leader_election_master_status is not set to 0 by client-go when it is cancelled between two renewals; our Leading is false. It is not compared.",
}
