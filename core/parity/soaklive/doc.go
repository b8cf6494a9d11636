// Command soaklive runs two replicas of "orrery run" and an "orrery console" on a real API server for long, with faults and a
// constant churn of pods, and checks that nothing leaks and nothing is lost.
//
//	churn: creates, runs, deletes pods ──► soaklive -serve: kube-apiserver and etcd, in another process
//	     │ watches bindings ◄──────────────┘   ▲
//	     │                                     │ 429s, slow and lost responses, ended and expired watches, broken connections
//	     │                                 faultproxy
//	     ▼                                     ▲
//	levels ◄── memory, goroutines, ... ── orrery run (twice), orrery console on a pseudo-terminal
//
// Time passes in rounds, twelve of them. In each there are faults, another mix in turn, while pods come and go; then both
// stop, every pod that fits has to be bound, and what each program holds is measured, with the patience that it takes until
// connections are closed that are not used. The second round's levels, after ten minutes of sixty, are the measure of all later
// ones: goroutines, descriptors and watches have to be equal. Connections are counted apart, as sockets, since it is chance over how many of
// them requests are spread. Memory, which is what is live after a garbage collection, must not
// be more by a twentieth in the second half of the rounds after that than in the first: the least of either, since flight recorders
// fill and let go of a half.
//
// In the end the replicas' caches are compared with the API server, what their flight recorders and recordings hold is
// replayed, and all programs have to end as they are told to.
//
//	main.go     the command line, from start to end
//	programs.go the replicas and the console
//	churn.go    the pods, and whether one was lost
//	levels.go   what a program holds
//	report.go   progress, the table and the verdict
//
// The console has no endpoint that could be asked. Its program, in watched, is the same with one.
package main
