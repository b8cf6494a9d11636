// Package unsupported stands in for the plugin that Orrery does not implement, GangScheduling. It has the name of the real one
// and rejects the pods that need it, those of a workload with the gate GangScheduling, so that no such pod is scheduled
// regardless of its gang.
//
// A rejected pod stays pending with the reason "Orrery cannot place a pod that uses … yet". For all other pods the plugin
// returns success, as the real one would. It has the extension points of the real one, so every configuration and order of
// plugins means the same as in kube-scheduler.
//
// A pod cannot change what it uses, so only an update of the pod itself that removes the need requeues it.
//
// # Differences from kube-scheduler
//
// Every rejection above. GangScheduling has no PreFilter and rejects at PreEnqueue, of which kube-scheduler reports nothing: a
// FailedScheduling event says why the pod is pending.
package unsupported
