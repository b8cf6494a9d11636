// Package nodedeclaredfeatures keeps pods off nodes that lack a feature the pod's spec needs, as long as the feature is
// so young that not every node in a cluster has it. Nodes declare theirs in status.declaredFeatures; what a pod needs is
// inferred from its spec by k8s.io/component-helpers.
//
// The plugin does nothing unless the gate NodeDeclaredFeatures is on.
//
// # Differences from kube-scheduler
//
// Missing features are listed in order of name. With the gate off and the plugin configured all the same, pods can
// still be signed.
package nodedeclaredfeatures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/version"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/component-helpers/nodedeclaredfeatures/features"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/plugins/hint"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "NodeDeclaredFeatures"

// release is the Kubernetes release whose features count: a feature that every supported node of it has is not asked for.
var release = version.MustParseSemantic("1.35.0")

// DeclaredFeatures is the plugin.
type DeclaredFeatures struct {
	known *ndf.Framework // nil: the gate is off
}

var (
	_ fwk.PreFilterPlugin   = (*DeclaredFeatures)(nil)
	_ fwk.FilterPlugin      = (*DeclaredFeatures)(nil)
	_ fwk.EnqueueExtensions = (*DeclaredFeatures)(nil)
	_ framework.NodeLocal   = (*DeclaredFeatures)(nil)
)

var nothingNeeded = fwk.NewStatus(fwk.Skip)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle, gates config.Features) (fwk.Plugin, error) {
	if !gates.Enabled(config.NodeDeclaredFeatures) {
		return &DeclaredFeatures{}, nil
	}
	known, err := ndf.New(features.AllFeatures)
	if err != nil {
		return nil, fmt.Errorf("failed to create node feature framework: %w", err)
	}
	return &DeclaredFeatures{known: known}, nil
}

// Name is the plugin's name.
func (*DeclaredFeatures) Name() string { return Name }

// NodeLocal says that the answer is the node's own.
func (*DeclaredFeatures) NodeLocal() {}

// filterKey is where the features a pod needs wait for the filter.
const filterKey fwk.StateKey = "PreFilter" + Name

// needed are the names of the features that a pod needs, in order.
type needed []string

// Clone returns the names themselves: nothing changes them.
func (n needed) Clone() fwk.StateData { return n }

// needs infers what a pod needs from its spec; a pod that waits has no status that matters.
func (p *DeclaredFeatures) needs(pod *v1.Pod) (needed, error) {
	set, err := p.known.InferForPodScheduling(&ndf.PodInfo{Spec: &pod.Spec}, release)
	if err != nil {
		return nil, err
	}
	return sets.List(set.Set), nil
}

// PreFilter infers the features the pod needs.
func (p *DeclaredFeatures) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if p.known == nil {
		return nil, nothingNeeded
	}
	needs, err := p.needs(pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if len(needs) == 0 {
		return nil, nothingNeeded
	}
	state.Write(filterKey, needs)
	return nil, nil
}

// PreFilterExtensions are not needed: other pods do not matter.
func (*DeclaredFeatures) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter turns a node down for the features it does not declare.
func (p *DeclaredFeatures) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if p.known == nil {
		return nil
	}
	data, err := state.Read(filterKey)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("error reading %q from cycle-state: %w", filterKey, err))
	}
	needs, ok := data.(needed)
	if !ok {
		return fwk.AsStatus(fmt.Errorf("reading %q from cycle-state: it is a %T", filterKey, data))
	}
	declared := node.GetNodeDeclaredFeatures()
	var missing []string
	for _, feature := range needs {
		if !declared.Has(feature) {
			missing = append(missing, feature)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
		"node declared features check failed - unsatisfied requirements: "+strings.Join(missing, ", ")).WithPlugin(Name)
}

// EventsToRegister asks for nodes whose features change, and for changes of the pod's own needs.
func (p *DeclaredFeatures) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	if p.known == nil {
		return nil, nil
	}
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeDeclaredFeature},
			QueueingHintFn: p.afterNodeChange,
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update},
			QueueingHintFn: p.afterPodUpdate,
		},
	}, nil
}

func (*DeclaredFeatures) afterNodeChange(_ klog.Logger, _ *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Node](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if previous != nil && slices.Equal(previous.Status.DeclaredFeatures, current.Status.DeclaredFeatures) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

func (p *DeclaredFeatures) afterPodUpdate(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if current.UID != pod.UID {
		return fwk.QueueSkip, nil
	}
	needed, err := p.needs(previous)
	if err != nil {
		return fwk.Queue, err
	}
	needs, err := p.needs(current)
	if err != nil || !slices.Equal(needed, needs) {
		return fwk.Queue, err
	}
	return fwk.QueueSkip, nil
}

// SignPod says that the answer depends on the features the pod needs.
func (p *DeclaredFeatures) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if p.known == nil {
		return nil, nil
	}
	needs, err := p.needs(pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	return []fwk.SignFragment{{Key: fwk.FeaturesSignerName, Value: needs}}, nil
}
