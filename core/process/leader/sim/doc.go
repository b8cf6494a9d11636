// Package sim runs elections in virtual time: candidates with clocks of their own, the network between them and one API
// server, and the faults of all of them.
//
//	          local time            virtual time                  virtual time
//	Candidate ◄──────► replica.go ◄────────────► simulation.go ◄──────────────► Store
//	          clock.go  paused?     eventqueue.go  partitioned?                 own, or a memory.Cluster
//	                                               faults.go
//
// A [Simulation] has an event queue: requests and responses on the network, timers of candidates, and the steps of a
// script. Its only randomness is a seed, so the same options and calls give the same election, to the nanosecond.
//
// A replica whose candidate has ended, or that was killed, restarts under a new identity, like a process that its kubelet
// restarts.
//
// # Two leaders
//
// A replica believes that it leads from the notice StartedLeading to StoppedLeading of its candidate. The simulation keeps
// every span in which two or more do, as an [Overlap]. A paused process keeps its belief but cannot act;
// Options.PausedLead says whether it counts. Of a suspended machine the monotonic clock stands still, too.
package sim
