// Package volumebinding places a pod where its claims have volumes, or can get some, and binds them before the pod.
//
//	PreFilter   the pod's claims: bound │ to be bound on the pod's node (WaitForFirstConsumer) │ others, which reject the pod
//	Filter      does each bound volume reach the node; which volume does each other claim get there, or can it be provisioned
//	Score       how full the volumes or the storage would be, with the gate StorageCapacityScoring (KEP-4049)
//	Reserve     the choice for the node is assumed (package volumes)
//	PreBind     volumes and claims are written, one after the other; then it waits until every claim is bound
//	Unreserve   what was not written is assumed no longer
//
// # Files
//
// claims.go sorts the pod's claims, choice.go chooses on one node, provision.go decides whether a claim can be provisioned there,
// classes.go evaluates like nodes once for a pod whose claims are bound. reserve.go and bind.go are the binding, hints.go the events that
// requeue a pod, score.go the score.
//
// What does not depend on a node is computed once, in PreFilter: the volumes that suit a claim in all but their node
// affinity, sorted; the classes' topologies and the capacities of storage, with parsed selectors.
//
// # Binding
//
// PreBind works in steps (framework.StepwisePreBind). Writes are effects, and the wait ends with a change of the node, the
// pod, a volume or a claim, or after bindTimeoutSeconds, which count from the last write. A volume that names the claim
// already, by its UID, is not written.
//
// A failure requeues the pod. Of what was assumed, only what was not written is restored: what was written ends with the
// answer of the API server, as every assumption does.
//
// # Differences from kube-scheduler
//
//   - A binding goes on as soon as the last claim is bound. kube-scheduler looks once a second, after the first second.
//   - Volumes and claims are patched, not updated; a volume that needs no change is not written.
//   - After a failure, kube-scheduler also restores the claims that it has written, and may choose another node for them before
//     it reads them back.
//   - A pod that was deleted and created again under its name ends the binding of the first one.
//   - A driver that no longer publishes its capacity requeues pods with claims. In kube-scheduler it requeues pods with an
//     inline volume of the driver only, which never waited for capacity.
//   - Of several volumes of the same size, and of several capacities that suffice, the first by name is taken.
//   - Where storage is scored, a capacity without a size counts as full, and a claim's class may be in its annotation.
//     kube-scheduler panics on both.
package volumebinding
