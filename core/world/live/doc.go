// Package live connects an engine to a real cluster in real time: client-go on one side, a [world.World] on the other.
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
// Objects are trimmed as they arrive and not kept here: Next returns the only copy, which the engine's store
// holds. Volumes and claims share what they have in common with others, since a cluster may have a hundred thousand. A
// reflector waits while the inbox is full, and with it its watch.
//
//	cluster.go      options; Next and Do; start and stop
//	clock.go        a monotonic time for inputs
//	kinds.go        how to list and watch each kind
//	custom.go       the same for custom resources
//	answer.go       how much an answer may take, before it is decoded; watched.go for the events of watches
//	reflector.go    from a reflector to the inbox; the order of initial lists
//	progress.go     how far the watches have come
//	writegate.go    the last step of a write before the connection: may this scheduler still write?
//	podeffects.go   the effects on one pod: their order, merging and superseding
//	workers.go      the goroutines that carry effects out, and retries
//	calls.go        one attempt of a binding, patch or deletion
//	volumecalls.go  one attempt to write a claim into a volume, or a node into a claim
//	callresult.go   the meaning of a response
//	extenders.go    the calls of extenders
//	events.go       Kubernetes events
//	drift.go        differences between the engine and the API server
//	access.go       which kinds may be read
//	readonce.go     one list of all kinds, without watching
//
// # Inputs
//
// The initial lists of all kinds are returned together, objects that pods refer to before the pods, when the last one has
// arrived; [Cluster.Unsynced] names the missing ones. After that, changes come as the watches report them. When a watch
// ends, a new one resumes it; if the API server cannot do that the kind is listed again, the list is an input like any
// other, and what the watch had missed is counted and logged.
//
// An input has the time at which Next returns it, by a clock that starts as the wall clock and then runs monotonically.
// Setting the wall clock does not shorten or stretch timers.
//
// The kinds are those that the engine's plugins read through informers, and those that they registered events for: for a
// third-party plugin that may be a custom resource, "foos.v1.example.com". It is read as JSON, kept whole, and passed to
// the plugin's hints as by a dynamic client.
//
// # Effects
//
// The effects on one pod are carried out in order; those on different pods concurrently, up to a bound. A call that fails
// temporarily is retried after a delay, and occupies no worker meanwhile. Effects that wait for their turn or for a retry
// can be superseded:
//
//	pending        newer          becomes
//	patch          patch          one patch, the newer fields over the older; both have its outcome
//	patch (*)      bind           the binding; (*) of PodScheduled or the nomination: a bound pod needs neither
//	bind           bind           one binding if to the same node; else the newer, unless the older may have succeeded
//	delete         delete         one deletion
//	run (running)  delete         the plugin's context is cancelled; the deletion follows
//
// Every effect with an outcome gets exactly one, superseded ones included, until the cluster is stopped.
//
// A binding whose outcome is unknown (a timeout, a broken connection, a proxy's 503) is retried without limit: its pod is
// read until the API server shows the result. Giving up would assign the node's resources to the next pod although the first
// may be bound there. The API server binds a pod at most once, so retries are safe. Patches and deletions name
// the UID and are safe to repeat as well; they, and bindings that surely were not made, are given up after [MaxRetryTime].
//
// A claim in a volume, and a node in a claim, are written for one version of the object: another one is a conflict, which
// is not retried. If the response to an earlier attempt was lost, the object is read then, and the conflict is a success if
// it has what was to be written.
//
// # Extenders
//
// An extender is called at once, beside the other effects on its pod, and never a second time: the engine waits for the
// answer, and the engine decides what its failure means. The connection is that of kube-scheduler, with the same use of
// enableHTTPS, tlsConfig and httpTimeout. Where extenders are configured, pods and nodes are not trimmed but for their managed
// fields, so that an extender gets what the API server has.
//
// # Plugins that run concurrently
//
// A world.RunPlugin is called on its own goroutine, without a time limit. The engine passes it a copy of the pod's
// CycleState and takes over the changes with its outcome, so that the engine can be inspected, explained
// and forked meanwhile. A plugin whose StateData do not clone deeply shares them with those copies, and has to lock them.
//
// # Differences from kube-scheduler
//
//   - Status patches and deletions carry the UID, so that they never affect a namesake.
//   - Volumes and claims are patched with their version instead of updated, as they are not held whole.
//   - Calls are retried for a minute, also patches, which kube-scheduler gives up after a third of a second.
//   - Patches wait in the background instead of delaying the next decision.
//   - A watch that broke is tried again every four to six seconds at least. client-go's pauses grow to a minute.
//   - Kubernetes events that are being written, or may become a series, are bounded in number. client-go's are only in time, so that
//     1,000 a second would take a gigabyte, and more while the API server does not answer.
//   - The initial lists have an order, and nothing is decided before all of them are there.
package live
