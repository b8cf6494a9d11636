// Package live is a real cluster, in real time: client-go on one side, a [world.World] on the other.
//
//	     API server
//	   │            ▲
//	   │ list,      │ bindings, patches,      events
//	   │ watch      │ deletions                 ▲
//	   ▼            │                           │
//	reflector     worker ◄─ lanes ◄──┐     client-go's
//	per kind        │    (one a pod) │     broadcaster
//	   │ trim       │ outcome        │          │
//	   ▼            ▼                │          │
//	 ┌────── inbox, bounded ──┐      │          │
//	 └───────────┬────────────┘      │          │
//	             ▼                   │          │
//	           Next ──► engine ──► Do ──────────┘
//
// Objects are trimmed as they arrive and kept nowhere here: what Next hands out is the only copy, and the engine's store
// holds it. A reflector that finds the inbox full waits, and with it its watch.
//
//	cluster.go   what it is made with; Next and Do, start and stop
//	clock.go     one time that only goes forward
//	kinds.go     how to list and watch each kind
//	custom.go    the same for kinds that only a plugin knows
//	feed.go      from a reflector to the inbox; the order of first lists
//	lane.go      the effects on one pod: their order, and which of them a newer one makes needless
//	workers.go   who carries effects out, how many at once, when again
//	calls.go     bindings, patches, deletions: one try of each
//	answers.go   what an answer of the API server means
//	events.go    announcements
//	drive.go     the loop that runs an engine in this world
//	drift.go     how what the engine holds differs from what the API server says
//	reach.go     what can be read, of kinds that one may not have the right to
//	once.go      all of it once, without watching
//
// # Inputs
//
// The first lists of all kinds are handed out together, what pods refer to before the pods, when the last has arrived;
// [Cluster.Missing] says which are still awaited. From then on changes come as the watches report them. When a watch is
// lost, a new one goes on where it ended; where the API server cannot do that any more the kind is listed again, the
// list is an input like any other, and what it says that the watch had not said is counted and logged (drift.go).
//
// An input bears the time at which it is handed out, by a clock that starts as the wall clock and goes forward steadily
// whatever happens to the wall clock afterwards. Timers are not shortened or stretched by a clock that is set.
//
// The kinds are those that the engine's plugins read by an informer, and those that they registered events for: in a plugin
// somebody else wrote that may be a custom resource, "foos.v1.example.com". It is read as JSON, kept whole, and handed to
// the plugin's hints as a dynamic client would.
//
// # Effects
//
// The effects on one pod are carried out one after the other, in the order in which they were wanted; those on different
// pods side by side, up to a bound. A try that fails in a way that may pass is made again after a pause, and occupies
// nobody meanwhile. What waits for its turn or for its next try can be overtaken:
//
//	waits          newer          becomes
//	patch          patch          one patch, the newer fields on top of the older; both end as it ends
//	patch (*)      bind           the binding; (*) of PodScheduled or the nomination: a bound pod needs neither
//	bind           bind           one binding if to the same node; else the newer, unless the older may have been made
//	delete         delete         one deletion
//	run (running)  delete         the plugin's context is cancelled; the deletion follows
//
// Every effect with an outcome is answered exactly once, overtaken ones included, until the cluster is stopped.
//
// A binding whose outcome is not known (a timeout, a broken connection, a proxy that says unavailable) is never given up: its pod is read again until
// the API server has said what became of it. To give up would hand the node's room to the next pod although the first
// may be on its way there. The API server binds a pod at most once, so trying again is safe. Patches and deletions name
// the UID and are safe to repeat as well; they, and bindings that surely were not made, are given up after [Patience].
//
// # Plugins that run meanwhile
//
// A world.Run is called on a goroutine of its own, for as long as it likes. The engine gives it a copy of the pod's
// CycleState to work on and takes what it wrote there over with its outcome, so that the engine can be looked at, explained
// and forked meanwhile. A plugin whose StateData do not clone deeply shares them with those copies, and has to guard them.
//
// # Differences from kube-scheduler
//
//   - Status patches and deletions carry the UID, so that a namesake that came later is safe from them.
//   - Calls are tried again for a minute, patches that kube-scheduler gives up after a third of a second included.
//   - Patches wait for their turn instead of stopping the next decision.
//   - The first lists come in an order, and nothing is decided about before all of them are there.
package live
