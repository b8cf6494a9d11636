package dynamicresources

import (
	"context"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	upnoderesources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"orrery/core/parity/difftest"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/noderesources"
)

// fitHandle serves NodeResourcesFit.
type fitHandle struct {
	fwk.Handle
	manager fwk.SharedDRAManager
}

func (h fitHandle) SharedDRAManager() fwk.SharedDRAManager { return h.manager }

// sameFit compares how NodeResourcesFit filters and scores nodes by their devices. kube-scheduler's plugin is new each time, since it
// remembers for ever which devices a class selects.
func (a *attempt) sameFit(ctx context.Context) {
	if len(a.pod.Spec.Containers[0].Resources.Requests) == 0 || a.c.hasTwins() || !a.Bool() {
		return
	}
	args, upArgs := strategy(a.Source)
	ours, err := noderesources.New(ctx, args, fitHandle{manager: devices.NewManager(a.c.state)}, a.c.features)
	must(err)
	theirs, err := upnoderesources.NewFit(ctx, upArgs, fitHandle{manager: a.c.manager}, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	must(err)
	our, their := ours.(*noderesources.Fit), theirs.(*upnoderesources.Fit)
	ourState, theirState := framework.NewCycleState(), upframework.NewCycleState()
	our.PreFilter(ctx, ourState, a.pod, nil)
	their.PreFilter(ctx, theirState, a.pod, nil)
	a.sameStatus("PreScore", their.PreScore(ctx, theirState, a.pod, nil), our.PreScore(ctx, ourState, a.pod, nil))
	for _, name := range nodes {
		info := cache.NewNodeInfo()
		info.SetNode(a.c.nodes[name])
		a.sameReasons("NodeResourcesFit on "+name, their.Filter(ctx, theirState, a.pod, info), our.Filter(ctx, ourState, a.pod, info))
		theirScore, theirStatus := their.Score(ctx, theirState, a.pod, info)
		ourScore, ourStatus := our.Score(ctx, ourState, a.pod, info)
		a.sameStatus("the score of NodeResourcesFit on "+name, theirStatus, ourStatus)
		a.same("the score of NodeResourcesFit on "+name, theirScore, ourScore)
		if ourScore > 0 {
			seen.Count("fit scored")
		}
	}
}

// hasTwins reports whether devices of one pool may have the same name: kube-scheduler takes one for the other.
func (c *cluster) hasTwins() bool {
	return slices.ContainsFunc(c.state.Slices(), func(slice *resourcev1.ResourceSlice) bool {
		return slices.ContainsFunc(slice.Spec.Devices, func(d resourcev1.Device) bool { return d.Name == twin })
	})
}

// sameReasons compares statuses whose reasons are in any order.
func (a *attempt) sameReasons(what string, theirs, ours *fwk.Status) {
	a.same(what, theirs.Code(), ours.Code())
	if !ours.IsSuccess() {
		a.same(what, sorted(theirs.Reasons()), sorted(ours.Reasons()))
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// strategy draws a scoring strategy for extended resources.
func strategy(r *difftest.Source) (*configv1.NodeResourcesFitArgs, *upconfig.NodeResourcesFitArgs) {
	kind := difftest.Pick(r, configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio)
	ours, theirs := &configv1.ScoringStrategy{Type: kind}, &upconfig.ScoringStrategy{Type: upconfig.ScoringStrategyType(kind)}
	if kind == configv1.RequestedToCapacityRatio {
		ours.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{Shape: []configv1.UtilizationShapePoint{{Utilization: 0, Score: 1}, {Utilization: 100, Score: 10}}}
		theirs.RequestedToCapacityRatio = &upconfig.RequestedToCapacityRatioParam{Shape: []upconfig.UtilizationShapePoint{{Utilization: 0, Score: 1}, {Utilization: 100, Score: 10}}}
	}
	for i, resource := range append(resources[:len(resources):len(resources)], "cpu") {
		if r.OneIn(3) && i > 0 {
			continue
		}
		weight := int64(r.Range(1, 3))
		ours.Resources = append(ours.Resources, configv1.ResourceSpec{Name: string(resource), Weight: weight})
		theirs.Resources = append(theirs.Resources, upconfig.ResourceSpec{Name: string(resource), Weight: weight})
	}
	return &configv1.NodeResourcesFitArgs{ScoringStrategy: ours}, &upconfig.NodeResourcesFitArgs{ScoringStrategy: theirs}
}
