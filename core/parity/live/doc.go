// Package live holds a whole replica of Orrery against a real API server, in this process or as a process of its own, and
// against kube-scheduler's own binary where both should do the same.
//
//	scheduling_test.go  pods are bound, explained and preempted; who leads schedules
//	process_test.go     "orrery run": endpoints, exit codes, signals, kills, stops and cuts
//	access_test.go      what happens without rights
//	outage_test.go      a server that restarts, a line that is cut: nothing lost, bound twice or overcommitted
//	rivals_test.go      Orrery and kube-scheduler follow one another under one lease
//	conflict_test.go    two schedulers on the same nodes, and on the same pods
//	describe_test.go    pods read as with kube-scheduler
//	metrics_test.go     the same metric families with the same labels
//	shadow_test.go      beside kube-scheduler: each of its decisions agreed with or explained
//	record_test.go      a recorded cluster is decided again as it was
//
// The server's audit log (audit_test.go) tells who asked for which binding, and who had the lease meanwhile. ORRERY_CASES
// sets the number of pods where there are many.
package live
