// Package parity is a separate module: the only place that imports k8s.io/kubernetes, whose v1.35.4 it compares Orrery with.
//
//	comparisons  the registry: what is compared, by how many cases, and what differs on purpose; docs/parity.md
//	difftest     the harness: draws cases from a seed, runs both sides, reduces and prints the first that differs
//	draw         draws API objects, good and bad
//	informers    client-go informers whose objects a test sets
//	oracle       fakes of what a scheduler talks to, in a module that knows neither Orrery nor kube-scheduler
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
//	monitoring   the printed alerts and the dashboard, with Prometheus' own parser and query engine
//	live         a whole scheduler on a real API server: shadowing kube-scheduler, replacing it, and in outages
//
//	apiserver    kube-apiserver on etcd in this process
//	faultproxy   a proxy in front of it that injects faults
//	storage      upstream's controllers of volumes on it, with fake CSI drivers
//	program      builds and starts schedulers as processes
//	bench        benchmarks of upstream and Orrery in one process
//	benchattach  what attached readers and recordings on disk take of "orrery run"
//	soaklive     replicas and a console on a real API server for long, behind the proxy: do they leak, is a pod lost
//	benchcluster benchmarks of both on a real API server
//	democluster  a cluster for experiments
//	demorecord   records the demo's scenarios on a real API server
//	gatetables   writes the tables of feature gates, one a release, from upstream's sources
//	document     writes docs/parity.md
//	runtests     runs the tests of both modules, for make test
//
// Every comparison prints its seed and, where the two differ, a reduced case.
package parity
