// Package device makes pods leave devices whose taints say NoExecute, as kube-controller-manager's
// device-taint-eviction-controller does, or foretells what that one will do.
//
//	ResourceSlice: taints of devices ──┐
//	DeviceTaintRule: taints that an ───┴─► devices ─► ResourceClaim: since when, and until when
//	administrator puts on devices                     tolerated ─► pods it is reserved for ─► due ─► deleted
//	        ▲                                                                │
//	        └── condition EvictionInProgress: how many pods, how far ◄───────┘
//
// A [Controller] is told the inputs that the engine is told. What it decides about pods it does through effects; what it
// decides about the status of rules it hands over in Statuses, for whoever drives it to write. A [Driver] writes it.
//
// # When a pod leaves
//
// A claim's devices count as allocated, with the tolerations of the allocation. Each NoExecute taint of each device,
// whether the driver's or a rule's, has a time: when it was added, plus what the shortest of the matching tolerations
// gives. A toleration without seconds is for ever, and less than zero seconds are none. The first of these times is the
// claim's, and the first of its claims' times the pod's, if it is on a node and the claim is reserved for it. Unlike the
// timers of node taints this one moves with every change, and a taint that was there before the pod counts from then.
//
// Only slices of the newest known generation of a pool count. A rule without a selector selects nothing; one with an
// empty selector selects every device.
//
// # What a rule's condition says
//
// It is brought up to date at once when the rule is new or its spec has changed, and before any pod leaves. After that
// 10 s after a pod was found due or was deleted, and at least 10 s after it last changed. So it may be late, and it is
// so on purpose: a pod that is being scheduled to the device just then is still counted. For the effect None it says,
// once, what would happen if the effect were NoExecute.
//
// # Differences from kube-scheduler
//
// Here that is kube-controller-manager 1.35.
//
//   - A toleration without an effect tolerates every effect, as the API says and the scheduler has it. Upstream's
//     controller evicts the pod all the same, right after it was scheduled.
//   - Of the pods a claim is reserved for, each is looked at. Upstream stops at the first it does not know.
//   - A pod that somebody else deletes does not count as evicted, and one that is evicted counts once.
//   - A taint without a time makes nobody leave; every API server adds the time. Upstream may end with an error.
//   - A pod that has run to its end is let be.
//   - One event tells of a deletion, however often it is tried. Attempts are 5 ms apart, then twice that and so on up to
//     1000 s; upstream also slows down when there are many.
package device
