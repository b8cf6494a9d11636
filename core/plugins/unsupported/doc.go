// Package unsupported stands in for the plugins that Orrery does not implement: dynamic resource allocation and gangs.
// Each has the name of the real one and rejects the pods that need it, so that no such pod is scheduled regardless of its
// devices or gang:
//
//	DynamicResources   resource claims
//	GangScheduling     pods of a workload, with the gate GangScheduling
//
// A rejected pod stays pending with the reason "Orrery cannot place a pod that uses … yet". For all other pods the plugins
// return Skip or success, as the real ones would.
//
// The plugins have the extension points of the real ones, so every configuration and order of plugins means the same as in
// kube-scheduler. DynamicResources also keeps its part of the message of a failed cycle: its PostFilter
// says "no new claims to deallocate", and fails with "not found" when an earlier plugin ended PreFilter before it.
//
// A pod cannot change what it uses, so only an update of the pod itself that removes the need requeues it.
//
// # Differences from kube-scheduler
//
// Every rejection above. DynamicResources rejects at PreFilter, not at PreEnqueue, so that the reason
// reaches the pod's status. GangScheduling has no PreFilter and rejects at PreEnqueue, of which kube-scheduler reports
// nothing: a FailedScheduling event says why the pod is pending.
package unsupported
