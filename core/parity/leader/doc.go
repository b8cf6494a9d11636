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
