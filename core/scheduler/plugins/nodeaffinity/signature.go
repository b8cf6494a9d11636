package nodeaffinity

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// AppendSignature appends the node selector and the node affinity.
func (*NodeAffinity) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	preferences := preferredTerms(pod)
	to = to.Flag(pod.Spec.NodeSelector != nil).RequiredNodes(pod).Number(int64(len(preferences)))
	for i := range preferences {
		to = to.Number(int64(preferences[i].Weight)).NodeTerm(&preferences[i].Preference)
	}
	return to, true
}
