// Package leader compares orrery/core/process/leader with client-go's leader election in random histories of replicas, with network
// faults and other clients that write to the Lease.
//
//	         ┌──► client-go's LeaderElectors over a LeaseLock, in the virtual time of testing/synctest
//	script ──┤            │ every call, its response, every callback and event, with times
//	         └──► our Candidate, one per elector, given the same responses at the same times
//	                      │ must make the same calls with the same Leases at the same nanosecond, and return the same
//	                      ▼ notices
//	                   compare
//
// client-go takes its jitter from a variable of the wait package that client-go's tests replace. Here it is replaced by our
// candidate's random generator, one for each elector.
//
// ORRERY_CASES and ORRERY_SEED set the number of scripts and the seed of the first. A failing script is reduced and
// printed. renewdeadline_test.go shows with client-go alone why leader.Settings.Strict exists.
package leader
