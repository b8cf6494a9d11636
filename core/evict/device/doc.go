// Package device evicts pods from devices with NoExecute taints, as kube-controller-manager's
// device-taint-eviction-controller does, or predicts those evictions.
//
//	ResourceSlice: taints of devices ──┐
//	DeviceTaintRule: taints that an ───┴─► devices ─► ResourceClaim: since when, and until when
//	administrator puts on devices                     tolerated ─► pods it is reserved for ─► due ─► deleted
//	        ▲                                                                │
//	        └── condition EvictionInProgress: how many pods, how far ◄───────┘
//
// A [Controller] takes in the engine's inputs. It deletes pods and writes the conditions of rules through effects. A condition
// that could not be written is decided again 10 s later.
//
// # When a pod is evicted
//
// A claim's devices count as allocated, with the tolerations of the allocation. Each NoExecute taint of each device, from its
// slice or from a rule, has a time: when it was added, plus the shortest time of the matching tolerations. A toleration without
// seconds never ends, and less than zero seconds are none. The earliest of these times is the claim's, and the earliest of its
// claims' times is the pod's, if it is bound and the claim is reserved for it. Unlike the timers of node taints this one moves
// with every change, and a taint that is older than the pod counts from when it was added.
//
// Only slices of the newest known generation of a pool count. A rule without a selector selects nothing; one with an empty
// selector selects every device.
//
// # A rule's condition
//
// The controller updates it at once when the rule is new or its spec has changed, and before any pod is evicted; after that 10 s
// after a pod became due or was deleted, and at least 10 s after the last change. The delay is intended: a pod that is being
// scheduled to the device meanwhile is still counted. For the effect None the condition describes, once, what NoExecute would do.
//
// # Differences from kube-scheduler
//
// Here that is kube-controller-manager 1.35.
//
//   - A toleration without an effect tolerates every effect, as the API and the scheduler define it. Upstream's controller evicts
//     the pod all the same, right after it was scheduled.
//   - Every pod a claim is reserved for is evaluated. Upstream stops at the first it does not know.
//   - A pod that is deleted for another reason does not count as evicted, and an evicted one counts once.
//   - A taint without a time evicts no pod; every API server adds the time. Upstream may end with an error.
//   - A terminal pod is left alone.
//   - One event reports a deletion, however often it is tried. Attempts are 5 ms apart, then twice that and so on up to 1000 s;
//     upstream also slows down when there are many.
package device
