// Package collect fills the read models of package views from an engine: the only package that knows both.
//
//	engine ───────────────────────┬──► Collector.Model(engine, Query) ──► *views.Model ──► views.Screen
//	   │ inputs, decisions        │
//	   └──► History ──────────────┘
//
// A [Query] selects what is on the screen, and a model has nothing else: of the queue the rows of the window, of a node nothing
// that has not changed since the last frame. A model does not change once it is returned, so it may be drawn while the
// engine runs on. The owner of the engine owns its Collector.
//
// A [History] observes an engine and keeps what the engine does not: evictions, Leases, decisions per second. It belongs to
// its engine: when a fork replaces the engine, as when a recording steps back, the fork's history replaces this one, see
// [Collector.SetHistory].
//
//	history.go                     the observer of inputs and decisions
//	curves.go, histogram.go        decisions per second, and their durations
//	leases.go, candidates.go       the history of every Lease, and its candidates
//	timings.go                     durations of plugins and extension points
//	collector.go, query.go         a model of what is shown
//	lists.go                       the rows of every list
//	nodes.go, snapshot.go, zones.go, orrery.go, node.go, drift.go
//	queue.go, transitions.go, journey.go, requeueevents.go
//	decisions.go, explain.go
//	health.go, feed.go             what is wrong, read from what changed; the latest decisions in words
//	pressure.go, pressure_requests.go  the eviction order of a node's pods by measured usage, or by what is known without it
//	storage.go                     claims and volumes, from an index of what their states depend on:
//	  storageindex.go, objectorder.go, storagestates.go, storagecapacity.go, attachlimits.go
//	devices.go, devicerows.go      devices by pool, and what is shown of each, from an index like that of storage:
//	  deviceindex.go, devicepools.go, devicestates.go, devicesummary.go
//	deviceclaims.go, deviceclaimrows.go, devicechain.go  claims for devices; those of a pod
//	gangindex.go, gangstates.go, gangrows.go  pod groups by trouble, from an index that follows pods, workloads and the queue
//	evictions.go, evictions_blocked.go, leader.go, plugins.go, metrics.go
//	agreement.go                   the comparison with the cluster's scheduler
//	names.go                       completion of names
//	whatif.go                      the result of a what-if
//
// # What a frame costs
//
// A frame costs what it shows. The queue returns windows, the cache lists its nodes from the most recently changed on, and
// rows keep their texts until their pod or node changes. The map of the cluster is the exception: each frame makes a cell
// for every node.
//
// A list that is filtered or sorted must be read whole. Each call of Model reads some thousand rows, and the model says
// whether there are more, so no key waits for 100,000 rows. The panes of storage, devices and gangs, too, read everything in such
// parts once, and then only what changes. If the cluster has devices or gangs, every model follows them, for the health.
//
// Every string passes package printable, and all times are the engine's.
package collect
