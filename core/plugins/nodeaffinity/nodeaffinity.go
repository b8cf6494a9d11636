package nodeaffinity

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "NodeAffinity"

// NodeAffinity is the plugin.
type NodeAffinity struct {
	addedRequired  *required  // nil: the profile demands nothing
	addedPreferred *preferred // nil: the profile prefers nothing
}

var (
	_ fwk.PreFilterPlugin   = (*NodeAffinity)(nil)
	_ fwk.FilterPlugin      = (*NodeAffinity)(nil)
	_ fwk.PreScorePlugin    = (*NodeAffinity)(nil)
	_ fwk.ScorePlugin       = (*NodeAffinity)(nil)
	_ fwk.ScoreExtensions   = (*NodeAffinity)(nil)
	_ fwk.EnqueueExtensions = (*NodeAffinity)(nil)
	_ framework.NodeLocal   = (*NodeAffinity)(nil)
)

var (
	nothingToDo = fwk.NewStatus(fwk.Skip)
	conflict    = refusal("pod affinity terms conflict")
	notEnforced = refusal("node(s) didn't match scheduler-enforced node affinity")
	notMatched  = refusal("node(s) didn't match Pod's node affinity/selector")
)

func refusal(reason string) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason).WithPlugin(Name)
}

// New makes the plugin from NodeAffinityArgs.
func New(_ context.Context, args runtime.Object, _ fwk.Handle, _ config.Features) (fwk.Plugin, error) {
	affinity, ok := args.(*configv1.NodeAffinityArgs)
	if !ok {
		return nil, fmt.Errorf("args are not of type NodeAffinityArgs, got %T", args)
	}
	if err := config.ValidateNodeAffinityArgs(nil, affinity); err != nil {
		return nil, err
	}
	p := &NodeAffinity{}
	added := affinity.AddedAffinity
	if added == nil {
		return p, nil
	}
	if selector := added.RequiredDuringSchedulingIgnoredDuringExecution; selector != nil {
		if _, err := nodeaffinity.NewNodeSelector(selector); err != nil {
			return nil, fmt.Errorf("parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: %w", err)
		}
		p.addedRequired = &required{hasTerms: true}
		p.addedRequired.terms, _ = parseTerms(selector.NodeSelectorTerms)
	}
	if terms := added.PreferredDuringSchedulingIgnoredDuringExecution; len(terms) != 0 {
		var err error
		if p.addedPreferred, err = preferredOf(terms); err != nil {
			return nil, fmt.Errorf("parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: %w", err)
		}
	}
	return p, nil
}

// Name is the plugin's name.
func (*NodeAffinity) Name() string { return Name }

// NodeLocal says that the answer is the node's own.
func (*NodeAffinity) NodeLocal() {}

// filterKey is where the pod's demands wait for the filter.
const filterKey fwk.StateKey = "PreFilter" + Name

// Clone returns the demands themselves: nothing changes them.
func (r *required) Clone() fwk.StateData { return r }

// PreFilter parses the pod's demands, and narrows the nodes down where every term names its own.
func (p *NodeAffinity) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	affinity := requiredAffinity(pod)
	if affinity == nil && p.addedRequired == nil && pod.Spec.NodeSelector == nil {
		return nil, nothingToDo
	}
	demands := requiredOf(pod)
	state.Write(filterKey, &demands)
	if affinity == nil {
		return nil, nil
	}
	names, named := namedNodes(affinity.NodeSelectorTerms)
	switch {
	case !named:
		return nil, nil
	case len(names) == 0:
		return nil, conflict
	}
	return &fwk.PreFilterResult{NodeNames: names}, nil
}

// namedNodes are the nodes that terms name, if every one of them names some. The demands of one term must all hold, so
// their names are intersected; of the terms one must hold, so theirs are united.
func namedNodes(terms []v1.NodeSelectorTerm) (all sets.Set[string], named bool) {
	for i := range terms {
		var names sets.Set[string]
		for _, f := range terms[i].MatchFields {
			if f.Key != metav1.ObjectNameField || f.Operator != v1.NodeSelectorOpIn {
				continue
			}
			if values := sets.New(f.Values...); names == nil {
				names = values
			} else {
				names = names.Intersection(values)
			}
		}
		if names == nil {
			return nil, false
		}
		all = all.Union(names)
	}
	return all, len(terms) > 0
}

// PreFilterExtensions are not needed: other pods do not matter.
func (*NodeAffinity) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter matches the node with what the profile demands, then with what the pod demands.
func (p *NodeAffinity) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	node := info.Node()
	if p.addedRequired != nil && !p.addedRequired.match(node) {
		return notEnforced
	}
	if !demandsOf(state, pod).match(node) {
		return notMatched
	}
	return nil
}

// demandsOf finds what PreFilter parsed; where PreFilter is switched off, it parses again.
func demandsOf(state fwk.CycleState, pod *v1.Pod) *required {
	if data, err := state.Read(filterKey); err == nil {
		if demands, ok := data.(*required); ok {
			return demands
		}
	}
	demands := requiredOf(pod)
	return &demands
}

// nowhereKey is a fragment that kube-scheduler does not have: its own cannot tell a required affinity without terms,
// which no node matches, from none at all.
const nowhereKey = "orrery/v1.Pod.Spec.Affinity.NodeAffinity.MatchesNothing()"

// SignPod says that the answer depends on the node affinity and the node selector.
func (*NodeAffinity) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	affinity, err := fwk.NodeAffinitySigner(pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	fragments := []fwk.SignFragment{
		{Key: fwk.NodeAffinitySignerName, Value: affinity},
		{Key: fwk.NodeSelectorSignerName, Value: pod.Spec.NodeSelector},
	}
	if selector := requiredAffinity(pod); selector != nil && len(selector.NodeSelectorTerms) == 0 {
		fragments = append(fragments, fwk.SignFragment{Key: nowhereKey, Value: true})
	}
	return fragments, nil
}
