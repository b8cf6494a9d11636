package local

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
)

// scorable are the resources that scores are configured with. They leave out resources that the scheduler does not count:
// Orrery ignores these, while kube-scheduler's balanced allocation then scores a pod without other requests.
var scorable = counted

// withoutFractions rounds pod-level requests. If a pod-level request is a fraction such as 1.5Gi, kube-scheduler changes the
// pod: its library adds the overhead to the pod's own quantity, again with each call. Orrery computes on a copy.
func withoutFractions(list v1.ResourceList) v1.ResourceList {
	for name, quantity := range list {
		list[name] = *resource.NewMilliQuantity(quantity.MilliValue(), quantity.Format)
	}
	return list
}

// removeIntended removes intended differences from both sides' answers.
func removeIntended(plugin string, theirs, ours *answers) {
	// Signatures have additional fragments, under keys with this prefix.
	maps.DeleteFunc(ours.Signature, func(key, _ string) bool { return strings.HasPrefix(key, "orrery/") })

	// Orrery skips an empty list of preferences. kube-scheduler scores every node 0, to the same effect, but then the
	// signature would have to tell an empty list from none.
	zero := func(score int64) bool { return score == 0 }
	nothing := !slices.ContainsFunc(theirs.Raw, func(score int64) bool { return !zero(score) })
	if plugin == "NodeAffinity" && theirs.PreScore == "Success" && nothing && strings.HasPrefix(ours.PreScore, "Skip") {
		theirs.PreScore, theirs.Raw, theirs.Normalised, theirs.ScoreStatuses = ours.PreScore, nil, nil, ours.ScoreStatuses
	}

	// NodeDeclaredFeatures signs the names of features, and kube-scheduler a bit for each that there is.
	if names, signed := ours.Signature[fwk.FeaturesSignerName]; signed {
		ours.Signature[fwk.FeaturesSignerName] = asBits(names)
	}
}

// asBits returns the names of features as kube-scheduler signs them.
func asBits(names string) string {
	var features []string
	if err := json.Unmarshal([]byte(names), &features); err != nil {
		return err.Error()
	}
	return strconv.Quote(ndf.DefaultFramework.MustMapSorted(features).String())
}

// requeuesOnPurpose reports whether Orrery requeues a pod that kube-scheduler does not: because of a node that began to match
// the profile's affinity, and matched the pod's own before.
func requeuesOnPurpose(p pair, waiting *v1.Pod, e event, theirs, ours string) bool {
	if p.name != "NodeAffinity" || e.action != fwk.UpdateNodeLabel || theirs != "QueueSkip" || ours != "Queue" {
		return false
	}
	filter := func(node any) string {
		info := upframework.NewNodeInfo()
		info.SetNode(node.(*v1.Node))
		return statusText(p.theirs.(fwk.FilterPlugin).Filter(context.Background(), theirState(), waiting, info))
	}
	count("NodeAffinity", "requeues a pod on purpose")
	return strings.Contains(filter(e.before), "scheduler-enforced") && filter(e.after) == "Success"
}
