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

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.NodeAffinity

// NodeAffinity is the plugin.
type NodeAffinity struct {
	addedRequired  *required  // nil: the profile requires nothing
	addedPreferred *preferred // nil: the profile prefers nothing
}

var (
	_ fwk.PreFilterPlugin   = (*NodeAffinity)(nil)
	_ fwk.FilterPlugin      = (*NodeAffinity)(nil)
	_ fwk.PreScorePlugin    = (*NodeAffinity)(nil)
	_ fwk.ScorePlugin       = (*NodeAffinity)(nil)
	_ fwk.ScoreExtensions   = (*NodeAffinity)(nil)
	_ fwk.EnqueueExtensions = (*NodeAffinity)(nil)
	_ framework.ScaledScore = (*NodeAffinity)(nil)
)

var (
	skip        = fwk.NewStatus(fwk.Skip)
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

// filterKey is the key of the pod's required terms in the cycle state.
const filterKey fwk.StateKey = "PreFilter" + Name

// Clone returns the terms themselves: nothing changes them.
func (r *required) Clone() fwk.StateData { return r }

// PreFilter parses the pod's required terms, and restricts the nodes if every term names some.
func (p *NodeAffinity) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	affinity := requiredAffinity(pod)
	if affinity == nil && p.addedRequired == nil && pod.Spec.NodeSelector == nil {
		return nil, skip
	}
	terms := requiredOf(pod)
	state.Write(filterKey, &terms)
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

// namedNodes are the nodes that terms name, if every one of them names some. All requirements of a term must match, so
// their names are intersected; one of the terms must match, so theirs are united. A DaemonSet names the node of each pod so, and
// without the restriction each of them would be filtered on all nodes.
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

// PreFilterExtensions is nil: other pods do not matter.
func (*NodeAffinity) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter matches the node with the terms of the profile, then with those of the pod.
func (p *NodeAffinity) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	node := info.Node()
	if p.addedRequired != nil && !p.addedRequired.match(node) {
		return notEnforced
	}
	if !storedRequired(state, pod).match(node) {
		return notMatched
	}
	return nil
}

// storedRequired returns what PreFilter parsed; it parses again if PreFilter is disabled.
func storedRequired(state fwk.CycleState, pod *v1.Pod) *required {
	if terms, err := framework.ReadState[*required](state, filterKey); err == nil {
		return terms
	}
	terms := requiredOf(pod)
	return &terms
}

// matchesNothingKey is a fragment that kube-scheduler does not have: its own cannot tell a required affinity without terms,
// which no node matches, from none at all.
const matchesNothingKey = "orrery/v1.Pod.Spec.Affinity.NodeAffinity.MatchesNothing()"

// SignPod signs the node affinity and the node selector.
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
		fragments = append(fragments, fwk.SignFragment{Key: matchesNothingKey, Value: true})
	}
	return fragments, nil
}
