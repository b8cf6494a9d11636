// Package framework runs scheduling plugins: which ones, in which order, and what follows from their statuses.
//
// A [Profile] is one set of plugins under one scheduler name. The engine owns it and calls its Run methods, one for
// each extension point; the plugins see it as their [fwk.Handle].
//
//	 queue        scheduling cycle                                             binding cycle
//	───────┐ ┌──────────────────────────────────────────────────────────┐ ┌──────────────────────────────┐
//	PreEnqueue  PreFilter ─► Filter ─┬─► PreScore ─► Score ─► Normalize   (wait) ─► PreBind ─► Bind ─► PostBind
//	QueueSort                        │                 ─► Reserve ─► Permit           │
//	                                 └─► PostFilter                            any failure after Reserve:
//	                                     (no feasible node)                    Unreserve, last plugin first
//
// A [CycleState] holds the data of one cycle; a [Diagnosis] gathers its rejections, and a [FitError] words them. Pods whose
// Permit plugins return Wait are in [WaitingPods], a list with deadlines: no goroutine sleeps, and the owner of the list
// passes the time to it.
//
// A Profile works on the caller's goroutine, starts none, takes no lock and reads no clock. Only the plugins of the binding
// cycle may block, so the engine can take those lists ([Profile.PreBindPlugins], [Profile.BindPlugins]), call a plugin
// elsewhere, and interpret its status here ([Profile.CheckPreBindStatus], [Profile.CheckBindStatus]). A plugin that is called
// elsewhere may read the listers of its handle, use its client, record events, and read, assume and give up claims for devices
// (see devices.Shared); the rest of the handle is for the other extension points. The engine gives plugins that are not
// Orrery's own a handle around the profile that they may use on goroutines of their own: docs/plugins.md has a table of what
// each method gives, where, and in which world.
//
// # Panics
//
// A plugin that panics fails its call, as if it had returned an error: a [PluginPanic], which names the plugin, the point and
// the pod. It is reported to [Options].OnPanic, with the stack. Filter recovers once for all plugins of a node, Score once for a
// run, every other point once for each call.
//
// # Beyond the plugin API
//
// Some interfaces are Orrery's own, all optional: [Recorder] sees what plugins return, [Emitter] and [EffectHandler] let a
// plugin request an effect without blocking, [Rand] gives it random numbers from the engine's seed, [ObjectChanges] tells it
// which objects changed, [Binder] returns a binding instead of making it, [StepwisePreBind] waits for objects without
// blocking, [Forker] copies state to the same plugin of a fork, and [NodeLocal] promises which verdicts may be reused. A plugin
// that implements none of them works here. One that implements them works in kube-scheduler too, unless it cannot do without.
//
// # Reuse
//
// Pods of one template get the same verdicts and raw scores from [NodeLocal] plugins on a node that has not changed. So a search
// asks the profile for a [Reuse] after PreFilter. What is kept is in package reuse: a table has what NodeLocal plugins said of each
// node, and of nodes of another generation they are asked again. Plugins that look at other nodes divide them into classes that they
// do not tell apart, and evaluate and score each class, if they are a [ClassFilter] or a [ClassScore]. Plugins that are neither are
// called for every node.
//
//	PreFilter ─► Reuse ─► Search ─► RunPreScorePlugins ─► Best
//	               │        nodes that no plugin rejects     │  the best total, without a list of nodes
//	           kept verdicts                                 └► Totals, if a plugin has to be called for each node
//
// Plugins that are not called count as called, so that the counts say what decided; they are not timed. Nothing is reused while a
// [Recorder] looks on.
//
// If all Filter plugins that a pod is not skipped by are NodeLocal, more can be kept: the verdict on a node beside the pods nominated
// for it, and what a plugin finds out by filtering changed copies of a node, as the dry runs of preemption do. [NodeResults] keeps
// that by the signature of the Filter plugins alone.
//
// # Explaining
//
// A plugin that is an [Explainer] says why it rejected a pod, when a person asks and never in a cycle: [Profile.Explain]. It answers for
// all the nodes that it rejected at once, with an [Evidence] for each cause, and not with one for each node: an answer about 5,000 nodes
// names a taint once.
//
//	status of Filter ──► Explain ──┬─► Code, About, Nodes      what it is, the same from release to release, and where
//	                               ├─► Objects, Amounts, Rules  what stands in the way, by numbers and names
//	                               ├─► Wants                    what the pod asks for: the other nodes are the wanted ones
//	                               ├─► Nearest, Meant, Changes  the nearest miss, what was probably meant, what to try
//	                               └─► Predicate, Facts, Hint   the same in sentences
//
// Wants tells two kinds of rejections apart. A selector, a volume or a spread constraint says which nodes the pod wants; a taint or
// too little memory says what is in its way there. The answer to "why is it pending" is the latter, on the wanted nodes. So the
// Predicate is a clause whose subject is the nodes: package answers/diagnose puts the nodes before it, and asks again for the nodes that
// a sentence is about.
//
// The sentences are made where the decision is, since only the plugin knows what it means. The code that shows them adds nothing and reads
// nothing back: it goes by Code. Changes are in the syntax of what-if (answers/change), with POD for the pod, so that a plugin needs
// no types of other packages to name one.
//
// # Statuses
//
// A rejection carries the name of its plugin. A plugin may return one status many times, so a status is never changed here:
// one without the name is copied. A plugin on a hot path builds its statuses once, with [fwk.Status.WithPlugin] and its own
// name, and a rejection then allocates nothing.
//
// # Differences from kube-scheduler
//
//   - Plugins are made, listed and closed in the order of the configuration; kube-scheduler makes them in random order.
//   - A status that is invalid at its extension point, such as Wait from a Filter plugin, becomes an error that names the
//     code. kube-scheduler writes "%!w(<nil>)", and crashes when a PostFilter plugin says Skip or Wait.
//   - A panic of a plugin fails its call. kube-scheduler ends.
//   - A pod stops waiting as soon as the last plugin allows it or one rejects it. In kube-scheduler it stays in the list
//     until its goroutine wakes up, and a preemptor that rejects it meanwhile has no effect.
//   - Waiting pods, and the plugins that a pod waits for, are listed in order of entry.
//   - The scores that RunScorePlugins returns, and the list given to NormalizeScore, are reused by the next cycle.
//   - A factory that returns neither a plugin nor an error is an error.
package framework
