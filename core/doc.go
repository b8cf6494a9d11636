// Package core holds no code; it is the plan of the scheduler below it. Imports go down in this drawing, never up.
//
//	console  replica  serving  operate                 a scheduler, and an operator, on a cluster
//	usage  usage/reader                                what kubelets say that pods use
//	attach                                             the stream of the scheduler that leads, across failovers
//	reach                                              connections to a scheduler that runs elsewhere
//	      │
//	stream                                             a running scheduler's records, over HTTP
//	      │
//	compare  whatif   shadow   telemetry               questions about an engine, and what observes it
//	         diagnose                                  why a pod is pending, and what would place it
//	         config/review                             what a configuration means, and what is wrong with it
//	      │
//	trace/segments                                     recordings of days, in a directory
//	trace/play                                         recordings: replay, follow, flight recorder
//	      │
//	drive                                              turns an engine, in virtual and in real time; controllers, observers
//	  │
//	engine                                             one writer: Apply, Step, NextWake, Fork, Explain
//	  │      │        │         │            │
//	cache  queue   framework  plugins/...  preempt     nodes · activeQ, backoffQ, unschedulable pods · profiles · victims
//	  │
//	evict  evict/observer                              the one record of evictions, and how it is read off the inputs
//	evict/taint  evict/device  evict/pressure          who is evicted when: tainted nodes, tainted devices, kubelets
//	evict/budget  evict/lifecycle                      PodDisruptionBudgets and drains, taints of troubled nodes
//	  │
//	volumes  volumes/outcome                           persistent volumes and claims, with what is decided about them
//	devices  devices/outcome                           devices and the claims for them, with what is decided about them
//	gangs                                              pods that are bound together
//	  │
//	store  trace  leader  leader/sim  config           objects by kind · the file format · leases · configuration
//	extender                                           questions to extenders, and their answers
//	  │
//	world/memory  world/live                           a simulated cluster, and a real one
//	  │
//	codec                                              what an engine holds, as bytes
//	trim  admission                                    fields kept of objects, and parts that equal ones share · plugins that
//	quota                                              change and refuse new objects · what objects use of quotas
//	  │
//	world                                              Input and Effect
//	  │
//	requests  saturating                               what a pod requests · sums that never wrap around
//	reuse  changelog                                   verdicts and scores that hold until a node changes · the latest changes
//	printable  address  spelling  panics               text and addresses safe to show · suggestions · panics as errors
//	nodenames                                          names of nodes beside their JSON
//	footprint  boundedfile                             memory of what is encoded · files that have
//	outfile  csimigration  mk                          to be small · output files · in-tree volumes as CSI volumes · test objects
//	clusterapi  podapi  deviceapi                      what the API server checks of nodes and classes, pods, devices and claims,
//	storageapi  controllerapi                          volumes, and the controllers of pods
//
// The plugins are one package each, on the API of k8s.io/kube-scheduler/framework: plugins/defaultbinder,
// plugins/defaultpreemption, plugins/dynamicresources, plugins/gangscheduling, plugins/imagelocality,
// plugins/interpodaffinity, plugins/nodeaffinity, plugins/nodedeclaredfeatures, plugins/nodename, plugins/nodeports,
// plugins/noderesources, plugins/nodeunschedulable, plugins/nodevolumelimits, plugins/podtopologyspread,
// plugins/queuesort, plugins/schedulinggates, plugins/tainttoleration, plugins/volumebinding,
// plugins/volumerestrictions and plugins/volumezone; plugins names them all. Beside them, plugins/unreadable holds back
// pods whose volumes may not be read. They share plugins/hint (queueing hints), plugins/topology (counts by topology domain),
// plugins/nodeclasses (nodes that are alike to a plugin), plugins/podvolumes (what a pod mounts) and plugins/shape (functions of a
// utilisation); plugins/plugintest runs them in tests. Package whatif/change holds the hypothetical changes that whatif and diagnose make,
// mk/kinds the kinds of pods that speed is measured with, mk/canaries objects that tell where their texts go, codec/codectest a check that
// every field of a state is thought of, planted mistakes laid over the source to see that tests find them. Package soak runs all this for
// long in a hostile simulation, soak/command over many seeds, soak/plant with mistakes planted. Package fuzz has what the fuzz targets
// have in common, and fuzz/command runs them all; package race lets tests do less under the race detector. Package parity is a module of
// its own, which compares all this with upstream.
//
// A test beside this file checks these rules:
//
//   - Imports are those of the list in house_test.go, which is ordered from the ground up.
//   - Only what meets the real world reads a clock; elsewhere the time comes with every input. Random numbers come from a
//     seeded source.
//   - Nothing sleeps, tests included.
//   - Only a few files use the process's streams; all other output passes a printable.Writer.
//   - This file names every package.
package core
