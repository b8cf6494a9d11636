package local

import (
	"context"
	"slices"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	upimagelocality "k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	upnodeaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	updeclared "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodedeclaredfeatures"
	upnodename "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	upnodeports "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	upnoderesources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	upunschedulable "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	upgates "k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	uptaints "k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"orrery/core/parity/difftest"
)

// pair is a plugin of both sides.
type pair struct {
	name         string
	theirs, ours fwk.Plugin
}

type upstreamFactory func(context.Context, runtime.Object, fwk.Handle, feature.Features) (fwk.Plugin, error)

var upstream = []struct {
	name string
	make upstreamFactory
}{
	{upgates.Name, upgates.New},
	{upunschedulable.Name, upunschedulable.New},
	{upnodename.Name, upnodename.New},
	{uptaints.Name, uptaints.New},
	{upnodeaffinity.Name, upnodeaffinity.New},
	{upnodeports.Name, upnodeports.New},
	{upnoderesources.Name, upnoderesources.NewFit},
	{upnoderesources.BalancedAllocationName, upnoderesources.NewBalancedAllocation},
	{upimagelocality.Name, func(ctx context.Context, args runtime.Object, h fwk.Handle, _ feature.Features) (fwk.Plugin, error) {
		return upimagelocality.New(ctx, args, h)
	}},
	{updeclared.Name, updeclared.New},
}

// handle has a snapshot, and no devices.
type handle struct {
	fwk.Handle
	lister fwk.SharedLister
}

func (h handle) SnapshotSharedLister() fwk.SharedLister { return h.lister }
func (h handle) SharedDRAManager() fwk.SharedDRAManager { return noDevices }

var noDevices = devices.NewManager(devices.New(store.New(), devices.Gates{ExtendedResources: true}))

// gates draws the feature gates that these plugins use, in both forms.
func gates(t *difftest.Source) (feature.Features, config.Features) {
	theirs := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	theirs.EnablePodLevelResources = !t.OneIn(4)
	theirs.EnableTaintTolerationComparisonOperators = t.Bool()
	theirs.EnableInPlacePodLevelResourcesVerticalScaling = theirs.EnablePodLevelResources && t.Bool()
	ours, err := config.ParseFeaturesOf(release.Newest, map[string]bool{
		"PodLevelResources":                       theirs.EnablePodLevelResources,
		"PodLevelResourcesFixDefaulting":          theirs.EnablePodLevelResources,
		"PodLevelResourcesFixKubeletQOSClass":     theirs.EnablePodLevelResources,
		"TaintTolerationComparisonOperators":      theirs.EnableTaintTolerationComparisonOperators,
		"InPlacePodLevelResourcesVerticalScaling": theirs.EnableInPlacePodLevelResourcesVerticalScaling,
	})
	if err != nil {
		t.Fatalf("gates: %v", err)
	}
	return theirs, ours
}

// somePairs creates every plugin on both sides from one drawn configuration.
func somePairs(t *difftest.Source, theirHandle, ourHandle fwk.Handle) []pair {
	theirGates, ourGates := gates(t)
	registry := plugins.Registry(ourGates)
	args := someArgs(t)
	var pairs []pair
	for _, p := range upstream {
		theirArgs, err := internal(args[p.name])
		if err != nil {
			t.Fatalf("converting the args of %s: %v", p.name, err)
		}
		theirs, theirErr := p.make(context.Background(), theirArgs, theirHandle, theirGates)
		ours, ourErr := registry[p.name](context.Background(), args[p.name], ourHandle)
		if (theirErr == nil) != (ourErr == nil) {
			t.Fatalf("creating %s: kube-scheduler returned %v, Orrery %v", p.name, theirErr, ourErr)
		}
		if ourErr != nil {
			count(p.name, "invalid args")
			continue
		}
		pairs = append(pairs, pair{p.name, theirs, ours})
	}
	return pairs
}

func someArgs(t *difftest.Source) map[string]runtime.Object {
	fit := &configv1.NodeResourcesFitArgs{ScoringStrategy: someStrategy(t)}
	if t.OneIn(3) {
		fit.IgnoredResources = []string{"other.org/licence", "hugepages-2Mi"}
	}
	if t.OneIn(3) {
		fit.IgnoredResourceGroups = []string{"example.com"}
	}
	balanced := &configv1.NodeResourcesBalancedAllocationArgs{}
	for _, name := range scored(t) {
		balanced.Resources = append(balanced.Resources, configv1.ResourceSpec{Name: name, Weight: 1})
	}
	affinity := &configv1.NodeAffinityArgs{}
	if t.OneIn(3) {
		affinity.AddedAffinity = someAffinity(t, false)
	}
	return map[string]runtime.Object{
		upnoderesources.Name:                   fit,
		upnoderesources.BalancedAllocationName: balanced,
		upnodeaffinity.Name:                    affinity,
	}
}

// percentages are the utilizations of a shape's points.
var percentages = func() []int32 {
	all := make([]int32, 101)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}()

// distinct draws low to high different values.
func distinct[T comparable](t *difftest.Source, low, high int, values []T) []T {
	var picked []T
	for range t.Range(low, high) {
		if v := pick(t, values); !slices.Contains(picked, v) {
			picked = append(picked, v)
		}
	}
	return picked
}

// scored draws the names of resources for a score, at least one.
func scored(t *difftest.Source) []string {
	if t.Bool() {
		return []string{"cpu", "memory"}
	}
	names := distinct(t, 1, 5, scorable)
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(name)
	}
	return words
}

func someStrategy(t *difftest.Source) *configv1.ScoringStrategy {
	s := &configv1.ScoringStrategy{Type: pick(t, []configv1.ScoringStrategyType{configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio})}
	for _, name := range scored(t) {
		s.Resources = append(s.Resources, configv1.ResourceSpec{Name: name, Weight: pick(t, []int64{1, 1, 3, 100})})
	}
	if s.Type != configv1.RequestedToCapacityRatio {
		return s
	}
	s.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{}
	at := distinct(t, 1, 4, percentages)
	slices.Sort(at)
	for _, utilization := range at {
		s.RequestedToCapacityRatio.Shape = append(s.RequestedToCapacityRatio.Shape,
			configv1.UtilizationShapePoint{Utilization: utilization, Score: int32(t.Range(0, 10))})
	}
	return s
}

// internal converts args to kube-scheduler's internal form; plugins without args get none.
func internal(args runtime.Object) (runtime.Object, error) {
	var into runtime.Object
	switch args.(type) {
	case *configv1.NodeResourcesFitArgs:
		into = &upconfig.NodeResourcesFitArgs{}
	case *configv1.NodeResourcesBalancedAllocationArgs:
		into = &upconfig.NodeResourcesBalancedAllocationArgs{}
	case *configv1.NodeAffinityArgs:
		into = &upconfig.NodeAffinityArgs{}
	default:
		return nil, nil
	}
	return into, scheme.Scheme.Convert(args, into, nil)
}
