// Package framework runs scheduling plugins: which ones, in which order, and what follows from what they say.
//
// A [Profile] is one set of plugins under one scheduler name. The engine owns it and calls its Run methods, one for
// each extension point; the plugins see it as their [fwk.Handle].
//
//	 queue        scheduling cycle                                             binding cycle
//	───────┐ ┌──────────────────────────────────────────────────────────┐ ┌──────────────────────────────┐
//	PreEnqueue  PreFilter ─► Filter ─┬─► PreScore ─► Score ─► Normalize   (wait) ─► PreBind ─► Bind ─► PostBind
//	QueueSort                        │                 ─► Reserve ─► Permit           │
//	                                 └─► PostFilter                            any failure after Reserve:
//	                                     (no node will do)                     Unreserve, last plugin first
//
// What one cycle knows travels in its [CycleState]; what its plugins turned down is gathered in a [Diagnosis], and a
// [FitError] says it in a sentence. Pods whose Permit plugins asked for time are in [WaitingPods], a list with
// deadlines in it: nobody sleeps, and whoever owns the list tells it what time it is.
//
// A Profile does its work on the caller's goroutine, starts none, takes no lock and reads no clock. Only the plugins of
// the binding cycle may block, so the engine can take those lists ([Profile.PreBindPlugins], [Profile.BindPlugins]),
// call a plugin wherever it likes, and have what it said judged here ([Profile.JudgePreBind], [Profile.JudgeBind]).
//
// # Beyond the plugin API
//
// Some interfaces here are our own, all optional: [Recorder] and [Observer] watch, [Actor] and [Outcomes] let a plugin
// have something done in the world without blocking, [Dice] lets it leave a choice to the engine's seed, [Binder] names a binding instead of making it, [Forker] hands
// state to the copy of a plugin, and [NodeLocal] promises which verdicts may be kept. A plugin that implements none of
// them works here, and a plugin that implements them works in kube-scheduler, which never asks for them.
//
// # Statuses
//
// A verdict carries the name of the plugin that gave it. A plugin may hand out one status many times over, so a status
// is never written to here: one that lacks the name is copied. A plugin on a hot path builds its statuses once, with
// [fwk.Status.WithPlugin] and its own name, and then a rejection costs no memory.
//
// # Differences from kube-scheduler
//
//   - Plugins are made, listed and closed in the order of the configuration; kube-scheduler makes them in random order.
//   - A status that makes no sense at its extension point, such as Wait from a Filter plugin, becomes an error that
//     names the code. kube-scheduler writes "%!w(<nil>)", and crashes when a PostFilter plugin says Skip or Wait.
//   - A pod stops waiting as soon as the last plugin allows it or one rejects it. In kube-scheduler it stays in the list
//     until its goroutine wakes up, and a preemptor that rejects it meanwhile is not heard.
//   - Pods that plugins wait for, and plugins that a pod waits for, are listed in order of entry.
//   - The scores that RunScorePlugins returns, and the list given to NormalizeScore, are reused by the next cycle.
//   - A factory that returns neither a plugin nor an error is an error.
package framework
