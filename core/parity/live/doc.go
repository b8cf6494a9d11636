// Package live tests a whole replica of Orrery, in this process or as a separate one, against a real API server, and compares
// it with kube-scheduler's own binary where both should behave alike.
//
//	scheduling_test.go  pods are bound, explained and preempted; the leader schedules
//	process_test.go     "orrery run": endpoints, exit codes, signals, kills, stops, lost connections
//	access_test.go      what a scheduler does without one of its rights
//	rights_test.go      grants and revokes rights
//	manifests_live_test.go the printed roles are sufficient and minimal
//	incluster_test.go   the printed Deployment as it would run in a cluster: its rights are used, all of them, and enough
//	console_live_test.go the console with all, some and few rights: what it shows; that it writes nothing
//	actions_live_test.go actions from the console, done and rejected
//	lease_failover_test.go a leader is killed, stopped, disconnected, or its server restarts, while pods are created
//	lease_proxy_test.go a TCP proxy for one client, whose connections can break or hang
//	lease_alone_test.go without an election no lease is read
//	gangs_test.go       a gang is bound together; the leader is killed while its pods wait on permit
//	coordinated_test.go the control plane chooses the leader, and then prefers another
//	outage_test.go      the server restarts, connections break: no pod lost, bound twice, no node overcommitted
//	faults_test.go      429s, slow and lost responses, watches that end or expire; missed events are reported
//	custom_test.go      a plugin that waits for a custom resource
//	rivals_test.go      Orrery and kube-scheduler take over from each other under one lease
//	attach_test.go      attached through the port-forward, across a failover, a reader that stalls; a recording cut by a crash
//	conflict_test.go    two schedulers on the same nodes, and on the same pods
//	describe_test.go    kubectl describe pod, compared with kube-scheduler
//	causes_test.go      twelve causes of pending pods, explained in three ways, compared with what kube-scheduler says
//	metrics_test.go     the same metric families with the same labels, and the same gates
//	shadow_test.go      shadowing kube-scheduler: every binding agrees or is explained
//	shadow_mixed_test.go  the mixed pods of that test, in bursts and in waves
//	kinds_test.go       pods of every kind: shadowed and recorded beside kube-scheduler, and scheduled with the printed rights alone
//	upgrade_test.go     the API server is upgraded by a release under "orrery run" and a console, and then the replicas
//	evictions_*_test.go predicted evictions and their outcomes; usage read from kubelets
//	record_test.go      a recording replays to the same decisions
//	storage_rollout_test.go StatefulSets with claims come up, beside kube-scheduler: the same writes of claims and volumes
//	storage_outage_test.go  the API server restarts and the leader is killed in such a rollout
//	storage_scenarios_test.go short stories of claims and of StatefulSets, after upstream's end-to-end tests
//	storage_claims_test.go  where a claim's volume can be used, and what a pod waits for
//	storage_stateful_test.go replicas keep their volumes
//	storage_record_test.go  such a rollout is recorded and shadowed beside kube-scheduler
//	storage_check_test.go   every volume is where its pod is, none was given away twice
//
// The control plane (plane_*_test.go) is that of the release that the tests are linked with, in this process. With the build tag processes it is
// that of the release in ORRERY_ORACLES, as processes, and Orrery decides as that release.
//
// The server's audit log (audit_test.go) shows each binding's user and the lease's holder at that time. ORRERY_CASES sets the
// number of pods in tests with many.
package live
