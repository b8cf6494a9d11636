package nodename

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*NodeName)(nil)

// OtherNode is the reason code of nodes that are not the one that the pod names.
const OtherNode = "node-name"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: OtherNode, Means: "the nodes are not the one in spec.nodeName", Fields: []string{"wants"}},
}

// Explain names the node that the pod wants.
func (*NodeName) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	e := framework.Evidence{Code: OtherNode, Message: otherNode.Message(), Nodes: rejected.Names(), Wants: "spec.nodeName " + pod.Spec.NodeName}
	e.Predicate = e.Verb("is not ", "are not ") + pod.Spec.NodeName
	e.Facts = []string{"spec.nodeName is " + pod.Spec.NodeName}
	for _, info := range rejected.All {
		if info.Node().Name == pod.Spec.NodeName {
			return []framework.Evidence{e}
		}
	}
	e.Sentence = "spec.nodeName is " + pod.Spec.NodeName + ", and there is no such node"
	return []framework.Evidence{e}
}
