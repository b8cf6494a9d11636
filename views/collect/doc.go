// Package collect fills the read models of package views from an engine: the one place that knows both.
//
//	engine ─────────────────────┬──► Collector.Model(engine, Look) ──► *views.Model ──► views.Screen
//	   │ what passes by         │
//	   └──► Chronicle ──────────┘
//
// A [Look] says what is on the screen. Only that is collected: of the queue the rows of the window, of a node nothing that
// has not changed since the last frame. What is handed out is not changed afterwards, so it may be drawn while the engine
// goes on. A Collector itself belongs to whoever owns the engine.
//
// A [Chronicle] hears what the engine hears and decides, and keeps what the engine does not: who leaves, who leads, how
// much was decided when. It goes with its engine: whoever exchanges the engine for a fork, as a recording's player does
// when it goes back, exchanges the chronicle too and tells the collector with [Collector.Follow].
//
//	chronicle.go                   what is heard
//	curves.go, histogram.go        how much was decided in each second, and how long it took
//	leases.go, candidates.go       every Lease's history, and who is a candidate
//	timings.go                     what plugins take, as a framework.Observer
//	collector.go, look.go          a model of what is looked at
//	nodes.go, snapshot.go, zones.go, node.go, drift.go
//	queue.go, moves.go, journey.go
//	decisions.go, explain.go, cause.go, remedy.go, reason.go
//	pressure.go                    whom a node would evict, from what was read of its usage
//	evictions.go, leader.go, plugins.go, metrics.go
//	narrow.go                      filtering and sorting long lists
//	names.go                       words to complete
//	marks.go, whatif.go            what others have found, as it is shown
//
// # What a frame costs
//
// What is shown, and not what there is. The queue hands out windows, the cache lists its nodes from the most recently
// changed on, and rows keep their words until their pod or node changes. The map of the cluster is the exception: a cell
// for every node is made anew for each frame.
//
// A list that is filtered or sorted has to be gone through, which a long one is bit by bit: each call of Model looks at
// some thousand rows, and says in Narrowed that there is more to come. So no key has to wait for 100,000 rows.
//
// Every string passes package printable on its way, and times are the engine's.
package collect
