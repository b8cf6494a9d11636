// Package parity is a separate module: the only place that imports k8s.io/kubernetes, whose v1.37.2 it compares Orrery with, as it decides for 1.37. One program
// cannot have two versions of it, so kube-scheduler of 1.35 and of 1.36 are programs of their own, each of a module below this one.
//
//	comparisons  the registry: what is compared, by how many cases, and what differs on purpose; docs/parity.md
//	difftest     the harness: draws cases from a seed, runs both sides, reduces and prints the first that differs
//	draw         draws API objects, good and bad
//	informers    client-go informers whose objects a test sets
//	oracle       asks kube-scheduler of another release, in a process of its own
//	v135, v136   these programs
//	claimwrites  writes of claims for devices, carried out for Orrery
//	assumed      what upstream's VolumeBinding and Orrery's assume of volumes and claims
//
//	cache        random operations on upstream's cache and Orrery's
//	queue        random scripts for upstream's scheduling queue and Orrery's
//	config       random files for upstream's decoding, defaulting and validation, and Orrery's
//	framework    random profiles of scripted plugins in upstream's runtime and Orrery's
//	plugins      random pods and nodes for upstream's plugins and Orrery's, one by one
//	cycle        random clusters for whole schedulers
//	evict        random histories for upstream's eviction controllers, the kubelet's eviction manager and Orrery's
//	leader       random elections for client-go's elector and Orrery's model
//	telemetry    every metric family
//	claims       random pods, claims and templates for upstream's claim controller, and Orrery's
//	admission    random objects for the API server's defaults and admission plugins, and Orrery's
//	apiobjects   what a started API server refuses
//	nodepools    the nodes that pools would make, with Karpenter's scheduler, a process (karpenter, a module of its own)
//	monitoring   the printed alerts and the dashboard, with Prometheus' own parser and query engine
//	live         a whole scheduler on a real API server: shadowing kube-scheduler, replacing it, and in outages
//
//	apiserver    kube-apiserver on etcd in this process, or that of another release beside it
//	faultproxy   a proxy in front of it that injects faults
//	storage      upstream's controllers of volumes on it, with fake CSI drivers
//	program      builds and starts schedulers as processes, and what there is of other releases
//	bench        benchmarks of upstream and Orrery in one process
//	benchattach  what attached readers and recordings on disk take of "orrery run"
//	soaklive     replicas and a console on a real API server for long, behind the proxy: do they leak, is a pod lost
//	benchcluster benchmarks of both on a real API server
//	democluster  a cluster for experiments
//	demorecord   records the demo's scenarios on a real API server
//	kubesource   reads gates, default plugins, metrics and API fields from the source of a release
//	gatetables   writes the tables of feature gates, one a release, from upstream's sources
//	releasereport prints what of scheduling differs between the sources of two releases, for make release-report
//	document     writes docs/parity.md
//	runtests     runs the tests of both modules, for make test
//
// # Other releases
//
// The tests of package cycle whose names begin with TestReleases compare with kube-scheduler of 1.35 and 1.36, if they are asked to: compiling
// one takes ten minutes the first time.
//
//	make parity RELEASE=1.36 CASES=500                                     from the repository's root
//	ORRERY_ORACLES=1 go test -count=1 -run TestReleases ./cycle            both releases, in core/parity
//	ORRERY_ORACLES=1.36 go test -count=1 -run Replay ./cycle -case FILE    a case, as printed by a failed test
//	ORRERY_ORACLES=1 go test -run TestReleases_FollowRules/37-2 ./cycle    the case of one rule
//
// The tests of package live run on a control plane of another release, too: its kube-apiserver, kube-scheduler and kube-controller-manager are
// processes then, compiled in the same modules, and nothing of Kubernetes is linked.
//
//	make planes RELEASE=1.36                                               from the repository's root
//	make planes RELEASE=1.36 RUN=TestShadow CASES=2000                     some of them, with so many pods
//	ORRERY_ORACLES=1.36 go test -count=1 -tags processes ./live            all of them, in core/parity
//
// TestReleases_SameDecisions draws clusters as the comparison with 1.35 does. TestReleases_FollowRules has a cluster for each rule of
// package release, in cycle/rulecases_test.go: decisions differ from one release to the next where the rule says so, and only there. A new
// rule needs such a case, or a reason in ruledElsewhere why it cannot have one here.
//
// A newer release is linked here, as the root module follows it, and the one that was gets a folder like v136: its go.mod with the versions of
// that release, its main.go with what its API calls otherwise, and a line in program/release.go. If the code of oracle/serve does not compile with it, what differs is handed in by main.go.
//
// Every comparison prints its seed and, where the two differ, a reduced case.
package parity
