// Package devices is what the scheduler knows about devices: the store's claims, slices and classes, and on top of them what
// it has decided itself and not yet read back.
//
//	store.Delta ──► Changed ──► devices that claims have; slices with the taints of DeviceTaintRules; classes by resource
//	                   └──────► an assumption that the store shows by now is dropped
//
//	DynamicResources  Reserve ───► SetInFlight ──► Allocated: the devices of claims, stored, assumed and in flight
//	                  PreBind ───► Assume, RemoveInFlight: the claim is written, and not read back
//	                  Unreserve ─► GiveUp; Abandon, then Settle, if a write may have been made
//
// # What a node reaches
//
//	slices ──► pools by driver and name ──► by node: the pools that name it, and those that any node may reach
//	claims ──► the pool of a device that is taken or free again has changed
//
// Reached tells whether a node reaches the same devices as before, and as another node. SlicesFor has what an allocator needs
// of them, and ReachChanges says for which nodes that changed. The index for it is made when it is first asked for, and follows the changes from then on. A fork makes its own.
//
// # In flight, assumed, stored
//
// A pod's devices are chosen in its scheduling cycle and written while it is bound. In between, the claim is in flight: its
// devices are taken, and no other pod may use the claim, since the write may fail. Once it is written, the claim is assumed to
// be allocated, until the store shows a version with devices, the version that was written or a later one, or that the claim is
// gone or was replaced. An earlier version does not end the assumption: the finalizer is written before the devices, and a watch
// shows that first.
//
// A binding that ends without an answer to its write abandons the claim: it stays in flight until the write is undone, and the
// store shows that.
//
// There is one State for all profiles of an engine; it is forked and checked with the engine, and does not lock.
// Manager serves it as the SharedDRAManager of kube-scheduler's plugin API, and Shared to plugins that run on goroutines of their
// own, too: it posts their changes to the engine.
//
// # Differences from kube-scheduler
//
//   - Pods that wait for the devices of a claim which a failed binding gives up are tried again at once. In kube-scheduler no event wakes
//     them, as no claim has changed, and they wait for the timer of five minutes.
//   - A claim whose write has no answer stays in flight until that write is undone. In kube-scheduler its devices are free at
//     once, although the write may have been made.
//   - A device that two claims have is taken until both are gone. In kube-scheduler the first one frees it.
//   - Slices, and the taints that rules add, are in the order of names. Kube-scheduler's order is that of a map.
//   - If several classes name an extended resource, the newest has it, as in kube-scheduler; once that is deleted, the next
//     newest does. Kube-scheduler then has none until a class changes.
package devices
