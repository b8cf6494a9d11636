// Package store holds every object of the cluster, for the engine and for the listers of plugins.
//
//	world.Changed ─► Apply ───┐                      ┌─► []Delta, for the engine: what it means
//	                          ├─► check ─► kindStore ┤
//	world.Listed ──► Replace ─┘            (a kind)  └─► informer ─► handlers and indexes of plugins
//	                                          ▲
//	             Pod, Node, Object, Objects ──┤
//	             client-go's listers ─────────┘
//
// # Events
//
// Events may be late, repeated or out of order. An object's resourceVersion is its age: two numbers compare as numbers, other
// versions only as equal or not, and an object without one is accepted. From that:
//
//   - An object as old as the held one, or older, changes nothing. Modified and Added are one: what counts is whether the object
//     is held.
//   - The same name with another UID is two changes: a deletion, then an addition.
//   - A deletion of the held UID counts whatever state it carries, as a UID is deleted once. One of another UID counts if it is
//     newer than the held object, which must have been deleted before.
//   - A pod that has Succeeded or Failed is treated as deleted: it is removed, or never added.
//   - A full list is authoritative, even if it is older.
//
// A deleted object leaves a tombstone with its last version, so that a late event does not recreate it. At least the last 1,024
// deletions of a kind are remembered. Beyond them, and for versions that are not numbers, a late event does recreate an object,
// until the next list.
//
// A list ends all that: events continue from it, and none is late. An API server that was restored from a backup lists what was there
// then, under versions that are older than the held ones, and gives these versions out again.
//
// Versions of one kind are compared across objects, as they come from one counter. Objects made by hand without such a counter
// should leave the version empty.
//
// # Objects that no API server admits
//
// An object is rejected, with an error that names it and the field, if it is not identified: no name, no namespace for a namespaced
// kind, no UID for kinds tracked by UID (pods and resource claims); names beyond 253 bytes, or with characters that are not allowed in
// keys or on screens. The store is then unchanged, and a list continues with its next object.
//
// These values have no meaning for the scheduler, though a newer API server may admit some:
//
//   - negative amounts, ports beyond 65535, no skew, a weight beyond 100;
//   - values that no modelled release knows where the API server accepts known ones only: operators of tolerations and selectors, effects of
//     taints, binding modes of classes.
//
// What becomes of an object with one depends on who would suffer:
//
//   - A pod with a node, and a node, are held, and an error names the field once: the pod uses its node in any case, and other pods
//     must not get what it uses. Readers do without the field: a negative amount is zero, a list of affinity terms that cannot be
//     used has none, an unknown toleration tolerates nothing, an unknown taint excludes nobody.
//   - A pod without a node is held. It is not scheduled by guessing: its scheduling cycle ends with the [UnusableField].
//   - Any other object is rejected.
//
// Amounts have no bound but an int64: what is beyond counts as the greatest one, and so does a sum of more, wherever one is made.
//
// Everything else is taken in and left to the plugins. Values of selectors are an example: they were not always validated, so a
// term that cannot be parsed may exist, and it matches nothing.
//
// # Order, copies, and one thread
//
// Objects are listed by namespace and name. They are in sorted chunks that forks share, so that a fork costs microseconds, and a
// change after it copies one chunk. One engine owns a store and is the only one to use it; nothing here starts a goroutine.
// Objects are never changed, neither here nor by readers.
//
// A plugin that blocks at PreBind or Bind runs on a goroutine of its own, and reads listers there: kube-scheduler's
// VolumeBinding waits that way for its claims, and a plugin that is not Orrery's own may have goroutines at any time. For an
// engine with such a plugin, ShareListers makes changes and the reads of listers exclude each other, and handlers that are added
// while the engine runs get their objects from the engine's goroutine. Other engines lock nothing.
//
// # Informers
//
// Informers returns client-go's SharedInformerFactory over the store, with client-go's own generated groups and
// listers on top. A handler is called before the next change is taken in, handlers in the order of their registration;
// a new handler receives all existing objects before the call returns, or soon after it while the engine runs. An informer is in sync from the start. It
// has no resync, no transform, and its store cannot be written to.
//
// Custom resources are held by kind like all others, and have no informer: a plugin makes its own from its handle's KubeConfig,
// as with kube-scheduler, and receives them by the events it registered for.
//
// A type that the world does not serve (a ConfigMap, an older API version) has an informer that is empty, never in sync, and
// refuses handlers; UnservedTypes lists these.
//
// # Changes
//
// A plugin that keeps what it computed from objects asks ObjectChanges, once per scheduling cycle, which of them changed since
// its last question. A fork remembers no changes: its plugins are new and have computed nothing yet.
//
// # Differences from kube-scheduler
//
//   - A name taken over by another UID is a deletion and an addition. Client-go may merge the two into one update.
//   - A handler's OnDelete has the state that was held. Client-go hands over the final one, or a tombstone.
//   - Amounts and sums beyond an int64 saturate, and negative amounts count as zero. Upstream counts an amount whose thousandths, for
//     cpu, are beyond an int64 as zero, and its sums wrap around: one that turns negative fits everywhere.
//   - A pod with a value that no modelled release knows is not scheduled, and told so; once it has a node, it counts there. Upstream
//     schedules it without the toleration, the spread constraint or the list of pod affinity terms that has the value.
//   - Listing has an order. Client-go's is that of a map.
package store
