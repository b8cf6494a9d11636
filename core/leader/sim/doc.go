// Package sim plays elections in virtual time: candidates with clocks of their own, the network between them and one API
// server, and everything that goes wrong there.
//
//	          local time            virtual time                  virtual time
//	Candidate ◄──────► replica.go ◄────────────► simulation.go ◄──────────────► Store
//	          clock.go  stopped?      agenda.go    cut off?                     own, or a memory.Cluster
//	                                               weather.go
//
// A [Simulation] has an agenda: requests on their way in, answers on their way out, timers of candidates, and the acts of
// a script. Chance comes from a seed alone, so the same options and calls give the same election, to the nanosecond.
//
// A replica whose candidate has ended, or that was killed, comes back under a new identity, as a process does that its
// kubelet restarts.
//
// # When two lead
//
// A replica believes that it leads from the notice StartedLeading to EndedLeading of its candidate. The simulation keeps
// every span of time in which two or more do, as an [Overlap]. A stopped process believes what it believed, but cannot
// act on it; Options.StoppedBelieve says whether it counts.
package sim
