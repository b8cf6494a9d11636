// Package nodedeclaredfeatures keeps pods off nodes that lack a feature the pod's spec needs, while the feature is so new
// that not every node in a cluster has it. Nodes declare theirs in status.declaredFeatures; which ones a
// pod needs follows from its spec, by the release of Kubernetes.
//
// The plugin does nothing unless the gate NodeDeclaredFeatures is on (KEP-5328).
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
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.NodeDeclaredFeaturesPlugin

// NodeDeclaredFeatures is the plugin.
type NodeDeclaredFeatures struct {
	on          bool // its gate
	hostNetwork bool // user namespaces in the host's network are a feature
	brief       bool // the message names no features
}

var (
	_ fwk.PreFilterPlugin   = (*NodeDeclaredFeatures)(nil)
	_ fwk.FilterPlugin      = (*NodeDeclaredFeatures)(nil)
	_ fwk.EnqueueExtensions = (*NodeDeclaredFeatures)(nil)
	_ framework.NodeLocal   = (*NodeDeclaredFeatures)(nil)
)

var skip = fwk.NewStatus(fwk.Skip)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, _ fwk.Handle, gates config.Features) (fwk.Plugin, error) {
	if !gates.Enabled(config.NodeDeclaredFeatures) {
		return &NodeDeclaredFeatures{}, nil
	}
	return &NodeDeclaredFeatures{
		on: true, hostNetwork: gates.Has(release.HostNetworkUsersDeclared), brief: gates.Has(release.FeaturesMessageBrief),
	}, nil
}

// Name is the plugin's name.
func (*NodeDeclaredFeatures) Name() string { return Name }

// AppendSignature appends the needed features, which PreFilter wrote.
func (*NodeDeclaredFeatures) AppendSignature(to reuse.Signature, state fwk.CycleState, _ *v1.Pod) (reuse.Signature, bool) {
	needs, _ := framework.ReadState[needed](state, filterKey)
	return to.Texts(needs), true
}

// filterKey is the key of the needed features in the cycle state.
const filterKey fwk.StateKey = "PreFilter" + Name

// needed are the names of the features that a pod needs, in order.
type needed []string

// Clone returns the names themselves: nothing changes them.
func (n needed) Clone() fwk.StateData { return n }

// The features that a pod may need.
const (
	restartAll       = "RestartAllContainersOnContainerExits"
	hostNetworkUsers = "UserNamespacesHostNetworkSupport"
)

// needs infers what a pod needs from its spec.
func (p *NodeDeclaredFeatures) needs(pod *v1.Pod) (names needed) {
	if slices.ContainsFunc(pod.Spec.Containers, restartsAll) || slices.ContainsFunc(pod.Spec.InitContainers, restartsAll) {
		names = append(names, restartAll)
	}
	if p.hostNetwork && pod.Spec.HostNetwork && !ptr.Deref(pod.Spec.HostUsers, true) {
		names = append(names, hostNetworkUsers)
	}
	return names
}

// restartsAll reports whether the end of a container may restart all of its pod.
func restartsAll(c v1.Container) bool {
	return slices.ContainsFunc(c.RestartPolicyRules, func(r v1.ContainerRestartRule) bool {
		return r.Action == v1.ContainerRestartRuleActionRestartAllContainers
	})
}

// PreFilter infers the features the pod needs.
func (p *NodeDeclaredFeatures) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if !p.on {
		return nil, skip
	}
	needs := p.needs(pod)
	if len(needs) == 0 {
		return nil, skip
	}
	state.Write(filterKey, needs)
	return nil, nil
}

// PreFilterExtensions is nil: other pods do not matter.
func (*NodeDeclaredFeatures) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter rejects a node that does not declare a needed feature.
func (p *NodeDeclaredFeatures) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if !p.on {
		return nil
	}
	needs, err := framework.ReadState[needed](state, filterKey)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("error reading %q from cycle-state: %w", filterKey, err))
	}
	missing := undeclared(needs, node)
	if len(missing) == 0 {
		return nil
	}
	if p.brief {
		return lacking
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, p.message(missing)).WithPlugin(Name)
}

// lacking is the status from 1.36 on.
var lacking = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) didn't match Pod's required features").WithPlugin(Name)

// undeclared are the needed features that a node does not declare.
func undeclared(needs needed, node fwk.NodeInfo) []string {
	var missing []string
	for _, feature := range needs {
		if !slices.Contains(node.Node().Status.DeclaredFeatures, feature) {
			missing = append(missing, feature)
		}
	}
	return missing
}

func (p *NodeDeclaredFeatures) message(missing []string) string {
	if p.brief {
		return lacking.Message()
	}
	return "node declared features check failed - unsatisfied requirements: " + strings.Join(missing, ", ")
}

// EventsToRegister returns the events that can change a node's features or the pod's needs.
func (p *NodeDeclaredFeatures) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	if !p.on {
		return nil, nil
	}
	return []fwk.ClusterEventWithHint{
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeDeclaredFeature},
			QueueingHintFn: hint.Of(p.isSchedulableAfterNodeChange),
		},
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update},
			QueueingHintFn: p.isSchedulableAfterPodUpdate,
		},
	}, nil
}

func (*NodeDeclaredFeatures) isSchedulableAfterNodeChange(_ *v1.Pod, previous, current *v1.Node) bool {
	return previous == nil || !slices.Equal(previous.Status.DeclaredFeatures, current.Status.DeclaredFeatures)
}

func (p *NodeDeclaredFeatures) isSchedulableAfterPodUpdate(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
	previous, current, err := hint.Objects[*v1.Pod](before, after)
	if err != nil {
		return fwk.Queue, err
	}
	if current.UID != pod.UID {
		return fwk.QueueSkip, nil
	}
	if !slices.Equal(p.needs(previous), p.needs(current)) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

// SignPod signs the needed features.
func (p *NodeDeclaredFeatures) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if !p.on {
		return nil, nil
	}
	return []fwk.SignFragment{{Key: fwk.FeaturesSignerName, Value: p.needs(pod)}}, nil
}
