// Package cycle runs kube-scheduler and Orrery on the same generated clusters and requires the same results. Intended
// differences are in differences_test.go, and only there.
//
// TestPlugins_SameAnswers compares plugins in detail, in four combinations of two runtimes and two sets of plugins:
//
//	                     kube-scheduler's plugins     Orrery's plugins
//	upstream's runtime   the reference                hosted there
//	Orrery's runtime     hosted here                  Orrery
//
// For every pending pod it compares PreFilter, the status of every Filter plugin on every node, raw and normalised scores,
// and then the results of the whole cycle: the search, the weighted totals and preemption.
//
// TestScheduler_SameDecisions compares whole schedulers. kube-scheduler, with one worker and a client that records its calls,
// and Orrery's engine get the same events at the same virtual times. They decide in turn; their API calls are compared and
// then carried out once, and both get the result:
//
//	case ─► events ─┬─► informers ─► kube-scheduler ─► API calls ─┐
//	          ▲     │                                             ├─► compare ─► carry out ─┐
//	          │     └─► inputs ────► engine ─────────► effects ───┘                         │
//	          └─────────────────────────────────────────────────────────────────────────────┘
//
// A pod with claims is bound in two steps: both write its volumes and claims, which is compared as well; then the test acts as
// the volume controller, or as one that fails, and both go on.
//
// Claims for devices are written within a decision, each side's to a server of its own (devices_test.go); then both read what was
// written. The test acts as the controller that frees the claims of deleted pods. Rules that taint devices, binding conditions and
// extended resources are left to the comparison of the plugin.
//
// Extenders are in the process, one of each kind on both sides (extenders_test.go): kube-scheduler's HTTP client talks to one
// handler, and the test acts as the world that answers Orrery's calls by another.
//
// TestScheduler_HostsVolumePlugins does the same with kube-scheduler's volume plugins in Orrery's engine, and with Orrery's in
// kube-scheduler. TestScheduler_HostsWholeProfile runs all of kube-scheduler's plugins in Orrery's engine, and none of its own.
//
// TestReleases_SameDecisions does it with kube-scheduler of another release, which package oracle runs in a process of its own, and with
// Orrery as that release decides; see doc.go of package parity.
//
// It compares each decision's node, message, reasons by node, number of examined nodes and next start index; conditions,
// nominations, victims in order, events; and, after every event, which queue each pod is in.
//
//	go test ./cycle                                     the default number of cases, in about 15 seconds
//	ORRERY_CASES=50000 ORRERY_SEED=2 go test -v -timeout 0 ./cycle
//	go test ./cycle -run Replay -case FILE              one case, as printed by a failed test
package cycle
