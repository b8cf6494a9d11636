// Package live holds a whole replica of Orrery against a real API server, in this process or as a process of its own, and
// against kube-scheduler's own binary where both should do the same.
//
//	scheduling_test.go  pods are bound, explained and preempted; who leads schedules
//	process_test.go     "orrery run": endpoints, exit codes, signals, kills, stops and cuts
//	access_test.go      what a scheduler does without one of its rights
//	rights_test.go      rights that are given and taken away
//	manifests_live_test.go the printed roles are enough, and no more than that
//	console_live_test.go the console with all rights, some and few: what it shows, and that it writes nothing
//	actions_live_test.go what a person does from the console, done and refused
//	lease_failover_test.go a leader is killed, stopped, cut off, or without its server, while pods come in
//	lease_line_test.go  one client's own line to the server, which can break or go dead
//	lease_alone_test.go without an election nobody asks for a lease
//	coordinated_test.go the control plane chooses the leader, and prefers another
//	outage_test.go      a server that restarts, a line that is cut: nothing lost, bound twice or overcommitted
//	faults_test.go      429s, slow and lost answers, watches that end or cannot go on; what was missed is reported
//	custom_test.go      a plugin that waits for a custom resource
//	rivals_test.go      Orrery and kube-scheduler follow one another under one lease
//	conflict_test.go    two schedulers on the same nodes, and on the same pods
//	describe_test.go    pods read as with kube-scheduler
//	metrics_test.go     the same metric families with the same labels, and the same gates
//	shadow_test.go      beside kube-scheduler: each of its decisions agreed with or explained
//	shadow_mixed_test.go  the mixed pods it schedules then, in bursts and in waves
//	evictions_*_test.go predicted evictions and what happened; what nodes use, read from their kubelets
//	record_test.go      a recorded cluster is decided again as it was
//
// The server's audit log (audit_test.go) tells who asked for which binding, and who had the lease meanwhile. ORRERY_CASES
// sets the number of pods where there are many.
package live
