package local

import (
	"context"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
)

// scorable are the resources that plugins are told to score by. A resource that the scheduler does not count scores
// nothing for Orrery; kube-scheduler's balanced allocation scores a pod that asks for nothing else by what is on the node.
var scorable = counted

// withoutFractions rounds pod-level requests. With overhead, kube-scheduler changes the pod that it sums up if a
// pod-level request is a fraction such as 1.5Gi: the library adds the overhead to the pod's own quantity, again with each
// call, and the pod grows. Orrery sums up a copy.
func withoutFractions(list v1.ResourceList) v1.ResourceList {
	for name, quantity := range list {
		list[name] = *resource.NewMilliQuantity(quantity.MilliValue(), quantity.Format)
	}
	return list
}

// overlook takes out of Orrery's answers what differs on purpose, and out of kube-scheduler's what it is compared with.
func overlook(plugin string, theirs, ours *answers) {
	// Signatures have fragments that kube-scheduler does not have, under keys of their own.
	maps.DeleteFunc(ours.Signature, func(key, _ string) bool { return strings.HasPrefix(key, "orrery/") })

	// A list of preferences without any is skipped. kube-scheduler gives every node nothing for it, which comes to the
	// same, but then whether there was a list would have to be part of the signature.
	zero := func(score int64) bool { return score == 0 }
	nothing := !slices.ContainsFunc(theirs.Raw, func(score int64) bool { return !zero(score) })
	if plugin == "NodeAffinity" && theirs.PreScore == "Success" && nothing && strings.HasPrefix(ours.PreScore, "Skip") {
		theirs.PreScore, theirs.Raw, theirs.Normalised, theirs.ScoreSaid = ours.PreScore, nil, nil, ours.ScoreSaid
	}

	// With its gate off, NodeDeclaredFeatures has nothing against a signature. kube-scheduler refuses to sign.
	if plugin == "NodeDeclaredFeatures" && theirs.NotSigned != "" && len(ours.Signature) == 0 {
		theirs.NotSigned, theirs.Signature = "", ours.Signature
	}
}

// wakesOnPurpose tells whether Orrery wakes a pod that kube-scheduler lets wait, for a node that has come to match the
// affinity of the profile and matched the pod's own before.
func wakesOnPurpose(p pair, waiting *v1.Pod, e event, theirs, ours string) bool {
	if p.name != "NodeAffinity" || e.action != fwk.UpdateNodeLabel || theirs != "QueueSkip" || ours != "Queue" {
		return false
	}
	filter := func(node any) string {
		info := upframework.NewNodeInfo()
		info.SetNode(node.(*v1.Node))
		return said(p.theirs.(fwk.FilterPlugin).Filter(context.Background(), theirState(), waiting, info))
	}
	count("NodeAffinity", "wakes a pod on purpose")
	return strings.Contains(filter(e.before), "scheduler-enforced") && filter(e.after) == "Success"
}
