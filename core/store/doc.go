// Package store holds every object the cluster has told of, and is what plugins read.
//
//	world.Changed ─► Apply ───┐                      ┌─► []Delta, for the engine: what it means
//	                          ├─► check ─► shelf ────┤
//	world.Listed ──► Replace ─┘            (a kind)  └─► informer ─► handlers and indexes of plugins
//	                                          ▲
//	             Pod, Node, Object, Objects ──┤
//	             client-go's listers ─────────┘
//
// # What an event means
//
// Events may be late, repeated or out of order. An object's resourceVersion tells its age: two that are numbers compare
// as numbers, others tell only whether they are the same, and an object without one is believed. From that:
//
//   - What is as old as what is held, or older, means nothing. Modified and Added are one: what counts is whether the
//     object is held.
//   - The same name with another UID is two changes: the one that goes, then the one that comes.
//   - A deletion of the UID that is held holds whatever state it carries, as a UID is deleted once. One of another UID
//     counts if it is later than what is held, which must have gone before.
//   - A pod that has Succeeded or Failed is to a scheduler as good as deleted: it goes, and never comes.
//   - A full list is the truth, even where it is older.
//
// What is gone leaves a grave with its last version, so that a late message does not bring it back. At least the last
// 1,024 deletions of a kind are remembered. Beyond them, and for versions that are not numbers, a late message does
// bring an object back, until the next list. So does one that is later than the last state that was known of an object
// which a list found missing; a watch that continues from that list sends no such message.
//
// Versions of one kind are compared across objects, as they come from one counter. Whoever makes objects by hand and
// does not count should leave the version empty.
//
// # What is refused
//
// An object is refused, with an error that names it and the field, when no API server of Kubernetes 1.35 admits it or
// when it cannot be reckoned with. The store then is as it was, and a list goes on with its next object.
//
//   - It cannot be told from others: no name, no namespace where there has to be one, no UID where accounts are kept by
//     UID (pods and resource claims); names beyond 253 bytes, or with characters that would end up in keys or on screens.
//   - Numbers without a meaning: negative amounts, ports beyond 65535, no skew, a weight beyond 100.
//   - Words that 1.35 does not know, where the API server accepts known ones only: operators of tolerations and
//     selectors, effects of taints. A newer API server may know more of them; a pod or a node that uses one is not
//     scheduled by guessing.
//   - Amounts that do not add up in an int64: requests, overhead, and a node's cpu, memory and ephemeral storage, beyond
//     2^53 (cpu in thousandths), which is eight pebibytes of memory.
//
// What an API server lets through is taken in, and left to the plugins. Values of selectors are the case in point: they
// were not always validated, so a term that cannot be parsed may be there, and it matches nothing.
//
// [Trim] and [TrimLive] take off what scheduling never reads. Neither Apply nor Replace calls them: a world does, on
// arrival, because only it knows whether an object is written back whole.
//
// # Order, copies, and one thread
//
// Objects are handed out in the order of namespace and name. They stand in sorted chunks that forks share, so that a
// fork costs microseconds, and a change after it copies one chunk. Nothing here locks or starts a goroutine: one engine
// owns a store and is the only one to use it. Objects are never changed, neither here nor by who reads them.
//
// # Informers
//
// Informers returns client-go's SharedInformerFactory over the store, with client-go's own generated groups and
// listers on top. A handler is called before the next change is taken in, handlers in the order of their registration;
// one that registers hears of all objects there are before the call returns. An informer is in sync from the start. It
// has no resync, no transform, and its store cannot be written to.
//
// Custom resources are held by kind like all others, and have no informer: a plugin makes its own from its handle's
// KubeConfig, as with kube-scheduler, and hears of them by the events it registered for.
//
// A type that the world does not tell of (a ConfigMap, an older API version) has an informer that is empty, never in
// sync, and refuses handlers; Unserved lists these.
//
// # Differences from kube-scheduler
//
//   - A name taken over by another UID is a deletion and an addition. Client-go may merge the two into one update.
//   - A handler's OnDelete has the state that was held. Client-go hands over the final one, or a tombstone.
//   - Amounts that overflow are refused. Upstream adds them up, and a sum that turns negative fits everywhere.
//   - Listing has an order. Client-go's is that of a map.
package store
