package nodeports

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*NodePorts)(nil)

// InUse is the reason code of nodes on which another pod has a host port of the pod.
const InUse = "port-in-use"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: InUse, Means: "another pod has a host port of the pod", Fields: []string{"objects", "changes"}},
}

// Explain names the pods that hold the ports.
func (*NodePorts) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	e := framework.Evidence{Code: InUse, Message: portTaken.Message()}
	wanted := portClaimsOf(pod).inUse()
	var alone []string // pods that alone keep the pod from a node
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		e.Nodes = append(e.Nodes, n.Name())
		there := appendHolders(nil, wanted, n.Name(), n.GetPods(), false)
		there = appendHolders(there, wanted, n.Name(), n.Nominated, true)
		e.Objects = append(e.Objects, there...)
		other := func(o framework.Object) bool { return o.Name != there[0].Name || o.Nominated }
		if len(n.Others) == 0 && len(there) > 0 && !slices.ContainsFunc(there, other) {
			alone = append(alone, there[0].Name)
		}
	}
	if len(e.Objects) == 0 {
		return nil
	}
	holders := make([]string, len(e.Objects))
	for i, o := range e.Objects {
		if holders[i] = o.Note + " on " + o.Node + " by " + o.Name; o.Nominated {
			holders[i] += ", nominated there"
		}
	}
	e.Facts = []string{"held: " + framework.Listed(holders)}
	switch first := &e.Objects[0]; {
	case len(e.Nodes) > 1:
		e.Predicate = "have " + first.Note + " in use (on " + first.Node + " by " + first.Name + ")"
	case first.Nominated:
		e.Predicate = "has " + first.Note + " held for " + first.Name + ", which is nominated to it"
	default:
		e.Predicate = "has " + first.Note + " held by " + first.Name
	}
	for _, name := range alone {
		e.Changes = append(e.Changes, "delete pod "+name)
	}
	if len(alone) == 1 {
		e.Hint = "would fit without the pod " + alone[0]
	}
	return []framework.Evidence{e}
}

// appendHolders adds the pods of a node that hold a port.
func appendHolders(to []framework.Object, wanted fwk.HostPortInfo, node string, pods []fwk.PodInfo, nominated bool) []framework.Object {
	for _, info := range pods {
		other := info.GetPod()
		for _, c := range portClaimsOf(other) {
			if wanted.CheckConflict(c.IP, string(c.Protocol), c.Port) {
				to = append(to, framework.Object{
					Kind: "Pod", Name: framework.PodName(other), Node: node, Nominated: nominated,
					Note: fmt.Sprintf("host port %d/%s", c.Port, cmp.Or(c.Protocol, v1.ProtocolTCP)),
				})
			}
		}
	}
	return to
}
